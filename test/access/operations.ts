import { v7 } from "uuid";
import type { Role } from "../../src/domain/permission.ts";
import { entity } from "../saml/document.ts";
import {
  aLockedPerson,
  anAction,
  anAPIApp,
  anAppWithKey,
  anInactiveAction,
  anInactiveApp,
  anInactiveOrg,
  anInactiveProject,
  anInactiveUser,
  anInvitedPerson,
  anOIDCApp,
  anOrg,
  aPerson,
  aPersonWithAll,
  aProject,
  aSAMLApp,
  aUser,
  aUserWithKey,
  aUserWithMetadata,
  aUserWithSecret,
  type Given,
  oidcRedirectUri,
  type RequestIds,
  toActive,
} from "./given.ts";
import { aFlow } from "./given-flows.ts";
import { groupOperations } from "./group-operations.ts";
import { aLinkedPerson } from "./linked.ts";
import { memberOperations } from "./member-operations.ts";
import { anywhere, inOrg, type Operation, ofAll, shows } from "./operation.ts";
import { policyOperations } from "./policy-operations.ts";
import { providerOperations } from "./provider-operations.ts";
import { roleOperations } from "./role-operations.ts";
import { phoneCode } from "./world.ts";

/**
 * Who may call what, with what, and what comes of it, written out by hand. Nothing here is taken
 * from the code that decides it.
 */

const owner: readonly Role[] = ["IAM_OWNER"];
const owners: readonly Role[] = ["IAM_OWNER", "ORG_OWNER"];
const forUsers: readonly Role[] = [...owners, "ORG_USER_MANAGER"];
const forApps: readonly Role[] = [...owners, "PROJECT_OWNER"];
const ofInstance: readonly Role[] = ["IAM_OWNER", "IAM_OWNER_VIEWER"];
const readers: readonly Role[] = [...ofInstance, "ORG_OWNER", "ORG_OWNER_VIEWER"];
const editor = "ORG_USER_PERMISSION_EDITOR";
const grantReaders: readonly Role[] = [...readers, editor];
const userReaders: readonly Role[] = [...grantReaders, "ORG_USER_MANAGER"];
const appReaders: readonly Role[] = [...readers, "PROJECT_OWNER"];
const watchers: readonly Role[] = [...ofInstance, "ORG_OWNER"];

const app = (...events: readonly string[]) => events.map((event) => `project.application.${event}`);
const phone = (...events: readonly string[]) => events.map((event) => `user.human.phone.${event}`);
const mailed = "user.human.email.code.added";
const told = "user.human.notice.added";
const person = ["user.human.added", "user.human.initialization.code.added"];

const ada = { profile: { firstName: "Ada", lastName: "Lovelace" }, email: { email: "a@b.com" } };
/** Lists are asked for their oldest entries, which are there from the start. */
const oldest = { query: { asc: true, limit: 5 } };
const page = () => oldest;
const none = () => ({});

const flowOne = () => ({ type: "1" });

const named =
  (more: object = {}) =>
  () => ({ name: v7(), ...more });
const id = (kind: keyof RequestIds) => (ids: RequestIds) => ({ id: ids[kind] });
const keyed =
  (more: object = {}) =>
  (ids: RequestIds) => ({ id: ids.user, key: "plan", ...more });
const inApp = ({ project, app: appId }: RequestIds) => ({ projectId: project, appId });
const inKey = (ids: RequestIds) => ({ ...inApp(ids), keyId: ids.key });
const user =
  (more: object = {}) =>
  (ids: RequestIds) => ({ userId: ids.user, ...more });
const onProject = (request: (ids: RequestIds) => object) => (ids: RequestIds) => ({
  projectId: ids.project,
  ...request(ids),
});

