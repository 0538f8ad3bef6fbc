import {
  type DescField,
  type DescMessage,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import {
  FieldRulesSchema,
  field as fieldOption,
  oneof as oneofOption,
} from "../../gen/buf/validate/validate_pb.js";

/** What the contract says that fields may hold, as values at each limit and past it. */

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

/** The limits of the fields of a message, without those of messages in them. */
export function limitsOf({
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

/** A request that is refused for one field alone. */
export interface Broken {
  /** The field as the contract names it. */
  readonly field: string;
  readonly rule: string;
  readonly request: JsonObject;
}

/** A valid request broken at each place, in each way: also in messages that are not in it yet. */
export function brokenOf(
  message: DescMessage,
  base: JsonObject = smallest(message),
  within: readonly DescMessage[] = [],
): readonly Broken[] {
  const all = [...limitsOf(message), ...message.fields.flatMap(forbiddenIn)];
  const own = all.map(({ field, at, rule, bad }) => {
    const name = rule === "required" && field.oneof ? field.oneof.name : field.name;
    // The entries that a rule is tried with may not keep the rules of the domain: one is enough.
    const value = at === "" ? bad : (bad as JsonValue[]).slice(-1);
    const place = at === "" ? name : `${name}[0]`;
    return { field: place, rule, request: withField(message, field, value, base) };
  });
  return [...own, ...message.fields.flatMap((field) => brokenIn(message, field, base, within))];
}

/** What is wrong in a message that is in the field, or the first of its list. */
function brokenIn(
  message: DescMessage,
  field: DescField,
  base: JsonObject,
  within: readonly DescMessage[],
): readonly Broken[] {
  const inner = field.message;
  if (!inner?.file.name.startsWith("iam/") || [message, ...within].includes(inner)) return [];
  const isList = field.fieldKind === "list";
  const known = isList
    ? (base[field.jsonName] as JsonValue[] | undefined)?.[0]
    : base[field.jsonName];
  return brokenOf(inner, known as JsonObject | undefined, [message, ...within]).map((one) => ({
    ...one,
    field: `${field.name}${isList ? "[0]" : ""}.${one.field}`,
    request: withField(message, field, isList ? [one.request] : one.request, base),
  }));
}

/** What no field may hold, whatever the contract states of it. */
function forbiddenIn(field: DescField): readonly (Boundary & { readonly field: DescField })[] {
  const { type, cel } = getOption(field, fieldOption);
  const broken = (rule: string, bad: JsonValue) => {
    const isList = field.fieldKind === "list";
    return [{ field, rule, at: isList ? "[0]" : "", good: undefined, bad: isList ? [bad] : bad }];
  };
  if (field.enum) return broken("0", -1);
  // What has to be empty may not be any text.
  if (field.scalar !== ScalarType.STRING || cel.length > 0) return [];
  const text = type.case === "repeated" ? type.value.items?.type : type;
  const shortest = text?.case === "string" ? Number(text.value.minLen) : 0;
  return broken("U+0000", `${textOf(shortest)}\0`);
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
    case "bytes.min_len":
      return [bytesOf(max), bytesOf(max - 1)];
    case "bytes.max_len":
      return [bytesOf(max), bytesOf(max + 1)];
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

/**
 * A text of so many characters, each of four bytes and two UTF-16 units, but where so many of them
 * are more than the body of a call may have.
 */
function textOf(length: number): string {
  return (length > 4_000 ? "a" : "\u{1f600}").repeat(length);
}

/** So many bytes, as JSON has them. */
function bytesOf(length: number): string {
  return Buffer.alloc(length, "a").toString("base64");
}

function listOf(length: number, field: DescField): JsonValue[] {
  return Array.from({ length }, () => entryOf(field));
}

/** A message with a value of the field, or without it; where none is given, the smallest one. */
export function withField(
  message: DescMessage,
  field: DescField,
  value: JsonValue | undefined,
  base: JsonObject = smallest(message),
): JsonObject {
  const others = { ...base };
  for (const { jsonName } of field.oneof?.fields ?? [field]) delete others[jsonName];
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
  const isSized = type.case === "string" || type.case === "bytes";
  const min = isSized ? type.value.minLen : undefined;
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
function entryOf(field: DescField): JsonValue {
  const { message, enum: values } = field;
  if (message) return message.file.name.startsWith("iam/") ? smallest(message) : {};
  // One that has to be given is not the first, which says that it is not.
  if (values) return getOption(field, fieldOption).required ? 1 : 0;
  // Bytes are base64 in JSON, which this is.
  return "aaaa";
}
