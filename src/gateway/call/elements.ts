import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";

/** Bounds on what one request message is made of, whatever its bytes. */
export const requestLimits = {
  /** Fields that are set and entries of lists, in all messages within it. */
  elements: 4_096,
  /** Messages within each other. */
  depth: 100,
  /** Characters of a number of 64 bits that stands in JSON as a text. */
  numberCharacters: 4_096,
  /** Broken rules that are looked for and told. */
  violations: 100,
} as const;

/** What parsers are told of it. */
export const parserLimits = { recursionLimit: requestLimits.depth } as const;

/** How a message is written. */
export type Encoding = "binary" | "json";

/** How messages of a content type are written, whatever protocol they are framed in. */
export function encodingOf(contentType: string | null): Encoding {
  return /json/i.test(contentType ?? "") ? "json" : "binary";
}

/**
 * Whether a message has more elements than it may, told from its bytes before anything is made of
 * them: two bytes can stand for an object, and compressed for a thousand. Reads no further than is
 * allowed, and leaves bytes that are no message to the parser.
 */
export function hasTooManyElements(
  encoding: Encoding,
  input: DescMessage,
  bytes: Uint8Array,
): boolean {
  // Each element takes a byte at least, and so most messages need not be read.
  if (bytes.byteLength <= requestLimits.elements) return false;
  return encoding === "json" ? isJsonTooMany(bytes) : isBinaryTooMany(input, bytes);
}

const comma = 0x2c;
const quote = 0x22;
const backslash = 0x5c;
const openings: ReadonlySet<number | undefined> = new Set([..."{["].map(codeOf));
const closings: ReadonlySet<number | undefined> = new Set([..."}]"].map(codeOf));
const blanks: ReadonlySet<number | undefined> = new Set([..." \t\n\r"].map(codeOf));

function codeOf(character: string): number {
  return character.charCodeAt(0);
}

/** Counts what follows a comma, or an opening that is not closed at once. */
function isJsonTooMany(bytes: Uint8Array): boolean {
  let elements = 0;
  let isOpened = false;
  for (let at = 0; at < bytes.length && elements <= requestLimits.elements; at += 1) {
    const byte = bytes[at];
    if (blanks.has(byte)) continue;
    if (byte === comma || (isOpened && !closings.has(byte))) elements += 1;
    isOpened = openings.has(byte);
    if (byte === quote) at = endOfText(bytes, at + 1);
  }
  return elements > requestLimits.elements;
}

/** Where the text that begins here has its closing quote. */
function endOfText(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/** Reads as the parser does, byte for byte, for what is read in another way hides what it holds. */
function isBinaryTooMany(input: DescMessage, bytes: Uint8Array): boolean {
  const walk = { reader: new BinaryReader(bytes), elements: 0, depth: 0 };
  try {
    planOf(input)(walk, bytes.byteLength);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
  }
  return walk.elements > requestLimits.elements;
}

/** How far the bytes have been read. */
interface Walk {
  readonly reader: BinaryReader;
  elements: number;
  depth: number;
}

/** Reads past a message of so many bytes. Throws where it is none, or enough was counted. */
type Pass = (walk: Walk, bytes: number) => void;

const plans = new Map<string, Pass>();

function planOf(message: DescMessage): Pass {
  const known = plans.get(message.typeName);
  if (known !== undefined) return known;
  const fields = new Map<number, PassField>();
  const passFields = createPass(fields);
  const pass: Pass = (walk, bytes) => {
    walk.depth += 1;
    if (walk.depth > requestLimits.depth) throw new RangeError("the parser goes no deeper");
    passFields(walk, bytes);
    walk.depth -= 1;
  };
  // Known before its fields are, so that a message may contain itself.
  plans.set(message.typeName, pass);
  for (const field of message.fields) fields.set(field.number, planField(field));
  return pass;
}

function createPass(fields: ReadonlyMap<number, PassField>): Pass {
  return (walk, bytes) => {
    const { reader } = walk;
    const end = reader.pos + bytes;
    while (reader.pos < end) {
      const [number, wireType] = reader.tag();
      count(walk);
      const field = fields.get(number);
      if (field !== undefined) field(walk, wireType);
      else reader.skip(wireType, number, requestLimits.depth - walk.depth);
    }
  };
}

/** Reads past the value of a field, for which the wire type is only what was sent. */
type PassField = (walk: Walk, wireType: WireType) => void;

function planField(field: DescField): PassField {
  if (field.fieldKind === "map") {
    const value = field.message ? passMessage(field.message) : passScalar(field.scalar);
    const entry = createPass(
      new Map([
        [1, passScalar(field.mapKey)],
        [2, value],
      ]),
    );
    return (walk) => entry(walk, walk.reader.uint32());
  }
  if (field.message !== undefined) return passMessage(field.message);
  const single = passScalar(field.scalar);
  const isPackable = wireTypeOf(field.scalar) !== WireType.LengthDelimited;
  if (field.fieldKind !== "list" || !isPackable) return single;
  return (walk, wireType) => {
    if (wireType !== WireType.LengthDelimited) return single(walk, wireType);
    const { reader } = walk;
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) {
      count(walk);
      single(walk, wireType);
    }
  };
}

function passMessage(message: DescMessage): PassField {
  const pass = planOf(message);
  return (walk) => pass(walk, walk.reader.uint32());
}

/** An enum has no scalar, and is written as a number. */
function passScalar(scalar: ScalarType | undefined): PassField {
  const wireType = wireTypeOf(scalar);
  return ({ reader }) => reader.skip(wireType);
}

function wireTypeOf(scalar: ScalarType | undefined): WireType {
  switch (scalar) {
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return WireType.LengthDelimited;
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return WireType.Bit64;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return WireType.Bit32;
    default:
      return WireType.Varint;
  }
}

function count(walk: Walk): void {
  walk.elements += 1;
  if (walk.elements > requestLimits.elements) throw new RangeError("that was enough");
}
