import { type DescEnum, type DescField, type DescOneof, ScalarType } from "@bufbuild/protobuf";

/** What violations say: one place, so that all ways to break a rule are told in the same words. */

/** Names that a text lists: past these nobody reads on, and gRPC has little room. */
const namesMax = 20;

export const required = "is required";
export const time = 'must be a time such as "2026-01-31T12:00:00Z"';
export const timeRange = "must be a time of the years 1 to 9999";
export const duration = 'must be a duration such as "5s"';
export const durationRange = "must be a duration within 10,000 years";
export const object = "must be an object";
export const list = "must be a list";
export const nul = "must not contain the character U+0000";
export const wholeCharacters = "must not contain half of a surrogate pair";

const int32 = "must be a whole number from -2147483648 to 2147483647";
const uint32 = "must be a whole number from 0 to 4294967295";
const int64 = "must be a whole number from -9223372036854775808 to 9223372036854775807";
const uint64 = "must be a whole number from 0 to 18446744073709551615";
const float = "must be a number";

/** What a value of the type must be. */
export const scalars: { readonly [scalar in ScalarType]: string } = {
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
  return `must have at most ${depthMax} messages in each other`;
}

export function oneOf({ values }: DescEnum): string {
  return `must be one of ${listed(values)}`;
}

export function charactersAtMost(count: number): string {
  return `must be at most ${counted(count, "character", "characters")}`;
}

export function entriesAtMost(count: number): string {
  return `must have at most ${counted(count, "entry", "entries")}`;
}

/** A field that the message does not have. */
export interface UnknownField {
  /** Whether it is the field of the violation, which otherwise is the message. */
  readonly isNamed: boolean;
  /** The field that may be meant. */
  readonly meant: DescField | undefined;
  /** Those that the message has; undefined where they have been told. */
  readonly fields: readonly DescField[] | undefined;
}

export function unknownField({ isNamed, meant, fields }: UnknownField): string {
  const what = isNamed ? "is unknown" : "has an unknown field";
  if (meant !== undefined) return `${what}; did you mean ${meant.name}?`;
  if (fields === undefined) return what;
  return `${what}; ${fields.length > 0 ? `the fields are ${listed(fields)}` : "there are none"}`;
}

/** Members of a oneof, none of which is there. */
export function oneMember({ fields }: DescOneof): string {
  const [first, second, ...more] = fields;
  if (second === undefined || more.length > 0) return `give one of ${listed(fields)}`;
  return `give ${first?.name} or ${second.name}`;
}

/** A rule of the contract that is broken, and what protovalidate says of it. */
export interface BrokenRule {
  readonly ruleId: string;
  readonly message: string;
}

/** Where a rule is broken: by the value of a field or of one of its entries, or by a oneof. */
export interface BrokenAt {
  readonly place: DescField | DescOneof | undefined;
  readonly value: unknown;
}

/** The rule in words for people, where those of protovalidate are not. */
export function brokenRule({ ruleId, message }: BrokenRule, { place, value }: BrokenAt): string {
  const [limit = ""] = /\d+/.exec(message) ?? [];
  switch (ruleId) {
    case "required":
      return place?.kind === "oneof" ? oneMember(place) : required;
    case "string.min_len":
      return value === ""
        ? required
        : `must be at least ${counted(Number(limit), "character", "characters")}`;
    case "string.max_len":
      return charactersAtMost(Number(limit));
    case "repeated.min_items":
      return `must have at least ${counted(Number(limit), "entry", "entries")}`;
    case "repeated.max_items":
      return entriesAtMost(Number(limit));
    case "enum.defined_only":
      return place?.kind === "field" && place.enum ? oneOf(place.enum) : message;
    default:
      return message;
  }
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function listed(named: readonly { readonly name: string }[]): string {
  const names = named.slice(0, namesMax).map(({ name }) => name);
  return [...names, ...(named.length > namesMax ? ["…"] : [])].join(", ");
}
