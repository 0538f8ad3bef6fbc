import type { Role } from "../../src/domain/permission.ts";

/** Where roles are held and where calls act, written out by hand. */

/** Where a role of the matrix is held. Every caller belongs to the organization `own`. */
export type Place = "instance" | "own" | "foreign" | "own-1" | "own-2" | "foreign-1" | "nowhere";

export type Holder = readonly [role: Role | "no role", place: Place];

/** Every caller: the role that it holds and where. */
export const holders: readonly Holder[] = [
  ["no role", "nowhere"],
  ["IAM_OWNER", "instance"],
  ["IAM_OWNER_VIEWER", "instance"],
  ["ORG_OWNER", "own"],
  ["ORG_OWNER", "foreign"],
  ["ORG_OWNER_VIEWER", "own"],
  ["ORG_OWNER_VIEWER", "foreign"],
  ["ORG_USER_MANAGER", "own"],
  ["ORG_USER_MANAGER", "foreign"],
  ["ORG_USER_PERMISSION_EDITOR", "own"],
  ["ORG_USER_PERMISSION_EDITOR", "foreign"],
  ["ORG_SETTINGS_MANAGER", "own"],
  ["ORG_SETTINGS_MANAGER", "foreign"],
  ["PROJECT_OWNER", "own-1"],
  ["PROJECT_OWNER", "own-2"],
  ["PROJECT_OWNER", "foreign-1"],
];

/** The organizations into which a role reaches, by where it is held. */
export const reach: { readonly [place in Place]: readonly string[] } = {
  instance: ["own", "foreign"],
  own: ["own"],
  foreign: ["foreign"],
  "own-1": ["own"],
  "own-2": ["own"],
  "foreign-1": ["foreign"],
  nowhere: [],
};

/** What the header holds, and the organization that the call then acts on. */
export const headers = {
  own: "own",
  foreign: "foreign",
  unknown: "unknown",
  empty: "own",
  absent: "own",
  twice: "3 ORGANIZATION_HEADER_REPEATED",
} as const;

export type HeaderKind = keyof typeof headers;
