import {
  type DescField,
  type DescMessage,
  type DescOneof,
  fromJson,
  type JsonValue,
  ScalarType,
} from "@bufbuild/protobuf";
import {
  BoolValueSchema,
  BytesValueSchema,
  DoubleValueSchema,
  DurationSchema,
  FloatValueSchema,
  Int32ValueSchema,
  Int64ValueSchema,
  StringValueSchema,
  TimestampSchema,
  UInt32ValueSchema,
  UInt64ValueSchema,
} from "@bufbuild/protobuf/wkt";
import type { Violation } from "../domain/decision.ts";
import { positionOf, scanJson, type Way } from "./json-text.ts";
import * as wording from "./wording.ts";

/** Problems, and values looked at, after which no more are looked for. */
const problemsMax = 1_000;
const valuesMax = 20_000;
/** Messages in each other that are read at most, as in Protobuf-ES. */
const depthMax = 100;
/** A key that may be the name of a field is repeated in a refusal, any other is not. */
const nameLike = /^[A-Za-z_]\w{0,39}$/;

/**
 * What keeps a JSON text from being such a message: every problem with the field's path and what is
 * expected there, and nothing of what the text says. The path of the text as a whole is empty.
 *
 * Does the work of reading once more, so it is for texts that have been refused. It knows what the
 * requests of the contract are made of, and leaves out what is wrong elsewhere, as in a `Struct`.
 */
export function jsonProblems(schema: DescMessage, text: string): readonly Violation[] {
  const { fault, repeated } = scanJson(text);
  if (fault !== undefined) {
    const { line, column } = positionOf(text, fault.at);
    const where = `in line ${line}, column ${column}`;
    return [{ field: "", description: `must be JSON: ${where}, ${fault.expected} is expected` }];
  }
  const found: Violation[] = [];
  checkMessage({ schema, path: "", depth: 1, search: { found, values: 0 } }, JSON.parse(text));
  for (const way of repeated) {
    const field = pathOf(schema, way);
    if (found.length >= problemsMax) break;
    if (field !== undefined) found.push({ field, description: "is given twice" });
  }
  return found;
}

/** A message in the text. */
interface Place {
  readonly schema: DescMessage;
  readonly path: string;
  /** Of how many messages in each other it is the innermost. */
  readonly depth: number;
  readonly search: Search;
}

interface Search {
  readonly found: Violation[];
  values: number;
}

function isOver({ found, values }: Search): boolean {
  return found.length >= problemsMax || values >= valuesMax;
}

function checkMessage(place: Place, json: JsonValue): void {
  const { schema, path, search } = place;
  const { found } = search;
  if (!isObject(json)) {
    found.push({ field: path, description: wording.object });
    return;
  }
  const given = new Map<DescField, string>();
  const chosen = new Map<DescOneof, DescField>();
  let areTold = false;
  for (const key of Object.keys(json)) {
    if (isOver(search)) return;
    search.values += 1;
    const value = json[key] ?? null;
    const field = fieldOf(schema, key);
    if (field === undefined) {
      found.push(unknown(place, key, areTold));
      areTold = true;
      continue;
    }
    const at = below(path, field.name);
    const other = given.get(field);
    if (other !== undefined) {
      found.push({ field: at, description: `is given twice, as ${other} and as ${key}` });
      continue;
    }
    given.set(field, key);
    const rival = rivalOf(field, value, chosen);
    if (rival !== undefined) {
      found.push({ field: at, description: `must not be given together with ${rival.name}` });
    }
    if (value !== null) checkField(field, value, { ...place, path: at });
  }
}

/** The other member of the field's oneof that is there too. A scalar that is null is not there. */
function rivalOf(
  field: DescField,
  value: JsonValue,
  chosen: Map<DescOneof, DescField>,
): DescField | undefined {
  if (field.oneof === undefined || (value === null && field.fieldKind === "scalar")) {
    return undefined;
  }
  const rival = chosen.get(field.oneof);
  if (rival === undefined) chosen.set(field.oneof, field);
  return rival;
}

/** Here and below, the place is that of the field, in the message that has it. */
function checkField(field: DescField, value: JsonValue, place: Place): void {
  const { path, search } = place;
  const { found } = search;
  if (field.fieldKind === "map") {
    if (!isObject(value)) found.push({ field: path, description: wording.object });
  } else if (field.fieldKind !== "list") {
    checkValue(field, value, place);
  } else if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      if (isOver(search)) return;
      search.values += 1;
      checkValue(field, entry, { ...place, path: `${path}[${index}]` });
    }
  } else {
    found.push({ field: path, description: wording.list });
  }
}

