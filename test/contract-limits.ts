import type { JsonValue } from "@bufbuild/protobuf";

/** One rule with the value at its limit and the value one past it; null is an absent field. */
type Boundary = { at: string; rule: string; good: JsonValue; bad: JsonValue };
export type Limit = { sample: JsonValue; boundaries: Boundary[] };

// Four bytes and two UTF-16 units, but one character.
const character = "\u{1f600}";

function text(min: number, max: number): Limit {
  const of = (length: number) => character.repeat(length);
  const longest = { at: "", rule: "string.max_len", good: of(max), bad: of(max + 1) };
  if (min === 0) return { sample: "", boundaries: [longest] };
  const shortest = { at: "", rule: "string.min_len", good: of(min), bad: of(min - 1) };
  return { sample: of(min), boundaries: [shortest, longest] };
}

function defined(highest: number): Limit {
  const rule = { at: "", rule: "enum.defined_only", good: highest, bad: highest + 1 };
  return { sample: 0, boundaries: [rule] };
}

function list(min: number, max: number, { sample, boundaries }: Limit): Limit {
  const of = (length: number) => Array.from({ length }, () => sample);
  const entries = boundaries.map(({ rule, good, bad }) => {
    return { at: "[1]", rule, good: [sample, good], bad: [sample, bad] };
  });
  const longest = { at: "", rule: "repeated.max_items", good: of(max), bad: of(max + 1) };
  if (min === 0) return { sample: [], boundaries: [longest, ...entries] };
  const shortest = { at: "", rule: "repeated.min_items", good: of(min), bad: of(min - 1) };
  return { sample: of(min), boundaries: [shortest, longest, ...entries] };
}

function atMost(rule: string, max: JsonValue, more: JsonValue): Limit {
  return { sample: 0, boundaries: [{ at: "", rule, good: max, bad: more }] };
}

/** A list of messages, whose own rules have their rows. */
function messages(min: number, max: number, sample: JsonValue): Limit {
  return list(min, max, { sample, boundaries: [] });
}

/** A field that must be there, with the rules of what is in it. */
function required(sample: JsonValue): Limit {
  return { sample, boundaries: [{ at: "", rule: "required", good: sample, bad: null }] };
}

const empty = { at: "", rule: "user_id.empty", good: "", bad: "1" };
const name = text(1, 200);
const id = text(1, 200);
const roles = list(1, 20, text(1, 200));
const uris = list(0, 100, text(0, 2048));
const scopes = list(0, 100, text(1, 200));
const ids = list(1, 100, text(1, 200));
const link = { user_id: id, code_id: id, code: id };
const inApp = { project_id: id, app_id: id };
const textMethod = defined(7);
const nameQuery = { name, method: textMethod };
const position = atMost("uint64.lte", "9007199254740991", "9007199254740992");
const pageLimit = atMost("uint32.lte", 1000, 1001);
const byName = { nameQuery: { name: "a" } };
const byAction = { actionStateQuery: {} };
const byIdpName = { idpNameQuery: { name: "a" } };
const byType = { typeQuery: {} };
export const profile = { firstName: "a", lastName: "b" };
// Shorter is refused, but empty means that there is no password.
const password: Limit = { ...text(8, 256), sample: "" };
/**
 * The rules of each request and of what is in it: by message and field. Messages are named without
 * their package where no two are called the same.
 */
