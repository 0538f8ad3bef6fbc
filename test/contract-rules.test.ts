// Proves that the engine enforces each field rule of proto/, at its limit and one past it. A rule
// with a wrong number would silently do nothing, so the numbers are compared with the engine's too.

import {
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
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
  file_buf_validate_validate as ourFile,
  field as rulesOption,
} from "../gen/buf/validate/validate_pb.js";
import { AdminService } from "../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../gen/iam/management/v1/management_service_pb.js";

const methods = [...AdminService.methods, ...ManagementService.methods];

/** One rule with the value at its limit and the value one past it. */
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

const empty = { at: "", rule: "user_id.empty", good: "", bad: "1" };
const name = text(1, 200);
const id = text(1, 200);
const roles = list(1, 20, text(1, 200));
const uris = list(0, 100, text(0, 2048));
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
};

const validator = createValidator();

/** What the engine finds wrong, as "field rule". */
function violations(request: DescMessage, value: JsonObject): string[] {
  const result = validator.validate(request, fromJson(request, value));
  if (result.kind === "error") throw result.error;
  const found = result.violations ?? [];
  return found.map((violation) => `${pathToString(violation.field)} ${violation.ruleId}`);
}

const rows = methods.flatMap(({ input }) => {
  const limits = Object.entries(table[input.name] ?? {});
  const sample = Object.fromEntries(limits.map(([field, limit]) => [field, limit.sample]));
  return limits.flatMap(([field, { boundaries }]) =>
    boundaries.map(({ at, rule, good, bad }) => {
      const label = `${input.name}.${field}${at} ${rule}`;
      return { label, input, sample, field, found: `${field}${at} ${rule}`, good, bad };
    }),
  );
});

test.each(rows)("$label is enforced", ({ input, sample, field, found, good, bad }) => {
  expect(violations(input, { ...sample, [field]: good })).toEqual([]);
  expect(violations(input, { ...sample, [field]: bad })).toEqual([found]);
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
  return [...cel, ...named, ...(items === undefined ? [] : declared(items, `${label}[1]`))];
}

test("every declared rule has its rows", () => {
  const fields = methods.flatMap(({ input }) => input.fields);
  const rules = fields.flatMap((field) =>
    declared(getOption(field, rulesOption), `${field.parent.name}.${field.name}`),
  );
  expect(rules.sort()).toEqual(rows.map((row) => row.label).sort());
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
