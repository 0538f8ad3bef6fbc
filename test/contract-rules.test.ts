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
import { AccountService } from "../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../gen/iam/user/v2/user_service_pb.js";
import { profile, limits as table } from "./contract-limits.ts";

const services = [AdminService, ManagementService, UserService, EventService, AccountService];

/** A message with the messages of ours in its fields, and in theirs; some contain themselves. */
function withInner(message: DescMessage, seen = new Set<DescMessage>()): Set<DescMessage> {
  if (seen.has(message) || !message.file.name.startsWith("iam/")) return seen;
  seen.add(message);
  for (const { message: inner } of message.fields) if (inner) withInner(inner, seen);
  return seen;
}
const inputs = services.flatMap(({ methods }) => methods.map(({ input }) => input));
const messages = [...new Set(inputs.flatMap((input) => [...withInner(input)]))];

/** The name of a message without its package, which is lower case, unless another has it too. */
function shortName({ typeName }: DescMessage): string {
  if (typeName in table) return typeName;
  return typeName.replace(/^(?:[a-z0-9]+\.)+/, "");
}

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
  expect(skipped).toEqual(["ImportHumanUserRequest.password", "InitializeRequest.password"]);
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
