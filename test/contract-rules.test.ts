// Proves that the engine enforces each field rule of proto/, at its limit and one past it. A rule
// with a wrong number would silently do nothing, so the numbers are compared with the engine's too.

import {
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescOneof,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
} from "@bufbuild/protobuf";
import { nestedTypes, pathToString, reflect } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { file_buf_validate_validate as engineFile } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, test } from "@jest/globals";
import {
  type FieldRules,
  FieldRulesSchema,
  oneof as oneofOption,
  file_buf_validate_validate as ourFile,
  field as rulesOption,
} from "../gen/buf/validate/validate_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../gen/iam/user/v2/user_service_pb.js";

const services = [AdminService, ManagementService, UserService];

/** A message with the messages of ours in its fields, and in theirs. */
function withInner(message: DescMessage): DescMessage[] {
  const inner = message.fields.flatMap(({ message: field }) => field ?? []);
  const ours = inner.filter(({ file }) => file.name.startsWith("iam/"));
  return [message, ...ours.flatMap(withInner)];
}
const messages = [
  ...new Set(services.flatMap(({ methods }) => methods.flatMap(({ input }) => withInner(input)))),
];

/** The name of a message without its package, which is lower case. */
function shortName({ typeName }: DescMessage): string {
  return typeName.replace(/^(?:[a-z0-9]+\.)+/, "");
}

/** One rule with the value at its limit and the value one past it; null is an absent field. */
type Boundary = { at: string; rule: string; good: JsonValue; bad: JsonValue };
type Limit = { sample: JsonValue; boundaries: Boundary[] };

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
const profile = { firstName: "a", lastName: "b" };
// Shorter is refused, but empty means that there is no password.
const password: Limit = { ...text(8, 256), sample: "" };
const table: Record<string, Record<string, Limit>> = {
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
};

const validator = createValidator();

/** What the engine finds wrong, as "field rule". */
function violations(message: DescMessage, value: JsonObject): string[] {
  const result = validator.validate(message, fromJson(message, value));
  if (result.kind === "error") throw result.error;
  const found = result.violations ?? [];
  return found.map((violation) => `${pathToString(violation.field)} ${violation.ruleId}`);
}

const rows = messages.flatMap((message) => {
  const limits = Object.entries(table[shortName(message)] ?? {});
  const sample = Object.fromEntries(limits.map(([field, limit]) => [field, limit.sample]));
  return limits.flatMap(([field, { boundaries }]) =>
    boundaries.map(({ at, rule, good, bad }) => {
      const oneof = message.fields.find(({ name }) => name === field)?.oneof;
      const owner = oneof?.name ?? field;
      const label = `${shortName(message)}.${owner}${at} ${rule}`;
      return { label, message, sample, field, found: `${owner}${at} ${rule}`, good, bad };
    }),
  );
});

test.each(rows)("$label is enforced", ({ message, sample, field, found, good, bad }) => {
  expect(violations(message, { ...sample, [field]: good })).toEqual([]);
  expect(violations(message, { ...sample, [field]: bad })).toEqual([found]);
});

/** The rules that a field declares, as in the labels of the rows. */
function declared(rules: FieldRules, label: string): string[] {
  const own = reflect(FieldRulesSchema, rules);
  const cel = rules.cel.map((rule) => `${label} ${rule.id}`);
  const items = rules.type.case === "repeated" ? rules.type.value.items : undefined;
  const named = own.fields.flatMap((type) => {
    if (!own.isSet(type) || type.fieldKind !== "message") return [];
    const limits = own.get(type);
    const set = limits.fields.filter((limit) => limits.isSet(limit) && limit.name !== "items");
    return set.map((limit) => `${label} ${type.name}.${limit.name}`);
  });
  return [
    ...cel,
    ...(rules.required ? [`${label} required`] : []),
    ...named,
    ...(items === undefined ? [] : declared(items, `${label}[1]`)),
  ];
}

function declaredByOneof(oneof: DescOneof, label: string): string[] {
  return getOption(oneof, oneofOption).required ? [`${label} required`] : [];
}

test("every declared rule has its rows", () => {
  const rules = messages.flatMap((message) => [
    ...message.fields.flatMap((field) =>
      declared(getOption(field, rulesOption), `${shortName(message)}.${field.name}`),
    ),
    ...message.oneofs.flatMap((oneof) =>
      declaredByOneof(oneof, `${shortName(message)}.${oneof.name}`),
    ),
  ]);
  expect(rules.sort()).toEqual(rows.map((row) => row.label).sort());
});

test("rules are skipped only where an empty password means none", () => {
  const skipped = messages.flatMap((message) =>
    message.fields
      .filter((field) => getOption(field, rulesOption).ignore !== 0)
      .map((field) => `${shortName(message)}.${field.name}`),
  );
  expect(skipped).toEqual(["ImportHumanUserRequest.password"]);
});

test("the rules of messages in messages are found at their place", () => {
  const found = violations(ManagementService.method.importHumanUser.input, {
    userName: "a",
    profile: { ...profile, lastName: "", gender: 4 },
    email: {},
    phone: {},
    hashedPassword: {},
    idps: [{ configId: "a", externalUserId: "b" }, { configId: "a" }],
  });
  expect(found).toEqual([
    "profile.last_name string.min_len",
    "profile.gender enum.defined_only",
    "email.email string.min_len",
    "phone.phone string.min_len",
    "hashed_password.value string.min_len",
    "idps[1].external_user_id string.min_len",
  ]);
});

test("a chosen user id is refused with a sentence that says why", () => {
  const schema = ManagementService.method.addMachineUser.input;
  const value = fromJson(schema, { userName: "a", name: "a", userId: "1" });
  const texts = validator.validate(schema, value).violations?.map(({ message }) => message);
  expect(texts).toEqual(["ids are never chosen by clients: leave user_id empty"]);
});

test("the rules are declared with the numbers that the engine reads", () => {
  const fieldShape = ({ proto, presence, oneof }: DescField | DescExtension): string =>
    `${proto.number} ${proto.label} ${proto.type} ${proto.typeName} ${presence} ${oneof?.name}`;

  /** The numbers and types of what a type declares, by name. */
  function shape(type: DescMessage | DescEnum | DescExtension): Record<string, string> {
    if (type.kind === "extension") return { [type.extendee.typeName]: fieldShape(type) };
    if (type.kind === "enum") {
      return Object.fromEntries(type.values.map((value) => [value.name, `${value.number}`]));
    }
    return Object.fromEntries(type.fields.map((field) => [field.name, fieldShape(field)]));
  }

  const shapes = (file: DescFile) =>
    [...nestedTypes(file)]
      .filter((type) => type.kind !== "service")
      .map((type) => [type.typeName, shape(type)] as const);
  const engine = new Map(shapes(engineFile));
  const ours = shapes(ourFile);
  expect(ours.map(([type]) => type)).toContain("buf.validate.field");
  for (const [type, found] of ours) expect([type, engine.get(type)]).toMatchObject([type, found]);
});
