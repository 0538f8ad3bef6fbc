import {
  type DescField,
  type DescMessage,
  type DescOneof,
  fromJson,
  fromJsonString,
  type JsonValue,
} from "@bufbuild/protobuf";
import { isFieldError } from "@bufbuild/protobuf/reflect";
import { DurationSchema, StructSchema } from "@bufbuild/protobuf/wkt";
import { type Rejection, rejectionOfFields, type Violation } from "../../domain/decision.ts";
import { parserLimits } from "../call/elements.ts";
import { failure } from "../call/errors.ts";
import {
  below,
  fieldOf,
  isObject,
  type JsonMessage,
  messagesIn,
  numberUnknown,
  shallow,
} from "../call/json-message.ts";
import { withoutLongNumbers } from "../call/json-number.ts";
import * as texts from "../call/violation-texts.ts";
import { strictText } from "../form/message.ts";

/**
 * The bytes of a message in JSON as the parser takes them, which refuses the first thing that it
 * does not understand: what is no value of an enum becomes a number that it does not have, so that
 * it is refused together with all other rules of fields that are broken. Throws the refusal of
 * bytes that are no message, in our words and with nothing of what was sent but names of fields,
 * which are those of JSON.
 */
export function toParsable(schema: DescMessage, bytes: Uint8Array): Uint8Array {
  const text = withoutLongNumbers(schema, strictText.decode(bytes));
  const parse = (json: string) => () => fromJsonString(schema, json, parserLimits);
  const error = errorOf(parse(text));
  if (error === undefined) return bytes;
  if (!isNoValueOfEnum(error)) throw failure(explainJson(schema, error, text));
  const request = JSON.parse(text) as JsonValue;
  numberUnknown(schema, request);
  const numbered = JSON.stringify(request);
  const other = errorOf(parse(numbered));
  if (other !== undefined) throw failure(explainJson(schema, other, numbered));
  return Buffer.from(numbered);
}

/** Explains what Protobuf-ES and V8 find wrong with a request in JSON. */
function explainJson(schema: DescMessage, error: Error, text: string): Rejection {
  const violation = violationOf(schema, error, text);
  return { ...rejectionOfFields([violation]), reason: "MALFORMED_REQUEST" };
}

function errorOf(parse: () => unknown): Error | undefined {
  try {
    parse();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof Error) return thrown;
    throw thrown;
  }
}

function isNoValueOfEnum({ message, cause }: Error): boolean {
  if (!isFieldError(cause)) return message.startsWith("cannot decode enum ");
  const field = cause.field();
  const isAboutValue = !/^expected Array|^set multiple times$/.test(cause.message);
  return field.kind === "field" && field.enum !== undefined && isAboutValue;
}

function violationOf(schema: DescMessage, error: Error, text: string): Violation {
  const { message, cause } = error;
  if (error instanceof RangeError) return explainDuration(schema, error, text);
  if (isFieldError(cause)) {
    const target = cause.field();
    const at = findMessage(schema, error, text, target.parent.typeName);
    return explainField(at, target, cause.message);
  }
  const [, typeName, said = ""] = decodeError.exec(message) ?? [];
  if (typeName === undefined) return { field: "", description: texts.misfit };
  if (cause instanceof Error) return { field: "", description: texts.noJson(cause.message) };
  const depth = /^maximum recursion depth of (\d+) reached$/.exec(said)?.[1];
  if (depth !== undefined) return { field: "", description: texts.tooDeep(Number(depth)) };
  const twice = /^duplicate object key "(.*)"$/s.exec(said)?.[1];
  if (twice !== undefined) return explainTwice(schema, twice, text);

  const at = findMessage(schema, error, text, typeName);
  if (at === undefined) return { field: "", description: texts.misfit };
  const { path, desc } = at;
  const key = /^key "(.*)" is unknown$/s.exec(said)?.[1];
  if (key === undefined) return { field: path, description: texts.wrongType(desc, said) };
  const { fields } = desc;
  if (!nameLike.test(key)) return { field: path, description: texts.unnamedField(fields) };
  return { field: below(path, key), description: texts.unknownField(key, fields) };
}

const decodeError = /^cannot decode (?:message|enum) (\S+) from JSON:? (.*)$/s;

/** A key that may be the name of a field is repeated in a refusal, any other is not. */
const nameLike = /^[A-Za-z_]\w{0,39}$/;

function explainField(
  at: JsonMessage | undefined,
  target: DescField | DescOneof,
  said: string,
): Violation {
  const [, first, second] = /^oneof set multiple times by (\w+) and (\w+)$/.exec(said) ?? [];
  const field = target.kind === "field" ? target : target.fields.find((it) => it.name === second);
  if (field === undefined || at === undefined) return { field: "", description: texts.misfit };
  const path = below(at.path, field.jsonName);
  const rival = field.parent.fields.find(({ name }) => name === first);
  if (rival !== undefined) return { field: path, description: texts.rival(rival.jsonName) };
  return { field: path + entryIn(at, field, said), description: texts.wrongValue(field, said) };
}

/** Which entry of a list is meant; of those that are null the number is not said. */
function entryIn({ value }: JsonMessage, { name, jsonName }: DescField, said: string): string {
  const [isEntry, number] = /^list item (?:#(\d+))?/.exec(said) ?? [];
  if (isEntry === undefined) return "";
  if (number !== undefined) return `[${Number(number) - 1}]`;
  const list = isObject(value) ? (value[jsonName] ?? value[name]) : undefined;
  return Array.isArray(list) ? `[${list.indexOf(null)}]` : "";
}

/** Protobuf-ES fails so where a duration has more than nine decimals. */
function explainDuration(schema: DescMessage, error: Error, text: string): Violation {
  const at = findMessage(schema, error, text, DurationSchema.typeName);
  return { field: at?.path ?? "", description: texts.wrongType(DurationSchema, "") };
}

/** Where it was, nobody says: the path is told where only one field has the name. */
function explainTwice(schema: DescMessage, key: string, text: string): Violation {
  const messages = messagesIn(schema, JSON.parse(text));
  const paths = messages.flatMap(({ path, desc, value }) => {
    const field = isObject(value) && Object.hasOwn(value, key) ? fieldOf(desc, key) : undefined;
    return field === undefined ? [] : below(path, field.jsonName);
  });
  const description = "is given twice";
  // Any names may stand in a Struct.
  const [field, ...others] = messages.some(({ desc }) => desc === StructSchema) ? [] : paths;
  if (field !== undefined && others.length === 0) return { field, description };
  return { field: "", description: `${nameLike.test(key) ? key : "a name"} ${description}` };
}

/**
 * The innermost message of a type that is refused in the same words by itself. Those within it are
 * looked at by themselves, for else each would be read once for every message that it stands in.
 */
function findMessage(
  schema: DescMessage,
  { message }: Error,
  text: string,
  typeName: string,
): JsonMessage | undefined {
  return messagesIn(schema, JSON.parse(text)).find(
    (at) =>
      at.desc.typeName === typeName &&
      errorOf(() => fromJson(at.desc, shallow(at)))?.message === message,
  );
}
