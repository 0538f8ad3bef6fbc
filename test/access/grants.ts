import type { Role } from "../../src/domain/permission.ts";
import type { Place } from "./place.ts";

/** Who may grant which role, and take it; written out by hand. */

export type Holding = readonly [role: Role, place: Exclude<Place, "nowhere">];

/** Every role, each at its own level: on the instance, in `own`, or on its first project. */
export const grantable = [
  "IAM_OWNER",
  "IAM_OWNER_VIEWER",
  "ORG_OWNER",
  "ORG_OWNER_VIEWER",
  "ORG_USER_MANAGER",
  "ORG_USER_PERMISSION_EDITOR",
  "ORG_SETTINGS_MANAGER",
  "PROJECT_OWNER",
] as const;

const denied = "7 PERMISSION_DENIED";
const everything = ["OK", "OK", "OK", "OK", "OK", "OK", "OK", "OK"];
const below = [denied, denied, "OK", "OK", "OK", "OK", "OK", "OK"];
const nothing = Array<string>(8).fill(denied);

/** Per caller, what comes of granting the roles above, in their order; of taking them likewise. */
export const grantors: readonly (readonly [...Holding, outcomes: readonly string[]])[] = [
  ["IAM_OWNER", "instance", everything],
  ["IAM_OWNER_VIEWER", "instance", nothing],
  ["ORG_OWNER", "own", below],
  ["ORG_OWNER", "foreign", nothing],
  ["ORG_OWNER_VIEWER", "own", nothing],
  ["ORG_USER_MANAGER", "own", nothing],
  ["ORG_USER_PERMISSION_EDITOR", "own", nothing],
  ["ORG_SETTINGS_MANAGER", "own", nothing],
  ["PROJECT_OWNER", "own-1", nothing],
];
