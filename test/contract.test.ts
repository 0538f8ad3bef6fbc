// Proves that each limit which the contract states is enforced: a value at it is taken, one past it
// is refused with the field and the rule. What the contract says stands in contract.txt.

import {
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { expect, test } from "@jest/globals";
import {
  FieldRulesSchema,
  field as fieldOption,
  oneof as oneofOption,
} from "../gen/buf/validate/validate_pb.js";
import { http } from "../gen/google/api/annotations_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { access } from "../gen/iam/v1/access_pb.js";
import { accountCharacters } from "../src/domain/user/human.ts";
import { methods } from "./harness/contract.ts";

const validator = createValidator();
const requests = new Set(methods.flatMap(({ input }) => [...withInner(input)]));

/** A rule with the value at its limit and the value one past it; undefined is an absent field. */
interface Boundary {
  /** Which entry of a list has the value; empty for the field itself. */
  readonly at: string;
  readonly rule: string;
  readonly good: JsonValue | undefined;
  readonly bad: JsonValue | undefined;
}

/** What a rule that is written as an expression takes and refuses, by its id. */
const expressions: { readonly [id: string]: readonly [JsonValue, JsonValue] } = {
  "user_id.empty": ["", "1"],
};

test.each([...requests].filter((message) => limitsOf(message).length > 0))(
  "$typeName enforces its limits",
  (message) => {
    for (const { field, at, rule, good, bad } of limitsOf(message)) {
      const name = field.oneof?.name ?? field.name;
      const about = `${name}${at} ${rule}`;
      expect([about, violations(message, withField(message, field, good))]).toEqual([about, []]);
      const found = violations(message, withField(message, field, bad));
      expect([about, found]).toEqual([about, [about]]);
    }
  },
);

test("what somebody may say who becomes an owner is as long as it may be in the contract", () => {
  const { fields } = ManagementService.method.importHumanUser.input;
  const lengthsOf = (field: DescField | undefined) => {
    const rules = field && getOption(field, fieldOption).type;
    return rules?.case === "string" ? [Number(rules.value.minLen), Number(rules.value.maxLen)] : [];
  };
  const within = (name: string) => fields.find((field) => field.name === name)?.message?.fields;
  const { name, email } = accountCharacters;
  const named = (field: DescField) => ["user_name", "first_name", "last_name"].includes(field.name);
  const names = [...fields, ...(within("profile") ?? [])].filter(named);
  expect(names.map(lengthsOf)).toEqual([
    [1, name],
    [1, name],
    [1, name],
  ]);
  const address = within("email")?.find((field) => field.name === "email");
  expect(lengthsOf(address)).toEqual([1, email]);
});

test("the rules of messages in messages are found at their place", () => {
  const found = violations(ManagementService.method.importHumanUser.input, {
    userName: "a",
    profile: { firstName: "a", gender: 4 },
    email: {},
    idps: [{ configId: "a", externalUserId: "b" }, { configId: "a" }],
  });
  expect(found).toEqual([
    "profile.last_name string.min_len",
    "profile.gender enum.defined_only",
    "email.email string.min_len",
    "idps[1].external_user_id string.min_len",
  ]);
});

test("a chosen user id is refused with a sentence that says why", () => {
  const schema = ManagementService.method.addMachineUser.input;
  const value = fromJson(schema, { userName: "a", name: "a", userId: "1" });
  const texts = validator.validate(schema, value).violations?.map(({ message }) => message);
  expect(texts).toEqual(["must be empty: ids are never chosen by clients"]);
});

test("whoever is asked for a token has a REST path, but for streams", () => {
  const without = methods.filter((method) => getOption(method, http).pattern.case === undefined);
  const expected = methods.filter(
    (method) => method.methodKind !== "unary" || getOption(method, access).permission === "public",
  );
  expect(without).toEqual(expected);
});

test("paths and access name fields of the request that hold one text each", () => {
  const missing = methods.flatMap((method) => {
    const { pattern } = getOption(method, http);
    const { projectField } = getOption(method, access);
    const inPath = [...`${pattern.value}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const named = [...inPath, ...(projectField === "" ? [] : [projectField])];
    const texts = method.input.fields.filter(({ fieldKind, scalar }) => {
      return fieldKind === "scalar" && scalar === ScalarType.STRING;
    });
    return named.filter((name) => !texts.some((field) => field.name === name));
  });
  expect(missing).toEqual([]);
});

/** A message with the messages of ours in its fields, and in theirs; some contain themselves. */
function withInner(message: DescMessage, seen = new Set<DescMessage>()): Set<DescMessage> {
  if (seen.has(message) || !message.file.name.startsWith("iam/")) return seen;
  seen.add(message);
  for (const { message: inner } of message.fields) if (inner) withInner(inner, seen);
  return seen;
}

/** What the engine finds wrong, as "field rule". */
function violations(message: DescMessage, value: JsonObject): readonly string[] {
  const result = validator.validate(message, fromJson(message, value));
  if (result.kind === "error") throw result.error;
  const found = result.violations ?? [];
  return found.map((violation) => `${pathToString(violation.field)} ${violation.ruleId}`);
}

function limitsOf({
  fields,
  oneofs,
}: DescMessage): readonly (Boundary & { readonly field: DescField })[] {
  const ofFields = fields.flatMap((field) => {
    const rules = toJson(FieldRulesSchema, getOption(field, fieldOption), {
      useProtoFieldName: true,
    });
    return boundariesOf(rules as JsonObject, field).map((limit) => ({ ...limit, field }));
  });
  const required = oneofs.filter((oneof) => getOption(oneof, oneofOption).required);
  const ofOneofs = required.map(({ fields: [field] }) => ({ ...needed(field!), field: field! }));
  return [...ofFields, ...ofOneofs];
}

/** The limits of a field, or of an entry of it; throws where it is not known how a rule limits. */
function boundariesOf(rules: JsonObject, field: DescField): readonly Boundary[] {
  return Object.entries(rules).flatMap(([type, stated]): readonly Boundary[] => {
    if (type === "ignore") return [];
    if (type === "required") return [needed(field)];
    if (type === "cel") {
      return (stated as JsonObject[]).map(({ id }) => {
        const [good, bad] = expressions[`${id}`] ?? unknownLimit(`${id}`);
        return { at: "", rule: `${id}`, good, bad };
      });
    }
    return Object.entries(stated as JsonObject).flatMap(([name, limit]) => {
      if (name === "items") return ofEntries(limit as JsonObject, field);
      const rule = `${type}.${name}`;
      const [good, bad] = aroundLimit(rule, limit, field);
      return [{ at: "", rule, good, bad }];
    });
  });
}

/** The values at a limit and past it. */
function aroundLimit(rule: string, limit: JsonValue, field: DescField): [JsonValue, JsonValue] {
  const max = Number(limit);
  switch (rule) {
    case "string.min_len":
      return [textOf(max), textOf(max - 1)];
    case "string.max_len":
      return [textOf(max), textOf(max + 1)];
    case "repeated.min_items":
      return [listOf(max, field), listOf(max - 1, field)];
    case "repeated.max_items":
      return [listOf(max, field), listOf(max + 1, field)];
    case "uint32.lte":
    case "uint64.lte":
      return [`${BigInt(max)}`, `${BigInt(max) + 1n}`];
    case "enum.defined_only": {
      const last = Math.max(...field.enum!.values.map(({ number }) => number));
      return [last, last + 1];
    }
    default:
      return unknownLimit(rule);
  }
}

function ofEntries(rules: JsonObject, field: DescField): readonly Boundary[] {
  return boundariesOf(rules, field).map(({ rule, good, bad }) => {
    const first = entryOf(field);
    return { at: "[1]", rule, good: [first, good!], bad: [first, bad!] };
  });
}

function needed(field: DescField): Boundary {
  return { at: "", rule: "required", good: sampleOf(field), bad: undefined };
}

function unknownLimit(rule: string): never {
  throw new Error(`nobody has said which value is at the limit of ${rule} and which is past it`);
}

/** A text of so many characters, of which each is four bytes and two UTF-16 units. */
function textOf(length: number): string {
  return "\u{1f600}".repeat(length);
}

function listOf(length: number, field: DescField): JsonValue[] {
  return Array.from({ length }, () => entryOf(field));
}

/** A valid message with a value of the field, or without it. */
function withField(
  message: DescMessage,
  field: DescField,
  value: JsonValue | undefined,
): JsonObject {
  const { [field.jsonName]: _own, ...others } = smallest(message);
  return value === undefined ? others : { ...others, [field.jsonName]: value };
}

/** The smallest valid message. */
function smallest(message: DescMessage): JsonObject {
  const first = message.oneofs.filter((oneof) => getOption(oneof, oneofOption).required);
  const needs = message.fields.filter((field) => isNeeded(field));
  const fields = [...first.map((oneof) => oneof.fields[0]!), ...needs];
  return Object.fromEntries(fields.map((field) => [field.jsonName, sampleOf(field)]));
}

function isNeeded(field: DescField): boolean {
  const { required, ignore, type } = getOption(field, fieldOption);
  if (required) return true;
  const min = type.case === "string" ? type.value.minLen : undefined;
  const items = type.case === "repeated" ? type.value.minItems : undefined;
  return ignore === 0 && (min ?? items ?? 0n) > 0n;
}

/** The smallest valid value of a field. */
function sampleOf(field: DescField): JsonValue {
  const { type } = getOption(field, fieldOption);
  if (type.case === "repeated") return listOf(Number(type.value.minItems), field);
  return type.case === "string" ? textOf(Number(type.value.minLen)) : entryOf(field);
}

/** The smallest valid value of a field, or of an entry where it is a list. */
function entryOf({ message, enum: values }: DescField): JsonValue {
  if (message) return message.file.name.startsWith("iam/") ? smallest(message) : {};
  if (values) return 0;
  // Bytes are base64 in JSON, which this is.
  return "aaaa";
}