function checkValue(field: DescField, value: JsonValue, place: Place): void {
  const { path, search } = place;
  const { found } = search;
  const { message: schema } = field;
  const depth = place.depth + 1;
  if (schema !== undefined && depth > depthMax) {
    // The whole path would say what the first step of it says.
    const [outermost = ""] = path.split(/[.[]/, 1);
    found.push({ field: outermost, description: wording.tooDeep(depthMax) });
  } else if (schema !== undefined && !schema.typeName.startsWith("google.protobuf.")) {
    checkMessage({ ...place, schema, depth }, value);
  } else {
    const description = wrongLeaf(field, value);
    if (description !== undefined) found.push({ field: path, description });
  }
}

/** What a value that is no message of the contract must be, where it is not that. */
function wrongLeaf(field: DescField, value: JsonValue): string | undefined {
  const { scalar, enum: enumeration, message: schema } = field;
  if (scalar !== undefined) {
    if (value !== null && reads(holders[scalar], value)) return undefined;
    const isHalf = scalar === ScalarType.STRING && typeof value === "string";
    return isHalf ? wording.wholeCharacters : wording.scalars[scalar];
  }
  if (enumeration !== undefined) {
    const isName = enumeration.values.some(
      ({ name, jsonName }) => value === name || value === jsonName,
    );
    const isNumber = typeof value === "number" && reads(Int32ValueSchema, value);
    return isName || isNumber ? undefined : wording.oneOf(enumeration);
  }
  return wrongForm[schema?.typeName ?? ""]?.(value);
}

/** Messages that have nothing but one value of the type, and are written as that value. */
const holders: { readonly [scalar in ScalarType]: DescMessage } = {
  [ScalarType.STRING]: StringValueSchema,
  [ScalarType.BOOL]: BoolValueSchema,
  [ScalarType.BYTES]: BytesValueSchema,
  [ScalarType.DOUBLE]: DoubleValueSchema,
  [ScalarType.FLOAT]: FloatValueSchema,
  [ScalarType.INT32]: Int32ValueSchema,
  [ScalarType.SINT32]: Int32ValueSchema,
  [ScalarType.SFIXED32]: Int32ValueSchema,
  [ScalarType.UINT32]: UInt32ValueSchema,
  [ScalarType.FIXED32]: UInt32ValueSchema,
  [ScalarType.INT64]: Int64ValueSchema,
  [ScalarType.SINT64]: Int64ValueSchema,
  [ScalarType.SFIXED64]: Int64ValueSchema,
  [ScalarType.UINT64]: UInt64ValueSchema,
  [ScalarType.FIXED64]: UInt64ValueSchema,
};

/** The same for messages that JSON writes as texts. */
const wrongForm: {
  readonly [typeName: string]: (value: JsonValue) => string | undefined;
} = {
  [TimestampSchema.typeName]: (value) => (reads(TimestampSchema, value) ? undefined : wording.time),
  [DurationSchema.typeName]: (value) => {
    if (reads(DurationSchema, value)) return undefined;
    const isFar = typeof value === "string" && /^-?\d+(?:\.\d{1,9})?s$/.test(value);
    return isFar ? wording.durationRange : wording.duration;
  },
};

function reads(schema: DescMessage, value: JsonValue): boolean {
  try {
    fromJson(schema, value);
    return true;
  } catch {
    return false;
  }
}

/** The names of the fields are told once for each message, since gRPC has little room. */
function unknown({ schema, path }: Place, key: string, areTold: boolean): Violation {
  const isNamed = nameLike.test(key);
  const meant = isNamed ? schema.fields.find(({ name }) => isNear(key, name)) : undefined;
  const fields = areTold ? undefined : schema.fields;
  const description = wording.unknownField({ isNamed, meant, fields });
  return { field: isNamed ? below(path, key) : path, description };
}

/**
 * Whether names differ in how their words are joined, in one letter, or in two that changed places.
 */
function isNear(given: string, name: string): boolean {
  const [a = "", b = ""] = [given, name].map((each) => each.replaceAll("_", "").toLowerCase());
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const [left, right] = [a, b].map((each) => each.slice(start, each.length - end));
  if (left === undefined || right === undefined) return false;
  const isTurned = left.length === 2 && left[0] === right[1] && left[1] === right[0];
  return (left.length <= 1 && right.length <= 1) || (isTurned && right.length === 2);
}

/** The path of what lies at the end of a way; undefined below an unknown field. */
function pathOf(schema: DescMessage, way: Way): string | undefined {
  let path = "";
  let within: DescMessage | undefined = schema;
  for (const step of way) {
    if (typeof step === "number") {
      path += `[${step}]`;
    } else {
      const field: DescField | undefined = within && fieldOf(within, step);
      if (field === undefined) return undefined;
      path = below(path, field.name);
      within = field.message;
    }
  }
  return path;
}

function fieldOf({ fields }: DescMessage, key: string): DescField | undefined {
  return fields.find(({ name, jsonName }) => name === key || jsonName === key);
}

function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function isObject(json: JsonValue): json is { [key: string]: JsonValue } {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
