import { type DescField, type DescMessage, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { requestLimits } from "./elements.ts";
import { isOfGoogle, replaceValues } from "./json-message.ts";

/**
 * The same JSON, where a text that is too long for a number of 64 bits is none: to read one takes
 * ever longer with its digits, for a million of them a fifth of a second. What cannot have such a
 * text, or is no JSON, stays as it is.
 */
export function withoutLongNumbers(desc: DescMessage, text: string): string {
  if (!mayHaveLongNumbers(desc, text.length)) return text;
  const request = parsed(text);
  let isChanged = false;
  replaceValues(desc, request, (field, value) => {
    const isLong = typeof value === "string" && value.length > requestLimits.numberCharacters;
    if (!isLong || !isOf64Bits(field)) return value;
    isChanged = true;
    return "no number";
  });
  return isChanged ? JSON.stringify(request) : text;
}

/** Whether a message in JSON of so many bytes may have a number that takes long to read. */
export function mayHaveLongNumbers(desc: DescMessage, bytes: number): boolean {
  return bytes > requestLimits.numberCharacters && has64Bits(desc);
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    // The parser says what is wrong with it.
    return null;
  }
}

const known = new Map<string, boolean>();

/** Whether the message has a number of 64 bits, in itself or within. */
function has64Bits(desc: DescMessage): boolean {
  const found =
    known.get(desc.typeName) ?? [...typesIn(desc)].some(({ fields }) => fields.some(isOf64Bits));
  known.set(desc.typeName, found);
  return found;
}

function typesIn(desc: DescMessage, types = new Set<DescMessage>()): ReadonlySet<DescMessage> {
  if (types.has(desc) || isOfGoogle(desc)) return types;
  types.add(desc);
  for (const { message } of desc.fields) if (message !== undefined) typesIn(message, types);
  return types;
}

function isOf64Bits({ scalar }: DescField): boolean {
  return scalar !== undefined && of64Bits.has(scalar);
}

const of64Bits: ReadonlySet<ScalarType> = new Set([
  ...[ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64],
  ...[ScalarType.FIXED64, ScalarType.SFIXED64],
]);
