import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  ScalarType,
} from "@bufbuild/protobuf";
import { DurationSchema, FieldMaskSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";

/** The texts of violations, in one place, so that every check tells a broken rule in one way. */

/** Names that a text lists: past these nobody reads on, and gRPC has little room. */
const namesMax = 20;

export const required = "is required";
export const timeRange = "must be a time of the years 1 to 9999";
export const durationRange = "must be a duration within 10,000 years";
export const nul = "must not contain the character U+0000";
/** Said of JSON where nothing better is known. */
export const misfit = "must be JSON that fits the request message";

const time = 'must be a time, for example "2026-01-31T12:00:00Z"';
const duration = 'must be a duration, for example "5s", within 10,000 years';
const mask = 'must be names of fields in one text, for example "redirectUris,devMode"';
const object = "must be an object";

const int32 = "must be a whole number from -2147483648 to 2147483647";
const uint32 = "must be a whole number from 0 to 4294967295";
const int64 = "must be a whole number from -9223372036854775808 to 9223372036854775807";
const uint64 = "must be a whole number from 0 to 18446744073709551615";
const float = "must be a number";

/** What a value of the type must be. */
const scalars: { readonly [scalar in ScalarType]: string } = {
  [ScalarType.STRING]: "must be a text",
  [ScalarType.BOOL]: "must be true or false",
  [ScalarType.BYTES]: "must be bytes in base64",
  [ScalarType.DOUBLE]: float,
  [ScalarType.FLOAT]: float,
  [ScalarType.INT32]: int32,
  [ScalarType.SINT32]: int32,
  [ScalarType.SFIXED32]: int32,
  [ScalarType.UINT32]: uint32,
  [ScalarType.FIXED32]: uint32,
  [ScalarType.INT64]: int64,
  [ScalarType.SINT64]: int64,
  [ScalarType.SFIXED64]: int64,
  [ScalarType.UINT64]: uint64,
  [ScalarType.FIXED64]: uint64,
};

export function tooDeep(depthMax: number): string {
  return `must nest messages at most ${depthMax} deep`;
}

/** A value of an enum. */
export function oneOf({ values }: DescEnum): string {
  return `must be one of ${listNames(values)}`;
}

/** A mask of fields. */
export function someOf(fields: readonly DescField[]): string {
  return `must name one or more of ${listNames(fields)}`;
}

export function charactersAtMost(count: number): string {
  return `must be at most ${formatCount(count, "character", "characters")}`;
}

export function entriesAtMost(count: number): string {
  return `must have at most ${formatCount(count, "entry", "entries")}`;
}

/** What V8 says of a text that is no JSON, unless it quotes the text, and where that is. */
export function noJson(said: string): string {
  const found = /^([^"]+?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/.exec(said);
  if (found !== null) {
    const [, what = "", line, column] = found;
    const fault = what.charAt(0).toLowerCase() + what.slice(1);
    return `must be JSON: ${fault} in line ${line}, column ${column}`;
  }
  const isCut = said === "Unexpected end of JSON input";
  return `must be JSON: ${isCut ? "it ends too soon" : "a value is missing or misspelt"}`;
}

/** What a message must be, by what Protobuf-ES says of another value. */
export function wrongType(type: DescMessage, said: string): string {
  if (type.typeName === DurationSchema.typeName) return duration;
  if (type.typeName === FieldMaskSchema.typeName) return mask;
  if (type.typeName !== TimestampSchema.typeName) return object;
  return said.startsWith("must be from ") ? timeRange : time;
}

/** What a field or an entry of it must be, by what Protobuf-ES says of another value. */
export function wrongValue(field: DescField, said: string): string {
  if (said === "set multiple times") {
    return `is given twice, as ${field.jsonName} and as ${field.name}`;
  }
  if (said.startsWith("expected Array")) return "must be a list";
  if (said.endsWith("expected string: invalid UTF8")) {
    return "must not contain half of a surrogate pair";
  }
  return field.scalar === undefined || field.fieldKind === "map" ? object : scalars[field.scalar];
}

/** The member of a oneof that is there already. */
export function rival(name: string): string {
  return `must not be given together with ${name}`;
}

/** A field that the message does not have. */
export function unknownField(key: string, fields: readonly DescField[]): string {
  const meant = fields.find(({ name }) => isNear(key, name));
  return `is unknown; ${meant ? `did you mean ${meant.jsonName}?` : fieldsAre(fields)}`;
}

/** The same without its name. */
export function unnamedField(fields: readonly DescField[]): string {
  return `has an unknown field; ${fieldsAre(fields)}`;
}

function fieldsAre(fields: readonly DescField[]): string {
  const names = fields.map(({ jsonName: name }) => ({ name }));
  return fields.length > 0 ? `the fields are ${listNames(names)}` : "there are none";
}

/** Whether names are the same, but for how words are joined and about one letter. */
function isNear(given: string, name: string): boolean {
  const [some, others] = [given, name].map((text) => {
    const letters = text.replaceAll("_", "").toLowerCase();
    const shorter = [...letters].map((_letter, at) => letters.slice(0, at) + letters.slice(at + 1));
    return [letters, ...shorter];
  });
  return some?.some((text) => others?.includes(text)) ?? false;
}

/** Members of a oneof, none of which is there. */
function oneMember({ fields }: DescOneof): string {
  const [first, second, ...more] = fields;
  if (second === undefined || more.length > 0) return `give one of ${listNames(fields)}`;
  return `give ${first?.name} or ${second.name}`;
}

/** A rule of the contract that is broken, and what protovalidate says of it. */
export interface BrokenRule {
  readonly ruleId: string;
  readonly message: string;
}

/** Where a rule is broken: by the value of a field or of one of its entries, or by a oneof. */
export interface BrokenAt {
  readonly desc: DescField | DescOneof | undefined;
  readonly value: unknown;
}

/** The rule in words for people, where those of protovalidate are not. */
export function brokenRule({ ruleId, message }: BrokenRule, { desc, value }: BrokenAt): string {
  const [limit = ""] = /\d+/.exec(message) ?? [];
  switch (ruleId) {
    case "required":
      return desc?.kind === "oneof" ? oneMember(desc) : required;
    case "string.min_len":
      return value === ""
        ? required
        : `must be at least ${formatCount(Number(limit), "character", "characters")}`;
    case "string.max_len":
      return charactersAtMost(Number(limit));
    case "bytes.min_len":
      return `must be at least ${formatCount(Number(limit), "byte", "bytes")}`;
    case "bytes.max_len":
      return `must be at most ${formatCount(Number(limit), "byte", "bytes")}`;
    case "repeated.min_items":
      return `must have at least ${formatCount(Number(limit), "entry", "entries")}`;
    case "repeated.max_items":
      return entriesAtMost(Number(limit));
    case "enum.defined_only":
      return desc?.kind === "field" && desc.enum ? oneOf(desc.enum) : message;
    default:
      return message;
  }
}

function formatCount(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function listNames(named: readonly { readonly name: string }[]): string {
  const names = named.slice(0, namesMax).map(({ name }) => name);
  return [...names, ...(named.length > namesMax ? ["…"] : [])].join(", ");
}
