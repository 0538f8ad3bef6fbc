import type { Role } from "../../src/domain/permission.ts";
import type { ObjectKind } from "./objects.ts";

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
  /** Whose objects the answer shows: where nothing is said, those of the owner of the object. */
  readonly shows?: Shown;
}

/**
 * Those of the organization of the call, of it and of whoever has providers that serve everybody,
 * of all organizations, or of none.
 */
export type Shown = "target" | "served" | "all" | "nothing";

const owner: readonly Role[] = ["IAM_OWNER"];
const owners: readonly Role[] = ["IAM_OWNER", "ORG_OWNER"];
const forUsers: readonly Role[] = ["IAM_OWNER", "ORG_OWNER", "ORG_USER_MANAGER"];
const forProviders: readonly Role[] = ["IAM_OWNER", "ORG_OWNER", "ORG_SETTINGS_MANAGER"];
const forApps: readonly Role[] = ["IAM_OWNER", "ORG_OWNER", "PROJECT_OWNER"];
const ofInstance: readonly Role[] = ["IAM_OWNER", "IAM_OWNER_VIEWER"];
const readers: readonly Role[] = [...ofInstance, "ORG_OWNER", "ORG_OWNER_VIEWER"];
const watchers: readonly Role[] = [...ofInstance, "ORG_OWNER"];

const member = ["user.membership.granted"];
const left = ["user.membership.removed"];
const added = "project.application.added";
const oidc = [added, "project.application.config.oidc.added"];
const api = [added, "project.application.config.api.added"];
const saml = [added, "project.application.config.saml.added"];
const human = ["user.human.added", "user.human.initialization.code.added"];
const phone = ["user.human.phone.changed", "user.human.phone.code.added"];

/** Every method: permission, organization header, who passes, the ids in it, what is recorded. */
export const methods: { readonly [name: string]: Row } = {
  AddIAMMember: row("iam.member.write", false, owner, ["member"], member),
  AddOrg: silent(row("org.create", false, owner, [], ["org.added"])),
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
  RemoveIAMMember: row("iam.member.delete", false, owner, ["joined"], left),
  RemoveOrgMember: row("org.member.delete", true, owners, ["joined"], left),
  RemoveProjectMember: row(
    "project.member.delete",
    true,
    owners,
    ["joinedProject", "joined"],
    left,
  ),
  GetProjectByID: read("project.read", readers, ["project"]),
  ListProjects: list("project.read", readers),
  DeactivateProject: row("project.write", true, owners, ["project"], ["project.deactivated"]),
  ReactivateProject: row("project.write", true, owners, ["project"], ["project.reactivated"]),
  RemoveProject: row("project.delete", true, owners, ["project"], ["project.removed"]),
  GetAppByID: read("project.app.read", [...readers, "PROJECT_OWNER"], ["project", "app"]),
  ListApps: read("project.app.read", [...readers, "PROJECT_OWNER"], ["project"]),
  DeactivateApp: onApp("write", "deactivated"),
  ReactivateApp: onApp("write", "reactivated"),
  RemoveApp: onApp("delete", "removed"),
  RegenerateOIDCClientSecret: onApp("write", "config.oidc.secret.changed"),
  RegenerateAPIClientSecret: onApp("write", "config.api.secret.changed"),
  GetUserByID: read("user.read", [...readers, "ORG_USER_MANAGER"], ["user"]),
  ListUsers: list("user.read", [...readers, "ORG_USER_MANAGER"]),
  DeactivateUser: row("user.write", true, forUsers, ["user"], ["user.deactivated"]),
  ReactivateUser: row("user.write", true, forUsers, ["user"], ["user.reactivated"]),
  RemoveUser: row("user.delete", true, forUsers, ["user"], ["user.removed"]),
  GetOrgIDPByID: read("org.idp.read", [...readers, "ORG_SETTINGS_MANAGER"], ["usableIDP"]),
  ListOrgIDPs: list("org.idp.read", [...readers, "ORG_SETTINGS_MANAGER"], "served"),
  RemoveOrgIDP: silent(row("org.idp.write", true, forProviders, ["ownIDP"], ["idp.removed"])),
  RemoveIDP: row("iam.idp.write", false, owner, ["anyIDP"], ["idp.removed"]),
  GetIDPByID: row("iam.idp.read", false, ofInstance, ["anyIDP"], []),
  ListIDPs: { ...row("iam.idp.read", false, ofInstance, [], []), shows: "all" },
  ListOrgs: { ...row("iam.read", false, ofInstance, [], []), shows: "all" },
  ListEvents: { ...row("events.read", false, ofInstance, [], []), shows: "all" },
  GetAction: read("org.action.read", readers, ["action"]),
  ListActions: list("org.action.read", readers),
  DeactivateAction: row("org.action.write", true, owners, ["action"], ["action.deactivated"]),
  ReactivateAction: row("org.action.write", true, owners, ["action"], ["action.reactivated"]),
  DeleteAction: silent(row("org.action.delete", true, owners, ["action"], ["action.removed"])),
  WatchEvents: silent(anywhere("events.read org.event.watch", watchers, ["watched"], [])),
};

/** A method that reads one object, or what lies within it. */
function read(permission: string, roles: readonly Role[], objects: readonly ObjectKind[]): Row {
  return row(permission, true, roles, objects, []);
}

/** A method that reads what an organization has. */
function list(permission: string, roles: readonly Role[], shows: Shown = "target"): Row {
  return { ...row(permission, true, roles, [], []), shows };
}

/** A method whose answer says of no organization of the table that something is there. */
function silent(method: Row): Row {
  return { ...method, shows: "nothing" };
}

/** A method that changes an application. */
function onApp(right: "write" | "delete", event: string): Row {
  const events = [`project.application.${event}`];
  return row(`project.app.${right}`, true, forApps, ["project", "app"], events);
}

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
