import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { requestLimits } from "./elements.ts";

/** A message in JSON: where it stands, of what type it should be, and what stands there. */
export interface Place {
  /** The path of names as JSON has them, with the numbers of entries: empty for the request. */
  readonly path: string;
  readonly desc: DescMessage;
  readonly value: JsonValue;
}

/** The messages in a request, as deep as parsers look; those within another one come before it. */
export function placesIn(desc: DescMessage, value: JsonValue): readonly Place[] {
  const places: Place[] = [];
  collect({ path: "", desc, value }, 0, places);
  return places;
}

function collect(place: Place, depth: number, places: Place[]): void {
  for (const { field, path, value } of depth < requestLimits.depth ? membersOf(place) : []) {
    const { message } = field;
    if (message === undefined || field.fieldKind === "map") continue;
    for (const [at, entry] of entriesOf(field, value)) {
      collect({ path: path + at, desc: message, value: entry }, depth + 1, places);
    }
  }
  places.push(place);
}

/** A field of a message that is there, under the key that it has in JSON. */
interface Member {
  readonly field: DescField;
  readonly key: string;
  readonly path: string;
  readonly value: JsonValue;
}

function membersOf({ path, desc, value }: Place): readonly Member[] {
  // Those of Google have forms of their own.
  if (!isObject(value) || desc.typeName.startsWith("google.protobuf.")) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = fieldOf(desc, key);
    return field ? [{ field, key, path: below(path, field.jsonName), value: member }] : [];
  });
}

function entriesOf({ fieldKind }: DescField, value: JsonValue) {
  if (fieldKind !== "list") return [["", value] as const];
  return Array.isArray(value) ? value.map((entry, at) => [`[${at}]`, entry] as const) : [];
}

/** The field of a message that is written under a key. */
export function fieldOf({ fields }: DescMessage, key: string): DescField | undefined {
  return fields.find(({ name, jsonName }) => name === key || jsonName === key);
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The path of a member of what stands at a path. */
export function below(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** What stands for a value that is none of its enum: a number that no enum of the contract has. */
export const noValue = -(2 ** 31);

/** Puts `noValue` in place of all that is no value of its enum. */
export function numberUnknown(desc: DescMessage, request: JsonValue): void {
  for (const place of placesIn(desc, request)) {
    for (const { field, key, value } of membersOf(place)) {
      const { enum: values } = field;
      if (values === undefined || field.fieldKind === "map") continue;
      const known = (one: JsonValue) => (isValueOf(values, one) ? one : noValue);
      const holder = place.value as JsonObject;
      if (field.fieldKind !== "list") holder[key] = value === null ? null : known(value);
      else if (Array.isArray(value)) holder[key] = value.map(known);
    }
  }
}

function isValueOf({ values }: DescEnum, value: JsonValue): boolean {
  if (typeof value === "number") return Math.trunc(value) === value && Math.abs(value) < 2 ** 31;
  return values.some(({ name, jsonName }) => name === value || jsonName === value);
}
