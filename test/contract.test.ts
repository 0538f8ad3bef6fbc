// Proves that each limit which the contract states is enforced: a value at it is taken, one past it
// is refused with the field and the rule. What the contract says stands in contract.txt.

import {
  type DescField,
  type DescMessage,
  fromJson,
  getOption,
  type JsonObject,
  ScalarType,
} from "@bufbuild/protobuf";
import { pathToString } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import { expect, test } from "@jest/globals";
import { field as fieldOption } from "../gen/buf/validate/validate_pb.js";
import { http } from "../gen/google/api/annotations_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";
import { access } from "../gen/iam/v1/access_pb.js";
import { accountCharacters } from "../src/domain/user/human/human.ts";
import { limitsOf, withField } from "./harness/boundaries.ts";
import { methods } from "./harness/contract.ts";

const validator = createValidator();
const requests = new Set(methods.flatMap(({ input }) => [...withInner(input)]));

test.each([...requests].filter((message) => limitsOf(message).length > 0))(
  "$typeName enforces its limits",
  (message) => {
    for (const { field, at, rule, good, bad } of limitsOf(message)) {
      const name = rule === "required" ? (field.oneof ?? field).name : field.name;
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

test("one who is asked for a token has a REST path, but for streams", () => {
  const without = methods.filter((method) => getOption(method, http).pattern.case === undefined);
  const expected = methods.filter(
    (method) => method.methodKind !== "unary" || getOption(method, access).permission === "public",
  );
  expect(without).toEqual(expected);
});

test("paths name fields that hold one text or enum each, and access one text", () => {
  const missing = methods.flatMap((method) => {
    const { pattern } = getOption(method, http);
    const { projectField } = getOption(method, access);
    const inPath = [...`${pattern.value}`.matchAll(/\{(\w+)(?:=\*\*)?\}/g)].map(([, name]) => name);
    const { fields } = method.input;
    const texts = fields.filter(({ scalar, fieldKind }) => {
      return fieldKind === "scalar" && scalar === ScalarType.STRING;
    });
    const enums = fields.filter(({ fieldKind }) => fieldKind === "enum");
    const lacks = (some: typeof fields) => (name: string | undefined) =>
      !some.some((field) => field.name === name);
    const ofAccess = projectField === "" ? [] : [projectField];
    return [...inPath.filter(lacks([...texts, ...enums])), ...ofAccess.filter(lacks(texts))];
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