/** Every operation: permission, who passes, the ids in it, the request, what it leaves, on what. */
// biome-ignore format: a table
export const operations: { readonly [name: string]: Operation } = {
  ListOrgs: shows("all", ofAll("iam.read", ofInstance, [], page)),
  ListEvents: shows("all", ofAll("events.read", ofInstance, [], () => ({ asc: true }))),
  WatchEvents: shows("nothing", anywhere("events.read org.event.watch", watchers, ["watched"],
    ({ organization }) => ({ resourceOwner: organization }))),

  AddOrg: shows("nothing", ofAll("org.create", owner, [], named(), ["org.added"])),

  GetMyOrg: inOrg("org.read", readers, [], none),
  UpdateOrg: inOrg("org.write", owners, [], named(), ["org.changed"]),
  // In each organization is somebody who holds more than its owners.
  DeactivateOrg: { ...inOrg("org.write", owners, [], none, ["org.deactivated"]),
    passing: (role) => (role === "ORG_OWNER" ? "7 ESCALATION_DENIED" : "OK"),
    undo: toActive },
  // Nobody calls from an inactive organization.
  ReactivateOrg: { ...inOrg("org.write", owners, [], none, ["org.reactivated"], anInactiveOrg),
    passing: (_role, to) => (to === "own" ? "9 NOTHING_CHANGED" : "OK") },

  // Each call that is accepted removes an organization of its own.
  RemoveOrg: { ...shows("nothing", inOrg("org.delete", owners, [], none, ["org.removed"], anOrg)),
    passing: (role) => (role === "ORG_OWNER" ? "7 ESCALATION_DENIED" : "OK") },

  ...memberOperations,

  AddProject: inOrg("project.create", owners, [], named(), ["project.added"]),
  GetProjectByID: inOrg("project.read", grantReaders, ["project"], id("project")),
  ListProjects: shows("target", inOrg("project.read", grantReaders, [], page)),
  UpdateProject: inOrg("project.write", owners, ["project"],
    ({ project }) => ({ id: project, name: v7() }), ["project.changed"], aProject),
  DeactivateProject: inOrg("project.write", owners, ["project"],
    id("project"), ["project.deactivated"], aProject),
  ReactivateProject: inOrg("project.write", owners, ["project"],
    id("project"), ["project.reactivated"], anInactiveProject),
  RemoveProject: inOrg("project.delete", owners, ["project"],
    id("project"), ["project.removed"], aProject),

  ...roleOperations,
  ...groupOperations,

  AddOIDCApp: inOrg("project.app.write", forApps, ["project"],
    onProject(named()), app("added", "config.oidc.added")),
  AddAPIApp: inOrg("project.app.write", forApps, ["project"],
    onProject(named()), app("added", "config.api.added")),
  AddSAMLApp: inOrg("project.app.write", forApps, ["project"],
    onProject(() => named(saml())()), app("added", "config.saml.added")),
  GetAppByID: inOrg("project.app.read", appReaders, ["project", "app"], inApp),
  ListApps: inOrg("project.app.read", appReaders, ["project"], onProject(page)),
  UpdateApp: onApp("write", app("changed"), anOIDCApp, named()),
  UpdateOIDCAppConfig: onApp("write", app("config.oidc.changed"), anOIDCApp, () => ({
    devMode: true,
  })),
  UpdateAPIAppConfig: onApp("write", app("config.api.changed"), anAPIApp, () => ({
    authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT",
  })),
  UpdateSAMLAppConfig: onApp("write", app("config.saml.changed"), aSAMLApp, saml),
  AddRedirectURI: onApp("write", app("config.oidc.changed"), anOIDCApp,
    () => ({ uri: "https://idp.example.com" })),
  RemoveRedirectURI: onApp("write", app("config.oidc.changed"), anOIDCApp, () => ({
    uri: oidcRedirectUri,
  })),
  DeactivateApp: onApp("write", app("deactivated"), anOIDCApp),
  ReactivateApp: onApp("write", app("reactivated"), anInactiveApp),
  RemoveApp: onApp("delete", app("removed"), anOIDCApp),
  RegenerateOIDCClientSecret: onApp("write", app("config.oidc.secret.changed"), anOIDCApp),
  RegenerateAPIClientSecret: onApp("write", app("config.api.secret.changed"), anAPIApp),

  AddAppKey: onApp("write", app("key.added"), anAppWithKey),
  GetAppKey: inOrg("project.app.read", appReaders, ["project", "app", "key"], inKey),
  ListAppKeys: inOrg("project.app.read", appReaders, ["project", "app"], inApp),
  RemoveAppKey: inOrg("project.app.write", forApps, ["project", "app", "key"],
    inKey, app("key.removed"), anAppWithKey),

  AddMachineUser: inOrg("user.write", forUsers, [],
    () => ({ userName: v7(), name: "a" }), ["user.machine.added"]),
  ImportHumanUser: inOrg("user.write", forUsers, [], () => ({ userName: v7(), ...ada }), person),
  GetUserByID: inOrg("user.read", userReaders, ["user"], id("user")),
  ListUsers: shows("target", inOrg("user.read", userReaders, [], page)),
  DeactivateUser: inOrg("user.write", forUsers, ["user"], id("user"), ["user.deactivated"], aUser),
  ReactivateUser: inOrg("user.write", forUsers, ["user"],
    id("user"), ["user.reactivated"], anInactiveUser),
  UpdateHumanProfile: inOrg("user.write", forUsers, ["user"],
    user({ firstName: "Grace", lastName: "Hopper" }),
    ["user.human.profile.changed"], aLockedPerson),
  UpdateUserName: inOrg("user.write", forUsers, ["user"],
    (ids) => ({ ...user()(ids), userName: v7() }), ["user.name.changed"], aUser),
  UpdateMachine: inOrg("user.write", forUsers, ["user"],
    user({ name: "Robot" }), ["user.machine.changed"], aUser),
  LockUser: inOrg("user.write", forUsers, ["user"], id("user"), ["user.locked"], aUser),
  UnlockUser: inOrg("user.write", forUsers, ["user"],
    id("user"), ["user.human.unlocked"], aLockedPerson),
  SetUserMetadata: inOrg("user.write", forUsers, ["user"],
    keyed({ value: "c2lsdmVy" }), ["user.metadata.set"], aUser),
  ListUserMetadata: inOrg("user.read", userReaders, ["user"],
    (ids) => ({ id: ids.user, ...oldest }), [], aUserWithMetadata),
  RemoveUserMetadata: inOrg("user.write", forUsers, ["user"],
    keyed(), ["user.metadata.erased"], aUserWithMetadata),
  RemoveUser: inOrg("user.delete", forUsers, ["user"], id("user"), ["user.removed"], aUser),
  EraseUser: inOrg("user.erase", owners, ["user"], user({ reason: "asked" }),
    ["user.removed", "user.erased"], aUser),
  GetPersonalData: inOrg("user.erase", owners, ["user"], user(), [], aUser),
  GenerateMachineSecret: inOrg("user.write", forUsers, ["user"],
    user(), ["user.machine.secret.set"], aUser),
  RemoveMachineSecret: inOrg("user.write", forUsers, ["user"],
    user(), ["user.machine.secret.removed"], aUserWithSecret),
  AddMachineKey: inOrg("user.write", forUsers, ["user"],
    user(), ["user.machine.key.added"], aUser),
  ListMachineKeys: shows("nothing", inOrg("user.read", userReaders, ["user"], user())),
  RemoveMachineKey: inOrg("user.write", forUsers, ["user"],
    ({ user: userId, key: keyId = "none" }) => ({ userId, keyId }),
    ["user.machine.key.removed"], aUserWithKey),
  AddPersonalAccessToken: inOrg("user.write", forUsers, ["user"],
    user(), ["user.token.added"], aUser),
  RemovePersonalAccessToken: inOrg("user.write", forUsers, ["user", "token"],
    ({ user: userId, token: tokenId }) => ({ userId, tokenId }), ["user.token.removed"], aUser),

  ListPersonalAccessTokens: inOrg("user.read", userReaders, ["user"], user(oldest)),
  ListHumanPasswordless: shows("nothing", inOrg("user.read", userReaders, ["user"], user())),

  ListHumanLinkedIDPs: shows("nothing", inOrg("user.read", userReaders, ["user"], user(oldest))),
  RemoveHumanLinkedIDP: inOrg("user.write", forUsers, ["user"],
    ({ user: userId, token: id = "none" }) => ({ userId, idpId: id, linkedUserId: id }),
    ["user.human.externalidp.removed", told], aLinkedPerson),

  RemoveHumanPasswordless: inOrg("user.write", forUsers, ["user"],
    ({ user: userId, token: tokenId = "none" }) => ({ userId, tokenId }),
    ["user.human.passwordless.token.removed", told], aPersonWithAll),
  RemoveHumanAuthFactorOTP: inOrg("user.write", forUsers, ["user"],
    user(), ["user.human.otp.removed", told], aPersonWithAll),
  SetHumanPassword: inOrg("user.write", forUsers, ["user"],
    user({ password: "correct horse battery" }), ["user.human.password.set", told],
    aPersonWithAll),
  UpdateHumanPhone: inOrg("user.write", forUsers, ["user"],
    user({ phone: "+41446681801" }), [...phone("changed", "code.added"), told], aPersonWithAll),
  RemoveHumanPhone: inOrg("user.write", forUsers, ["user"],
    user(), [...phone("removed"), told], aPersonWithAll),
  UpdateHumanEmail: inOrg("user.write", forUsers, ["user"], user({ email: "grace@example.com" }),
    ["user.human.email.changed", "user.human.sessions.terminated", mailed, told],
    aPersonWithAll),
  ResendHumanEmailVerification: inOrg("user.write", forUsers, ["user"], user(), [mailed], aPerson),
  SendHumanResetPasswordNotification: inOrg("user.write", forUsers, ["user"],
    user(), ["user.human.password.code.added"], aPersonWithAll),

  ListUserSessions: shows("nothing", inOrg("user.session.read", forUsers, ["user"], user())),
  TerminateUserSession: inOrg("user.session.write", forUsers, ["user"],
    ({ user: userId, token: sessionId = "none" }) => ({ userId, sessionId }),
    ["user.human.session.terminated"], aPersonWithAll),
  TerminateAllUserSessions: inOrg("user.session.write", forUsers, ["user"],
    user(), ["user.human.sessions.terminated"], aPersonWithAll),

  ResendHumanInitialization: inOrg("user.write", forUsers, ["user"],
    user(), ["user.human.initialization.code.added"], anInvitedPerson),
  AddPasswordlessRegistration: inOrg("user.credential.write", forUsers, ["user"],
    user(), ["user.human.passwordless.initialization.code.added"], anInvitedPerson),
  SendPasswordlessRegistration: inOrg("user.write", forUsers, ["user"],
    user(), ["user.human.passwordless.link.added"], aPersonWithAll),

  SetPhone: onPerson(user({ phone: "+41446681801" }), phone("changed", "code.added")),
  ResendPhoneCode: onPerson(user(), phone("code.added")),
  VerifyPhone: onPerson(user({ verificationCode: phoneCode }), phone("verified")),
  RemovePhone: onPerson(user(), phone("removed")),

  ...policyOperations,
  ...providerOperations,

  CreateAction: inOrg("org.action.write", owners, [], named({ script: "1" }), ["action.added"]),
  TestAction: shows("nothing", inOrg("org.action.write", owners, ["user"], user({
    ...{ name: "greet", script: "1", flowType: "2", triggerType: "4" },
  }))),
  GetAction: inOrg("org.action.read", readers, ["action"], id("action")),
  ListActions: shows("target", inOrg("org.action.read", readers, [], page)),
  UpdateAction: inOrg("org.action.write", owners, ["action"], ({ action }) => ({
    ...{ id: action, name: v7(), script: "2" },
  }), ["action.changed"], anAction),
  SetTriggerActions: inOrg("org.flow.write", owners, ["action"], ({ action }) => ({
    ...{ flowType: "2", triggerType: "4", actionIds: [action] },
  }), ["flow.trigger.set"], anAction),
  GetFlow: inOrg("org.flow.read", readers, [], flowOne, [], aFlow),
  ClearFlow: inOrg("org.flow.delete", owners, [], flowOne, ["flow.cleared"], aFlow),
  ListFlowTypes: shows("nothing", inOrg("org.flow.read", readers, [], none)),
  ListFlowTriggerTypes: shows("nothing", inOrg("org.flow.read", readers, [], flowOne)),
  DeactivateAction: inOrg("org.action.write", owners, ["action"],
    id("action"), ["action.deactivated"], anAction),
  ReactivateAction: inOrg("org.action.write", owners, ["action"],
    id("action"), ["action.reactivated"], anInactiveAction),
  DeleteAction: shows("nothing", inOrg("org.action.delete", owners, ["action"],
    id("action"), ["action.removed"], anAction)),
};

/** An operation that changes an application. */
function onApp(
  right: "write" | "delete",
  events: readonly string[],
  given: Given,
  more: () => object = () => ({}),
): Operation {
  const request = (ids: RequestIds) => ({ ...inApp(ids), ...more() });
  return inOrg(`project.app.${right}`, forApps, ["project", "app"], request, events, given);
}

/** An operation on the phone of a person. */
function onPerson(request: (ids: RequestIds) => object, events: readonly string[]): Operation {
  return anywhere("authenticated user.write", forUsers, ["person"], request, events, aPerson);
}

function saml(): object {
  const document = entity({ attributes: `entityID="${v7()}"` });
  return { metadataXml: Buffer.from(document).toString("base64") };
}
