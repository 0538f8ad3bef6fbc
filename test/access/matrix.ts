import type { Role } from "../../src/domain/permission.ts";

/**
 * Who may call what, and what comes of it, written out by hand. Nothing
 * here is taken from the code that decides it.
 */

/** Where a role of the matrix is held. Every caller belongs to the organization `own`. */
export type Place = "instance" | "own" | "foreign" | "own-1" | "own-2" | "foreign-1" | "nowhere";

/** Every caller: the role that it holds and where. */
export const holders: readonly (readonly [role: Role | "no role", place: Place])[] = [
  ["no role", "nowhere"],
  ["IAM_OWNER", "instance"],
  ["IAM_OWNER_VIEWER", "instance"],
  ["ORG_OWNER", "own"],
  ["ORG_OWNER", "foreign"],
  ["ORG_OWNER_VIEWER", "own"],
  ["ORG_OWNER_VIEWER", "foreign"],
  ["ORG_USER_MANAGER", "own"],
  ["ORG_USER_MANAGER", "foreign"],
  ["ORG_SETTINGS_MANAGER", "own"],
  ["ORG_SETTINGS_MANAGER", "foreign"],
  ["PROJECT_OWNER", "own-1"],
  ["PROJECT_OWNER", "own-2"],
  ["PROJECT_OWNER", "foreign-1"],
];

/** What the request is about: the kinds of ids in it, in the order in which they are looked at. */
export type ObjectKind = "project" | "user" | "member" | "person" | "token" | "idp";

export interface Row {
  /** What the contract declares; where owners need less, theirs stands behind it. */
  readonly permission: string;
  /** Whether a role counts wherever it is held, because the object says where it lies. */
  readonly anywhere?: true;
  /** Whether `x-service-orgid` chooses the organization. */
  readonly header: boolean;
  readonly roles: readonly Role[];
  readonly objects: readonly ObjectKind[];
  readonly events: readonly string[];
}

const owner: readonly Role[] = ["IAM_OWNER"];
const owners: readonly Role[] = ["IAM_OWNER", "ORG_OWNER"];
const forUsers: readonly Role[] = ["IAM_OWNER", "ORG_OWNER", "ORG_USER_MANAGER"];
const forProviders: readonly Role[] = ["IAM_OWNER", "ORG_OWNER", "ORG_SETTINGS_MANAGER"];
const forApps: readonly Role[] = ["IAM_OWNER", "ORG_OWNER", "PROJECT_OWNER"];

const member = ["user.membership.granted"];
const added = "project.application.added";
const oidc = [added, "project.application.config.oidc.added"];
const api = [added, "project.application.config.api.added"];
const saml = [added, "project.application.config.saml.added"];
const human = ["user.human.added", "user.human.initialization.code.added"];
const phone = ["user.human.phone.changed", "user.human.phone.code.added"];

/** Every method: permission, organization header, who passes, the ids in it, what is recorded. */
export const methods: { readonly [name: string]: Row } = {
  AddIAMMember: row("iam.member.write", false, owner, ["member"], member),
  AddOrg: row("org.create", false, owner, [], ["org.added"]),
  AddOrgMember: row("org.member.write", true, owners, ["member"], member),
  AddProject: row("project.create", true, owners, [], ["project.added"]),
  AddProjectMember: row("project.member.write", true, owners, ["project", "member"], member),
  AddOIDCApp: row("project.app.write", true, forApps, ["project"], oidc),
  AddAPIApp: row("project.app.write", true, forApps, ["project"], api),
  AddMachineUser: row("user.write", true, forUsers, [], ["user.machine.added"]),
  AddPersonalAccessToken: row("user.write", true, forUsers, ["user"], ["user.token.added"]),
  RemovePersonalAccessToken: row(
    "user.write",
    true,
    forUsers,
    ["user", "token"],
    ["user.token.removed"],
  ),
  AddJWTIDP: row("iam.idp.write", false, owner, [], ["idp.config.added", "idp.jwt.config.added"]),
  AddOrgOIDCIDP: row(
    "org.idp.write",
    true,
    forProviders,
    [],
    ["idp.config.added", "idp.oidc.config.added"],
  ),
  UpdateIDPOIDCConfig: anywhere(
    "iam.idp.write org.idp.write",
    forProviders,
    ["idp"],
    ["idp.oidc.config.changed"],
  ),
  ImportHumanUser: row("user.write", true, forUsers, [], human),
  CreateAction: row("org.action.write", true, owners, [], ["action.added"]),
  AddSAMLApp: row("project.app.write", true, forApps, ["project"], saml),
  SetPhone: anywhere("authenticated", forUsers, ["person"], phone),
  ResendPhoneCode: anywhere("authenticated", forUsers, ["person"], ["user.human.phone.code.added"]),
  VerifyPhone: anywhere("authenticated", forUsers, ["person"], ["user.human.phone.verified"]),
  RemovePhone: anywhere("authenticated", forUsers, ["person"], ["user.human.phone.removed"]),
};

