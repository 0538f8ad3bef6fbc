import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { requestLimits } from "./elements.ts";

/** A message in JSON: where it stands, of what type it should be, and what stands there. */
export interface JsonMessage {
  /** The path of names as JSON has them, with the numbers of entries: empty for the request. */
  readonly path: string;
  readonly desc: DescMessage;
  readonly value: JsonValue;
}

/** The messages in a request, as deep as parsers look; those within another one come before it. */
export function messagesIn(desc: DescMessage, value: JsonValue): readonly JsonMessage[] {
  const messages: JsonMessage[] = [];
  collect({ path: "", desc, value }, 0, messages);
  return messages;
}

function collect(json: JsonMessage, depth: number, messages: JsonMessage[]): void {
  for (const { field, path, value } of depth < requestLimits.depth ? membersOf(json) : []) {
    const { message } = field;
    if (message === undefined || field.fieldKind === "map") continue;
    for (const [at, entry] of entriesOf(field, value)) {
      collect({ path: path + at, desc: message, value: entry }, depth + 1, messages);
    }
  }
  messages.push(json);
}

/** A field of a message that is there, under the key that it has in JSON. */
interface Member {
  readonly field: DescField;
  readonly key: string;
  readonly path: string;
  readonly value: JsonValue;
}

function membersOf({ path, desc, value }: JsonMessage): readonly Member[] {
  if (!isObject(value) || isOfGoogle(desc)) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const field = fieldOf(desc, key);
    return field ? [{ field, key, path: below(path, field.jsonName), value: member }] : [];
  });
}

/** Whether it has a form of its own in JSON, where its fields are not named. */
export function isOfGoogle({ typeName }: DescMessage): boolean {
  return typeName.startsWith("google.protobuf.");
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

/** What stands there, where each message within it is empty. */
export function shallow(json: JsonMessage): JsonValue {
  if (!isObject(json.value)) return json.value;
  const emptied = membersOf(json)
    .filter(({ field }) => field.message !== undefined && !isOfGoogle(field.message))
    .map(({ key, value }) => [key, Array.isArray(value) ? value.map(empty) : empty(value)]);
  return { ...json.value, ...Object.fromEntries(emptied) };
}

function empty(value: JsonValue): JsonValue {
  return isObject(value) ? {} : value;
}

/** What stands for a value that is none of its enum: a number that no enum of the contract has. */
export const noValue = -(2 ** 31);

/** Puts `noValue` in place of all that is no value of its enum. */
export function numberUnknown(desc: DescMessage, request: JsonValue): void {
  replaceValues(desc, request, ({ enum: values }, value) =>
    values === undefined || isValueOf(values, value) ? value : noValue,
  );
}

function isValueOf({ values }: DescEnum, value: JsonValue): boolean {
  if (typeof value === "number") return Math.trunc(value) === value && Math.abs(value) < 2 ** 31;
  return values.some(({ name, jsonName }) => name === value || jsonName === value);
}

/** Puts another value in place of each that a field has, or an entry of its list. */
export function replaceValues(
  desc: DescMessage,
  request: JsonValue,
  other: (field: DescField, value: JsonValue) => JsonValue,
): void {
  for (const json of messagesIn(desc, request)) {
    for (const { field, key, value } of membersOf(json)) {
      if (field.fieldKind === "map" || field.message !== undefined || value === null) continue;
      const holder = json.value as JsonObject;
      if (field.fieldKind !== "list") holder[key] = other(field, value);
      else if (Array.isArray(value)) holder[key] = value.map((entry) => other(field, entry));
    }
  }
}
