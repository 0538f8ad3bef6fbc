/** What a text is as JSON (RFC 8259), beyond the value that `JSON.parse` makes of it. */
export interface ScannedJson {
  /** Where the text stops being JSON; undefined where it is JSON to its end. */
  readonly fault?: Fault;
  /** The first names that an object has more than once: each the way that leads there. */
  readonly repeated: readonly Way[];
}

export interface Fault {
  /** The place in the text, in UTF-16 code units. */
  readonly at: number;
  /** What JSON would have there, for people. */
  readonly expected: string;
}

/** The names of members, and the places in lists, from the outermost value inwards. */
export type Way = readonly (string | number)[];

/** Bounds on what is told of repeated names; the text itself is bounded by whoever read it. */
const repeatedMax = 1_000;
const wayMax = 200;

interface Cursor {
  readonly text: string;
  at: number;
}

/** A list or an object that has begun and not ended. */
interface Level {
  readonly close: "]" | "}";
  /** How often each name was there; undefined in a list. */
  readonly names: Map<string, number> | undefined;
  /** The name of the member, or the place of the entry, that is being read. */
  step: string | number;
}

/** Reads the text once, without recursion: what is sent may be nested as deep as it is long. */
export function scanJson(text: string): ScannedJson {
  const cursor = { text, at: 0 };
  const levels: Level[] = [];
  const repeated: Way[] = [];
  for (;;) {
    const expected = readEntry(cursor, levels, repeated) ?? readEnds(cursor, levels);
    if (expected !== undefined) return { fault: { at: cursor.at, expected }, repeated };
    if (levels.length === 0) return { repeated };
  }
}

/** The line and the column of a place, both from 1; a character is a column. */
export function positionOf(text: string, at: number): { readonly line: number; column: number } {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  let column = 1;
  for (const _character of before.slice(before.lastIndexOf("\n") + 1)) column += 1;
  return { line, column };
}

/**
 * Reads the next value with its name, or goes into it if it is a list or an object that is not
 * empty. Answers what is missing, as all of these functions do.
 */
function readEntry(cursor: Cursor, levels: Level[], repeated: Way[]): string | undefined {
  for (;;) {
    const level = levels.at(-1);
    if (level?.names !== undefined) {
      const missing = readName(cursor, level, level.names, levels, repeated);
      if (missing !== undefined) return missing;
    }
    skipSpace(cursor);
    const isList = take(cursor, "[");
    if (!isList && !take(cursor, "{")) return readScalar(cursor);
    const close = isList ? "]" : "}";
    levels.push({ close, names: isList ? undefined : new Map(), step: 0 });
    skipSpace(cursor);
    // An end is for the next step to read.
    if (cursor.text[cursor.at] === close) return undefined;
  }
}

/** Reads the ends of what ends here, up to the comma before the next entry or the end of all. */
function readEnds(cursor: Cursor, levels: Level[]): string | undefined {
  for (;;) {
    skipSpace(cursor);
    const level = levels.at(-1);
    if (level === undefined) return cursor.at === cursor.text.length ? undefined : "the end";
    if (take(cursor, level.close)) {
      levels.pop();
    } else if (take(cursor, ",")) {
      if (typeof level.step === "number") level.step += 1;
      return undefined;
    } else {
      return `a comma or ${level.close}`;
    }
  }
}

function readName(
  cursor: Cursor,
  level: Level,
  names: Map<string, number>,
  levels: readonly Level[],
  repeated: Way[],
): string | undefined {
  skipSpace(cursor);
  const { at } = cursor;
  if (cursor.text[at] !== '"') return "a name in double quotes";
  const missing = readText(cursor);
  if (missing !== undefined) return missing;
  const quoted = cursor.text.slice(at, cursor.at);
  const name = quoted.includes("\\") ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  const times = (names.get(name) ?? 0) + 1;
  names.set(name, times);
  level.step = name;
  if (times === 2 && repeated.length < repeatedMax && levels.length <= wayMax) {
    repeated.push(levels.map(({ step }) => step));
  }
  skipSpace(cursor);
  return take(cursor, ":") ? undefined : "a colon";
}

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const literals = ["true", "false", "null"];

function readScalar(cursor: Cursor): string | undefined {
  const { text, at } = cursor;
  if (text[at] === '"') return readText(cursor);
  const literal = literals.find((each) => text.startsWith(each, at));
  number.lastIndex = at;
  const found = literal ?? number.exec(text)?.[0];
  if (found === undefined) return "a value";
  cursor.at += found.length;
  return undefined;
}

const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

function readText(cursor: Cursor): string | undefined {
  const { text } = cursor;
  for (cursor.at += 1; cursor.at < text.length; ) {
    const unit = text.charCodeAt(cursor.at);
    if (unit === 0x22) {
      cursor.at += 1;
      return undefined;
    }
    if (unit < 0x20) return "an escape such as \\n in place of a control character";
    if (unit === 0x5c) {
      escaped.lastIndex = cursor.at;
      const found = escaped.exec(text)?.[0];
      if (found === undefined) return "an escape that JSON knows";
      cursor.at += found.length;
    } else {
      cursor.at += 1;
    }
  }
  return "the double quote that ends the text";
}

function skipSpace(cursor: Cursor): void {
  for (;;) {
    const unit = cursor.text.charCodeAt(cursor.at);
    if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return;
    cursor.at += 1;
  }
}

function take(cursor: Cursor, mark: string): boolean {
  const isThere = cursor.text[cursor.at] === mark;
  if (isThere) cursor.at += 1;
  return isThere;
}