/** A method without organization header, about an object that says itself where it lies. */
function anywhere(
  permission: string,
  roles: readonly Role[],
  objects: readonly ObjectKind[],
  events: readonly string[],
): Row {
  return { ...row(permission, false, roles, objects, events), anywhere: true };
}

function row(
  permission: string,
  header: boolean,
  roles: readonly Role[],
  objects: readonly ObjectKind[],
  events: readonly string[],
): Row {
  return { permission, header, roles, objects, events };
}

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

const denied = "7 PERMISSION_DENIED";
const noProject = "5 PROJECT_NOT_FOUND";
const noUser = "5 USER_NOT_FOUND";
const noToken = "5 TOKEN_NOT_FOUND";
const noIDP = "5 IDP_NOT_FOUND";

/** The projects that are there, and what each is to a call that acts on one organization. */
const projectsIn = {
  own: { "own-1": "OK", "own-2": "OK", "foreign-1": noProject, unknown: noProject },
  foreign: { "own-1": noProject, "own-2": noProject, "foreign-1": "OK", unknown: noProject },
} as const;

/** What each project is to a PROJECT_OWNER, by the project on which the role is held. */
const projectsOf = {
  "own-1": { "own-1": "OK", "own-2": denied, "foreign-1": denied, unknown: denied },
  "own-2": { "own-1": denied, "own-2": "OK", "foreign-1": denied, unknown: denied },
  "foreign-1": { "own-1": denied, "own-2": denied, "foreign-1": "OK", unknown: denied },
} as const;

/** The users whose tokens a call may touch that acts on one organization. */
const usersIn = {
  own: { own: "OK", foreign: noUser, unknown: noUser },
  foreign: { own: noUser, foreign: "OK", unknown: noUser },
} as const;

/**
 * The users who may be made members, by where the one who does it may grant roles; those whose
 * phone may be changed likewise.
 */
const membersFor = {
  instance: { own: "OK", foreign: "OK", unknown: noUser },
  own: { own: "OK", foreign: noUser, unknown: noUser },
  foreign: { own: noUser, foreign: "OK", unknown: noUser },
} as const;

/**
 * The providers that may be updated: those of an organization, and one that serves the instance,
 * which `own` owns and no role of an organization reaches. It is no OIDC provider.
 */
const idpsFor = {
  instance: { own: "OK", foreign: "OK", serving: "9 IDP_NOT_OIDC", unknown: noIDP },
  own: { own: "OK", foreign: noIDP, serving: noIDP, unknown: noIDP },
  foreign: { own: noIDP, foreign: "OK", serving: noIDP, unknown: noIDP },
} as const;

const tokensOf = { theirs: "OK", "of another": noToken, unknown: noToken } as const;

type Objects = { readonly [object: string]: string };

/** What the objects of one kind are to the caller in a call that the gate has let through. */
export function objectsOf(kind: ObjectKind, place: Place, target: "own" | "foreign"): Objects {
  switch (kind) {
    case "project":
      return place in projectsOf
        ? projectsOf[place as keyof typeof projectsOf]
        : projectsIn[target];
    case "user":
      return usersIn[target];
    case "idp":
      return idpsFor[place as keyof typeof idpsFor];
    case "member":
    case "person":
      return membersFor[place as keyof typeof membersFor];
    case "token":
      return tokensOf;
  }
}

/** The organizations into which a role reaches, by where it is held. */
const reach: { readonly [place in Place]: readonly string[] } = {
  instance: ["own", "foreign"],
  own: ["own"],
  foreign: ["foreign"],
  "own-1": ["own"],
  "own-2": ["own"],
  "foreign-1": ["foreign"],
  nowhere: [],
};

/**
 * What becomes of a call without a look at the object: the organization that it acts on, or the
 * refusal.
 */
export function atGate(
  { header, roles, anywhere }: Row,
  [role, place]: (typeof holders)[number],
  sent: HeaderKind,
): string {
  const target = header ? headers[sent] : "own";
  if (target === headers.twice) return target;
  const isHeld = role !== "no role" && roles.includes(role);
  const passes = isHeld && (anywhere === true || reach[place].includes(target));
  return passes ? target : denied;
}