export const limits: Record<string, Record<string, Limit>> = {
  AddIAMMemberRequest: { user_id: id, roles },
  AddOrgRequest: { name },
  AddOrgMemberRequest: { user_id: id, roles },
  AddProjectRequest: { name, private_labeling_setting: defined(2) },
  AddProjectMemberRequest: { project_id: id, user_id: id, roles },
  AddOIDCAppRequest: {
    project_id: id,
    name,
    redirect_uris: uris,
    response_types: list(0, 100, defined(2)),
    grant_types: list(0, 100, defined(3)),
    app_type: defined(2),
    auth_method_type: defined(3),
    post_logout_redirect_uris: uris,
    version: defined(0),
    access_token_type: defined(1),
    additional_origins: uris,
  },
  AddAPIAppRequest: { project_id: id, name, auth_method_type: defined(1) },
  AddMachineUserRequest: {
    user_name: name,
    name,
    description: text(0, 500),
    access_token_type: defined(1),
    user_id: { sample: "", boundaries: [empty] },
  },
  AddPersonalAccessTokenRequest: { user_id: id },
  RemovePersonalAccessTokenRequest: { user_id: id, token_id: id },
  AddJWTIDPRequest: {
    name,
    styling_type: defined(1),
    jwt_endpoint: text(1, 200),
    issuer: text(1, 200),
    keys_endpoint: text(1, 200),
    header_name: text(1, 200),
  },
  AddOrgOIDCIDPRequest: {
    name,
    styling_type: defined(1),
    client_id: text(1, 200),
    client_secret: text(1, 200),
    issuer: text(1, 200),
    scopes,
    display_name_mapping: defined(2),
    username_mapping: defined(2),
  },
  UpdateIDPOIDCConfigRequest: {
    idp_id: id,
    issuer: text(1, 200),
    client_id: text(1, 200),
    client_secret: text(0, 200),
    scopes,
    display_name_mapping: defined(2),
    username_mapping: defined(2),
  },
  CreateActionRequest: { name, script: text(1, 2000) },
  // The oneof has the rule; one of its fields stands for it here.
  AddSAMLAppRequest: { project_id: id, name, metadata_url: required("") },
  ImportHumanUserRequest: {
    user_name: name,
    profile: required(profile),
    email: required({ email: "a" }),
    password,
    otp_code: text(0, 256),
    idps: list(0, 100, { sample: { configId: "a", externalUserId: "b" }, boundaries: [] }),
  },
  "ImportHumanUserRequest.Profile": {
    first_name: name,
    last_name: name,
    nick_name: text(0, 200),
    display_name: text(0, 200),
    preferred_language: text(0, 10),
    gender: defined(3),
  },
  "ImportHumanUserRequest.Email": { email: text(1, 254) },
  "ImportHumanUserRequest.Phone": { phone: text(1, 50) },
  "ImportHumanUserRequest.HashedPassword": { value: text(1, 512) },
  "ImportHumanUserRequest.IDP": { config_id: id, external_user_id: id, display_name: text(0, 200) },
  SetPhoneRequest: { user_id: id, phone: text(1, 50) },
  ResendPhoneCodeRequest: { user_id: id },
  VerifyPhoneRequest: { user_id: id, verification_code: text(1, 20) },
  RemovePhoneRequest: { user_id: id },
  CheckInitializationRequest: { user_id: id, code: id },
  InitializeRequest: { user_id: id, code: id, password },
  BeginPasskeyRequest: link,
  FinishPasskeyRequest: { ...link, credential: required({}), name: text(0, 200) },
  "iam.account.v1.VerifyPhoneRequest": { user_id: id, code: id },

  RemoveIAMMemberRequest: { user_id: id },
  RemoveOrgMemberRequest: { user_id: id },
  RemoveProjectMemberRequest: { project_id: id, user_id: id },
  RemoveIDPRequest: { idp_id: id },
  RemoveOrgIDPRequest: { idp_id: id },
  DeactivateActionRequest: { id },
  ReactivateActionRequest: { id },
  DeleteActionRequest: { id },
  DeactivateAppRequest: inApp,
  ReactivateAppRequest: inApp,
  RemoveAppRequest: inApp,
  RegenerateOIDCClientSecretRequest: inApp,
  RegenerateAPIClientSecretRequest: inApp,
  DeactivateProjectRequest: { id },
  ReactivateProjectRequest: { id },
  RemoveProjectRequest: { id },
  DeactivateUserRequest: { id },
  ReactivateUserRequest: { id },
  RemoveUserRequest: { id },

  GetActionRequest: { id },
  GetAppByIDRequest: inApp,
  GetIDPByIDRequest: { id },
  GetOrgIDPByIDRequest: { id },
  GetProjectByIDRequest: { id },
  GetUserByIDRequest: { id },

  ListQuery: { offset: position, limit: pageLimit },
  ListActionsRequest: { sorting_column: defined(3), queries: messages(0, 100, byAction) },
  ActionQuery: { action_state_query: required({}) },
  ActionIDQuery: { id },
  ActionNameQuery: nameQuery,
  ActionStateQuery: { state: defined(2) },
  ListAppsRequest: { project_id: id, queries: messages(0, 100, byName) },
  AppQuery: { name_query: required({ name: "a" }) },
  AppNameQuery: nameQuery,
  ListIDPsRequest: { sorting_column: defined(1), queries: messages(0, 100, byIdpName) },
  ListOrgIDPsRequest: { sorting_column: defined(1), queries: messages(0, 100, byIdpName) },
  IDPQuery: { idp_name_query: required({ name: "a" }) },
  IDPIDQuery: { id },
  IDPNameQuery: nameQuery,
  IDPOwnerTypeQuery: { owner_type: defined(2) },
  ListOrgsRequest: { sorting_column: defined(1), queries: messages(0, 100, byName) },
  OrgQuery: { name_query: required({ name: "a" }) },
  OrgIDQuery: { id },
  OrgNameQuery: nameQuery,
  OrgDomainQuery: { domain: text(0, 200), method: textMethod },
  OrgStateQuery: { state: defined(3) },
  ListProjectsRequest: { queries: messages(0, 100, byName) },
  ProjectQuery: { name_query: required({ name: "a" }) },
  ProjectNameQuery: nameQuery,
  ProjectResourceOwnerQuery: { resource_owner: id },

  ListUsersRequest: { sorting_column: defined(9), queries: messages(0, 100, byType) },
  SearchQuery: { type_query: required({}) },
  UserNameQuery: { user_name: text(0, 200), method: textMethod },
  FirstNameQuery: { first_name: text(0, 200), method: textMethod },
  LastNameQuery: { last_name: text(0, 200), method: textMethod },
  NickNameQuery: { nick_name: text(0, 200), method: textMethod },
  DisplayNameQuery: { display_name: text(0, 200), method: textMethod },
  EmailQuery: { email_address: text(0, 200), method: textMethod },
  LoginNameQuery: { login_name: text(0, 200), method: textMethod },
  StateQuery: { state: defined(6) },
  TypeQuery: { type: defined(2) },
  InUserIDQuery: { user_ids: ids },
  InUserEmailsQuery: { user_emails: ids },
  OrQuery: { queries: messages(1, 100, byType) },
  AndQuery: { queries: messages(1, 100, byType) },
  NotQuery: { query: required(byType) },

  ListEventsRequest: {
    sequence: position,
    limit: pageLimit,
    editor_user_id: text(0, 200),
    event_types: scopes,
    aggregate_id: text(0, 200),
    aggregate_types: scopes,
    resource_owner: text(0, 200),
  },
  WatchEventsRequest: {
    sequence: position,
    resource_owner: text(0, 200),
    event_types: scopes,
    aggregate_types: scopes,
    aggregate_id: text(0, 200),
  },
};
