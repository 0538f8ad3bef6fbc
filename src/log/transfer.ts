import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { ConfigError } from "../config/config.ts";
import { readIfThere, syncDirectory } from "../file.ts";
import { type BroughtEvent, createCheck, isSame, type SealedEvent } from "../store/chain/chain.ts";
import {
  beginLine,
  endLine,
  endOfLine,
  eventLine,
  eventOfLine,
  logOfLine,
} from "../store/chain/line.ts";
import { firstLink } from "../store/chain/link.ts";
import type { ReadLog } from "../store/read-log.ts";
import type { LogPlace } from "./place.ts";

/**
 * Writes the events of a log into a file, one on each line, for its owner alone, and behind them
 * where they end. Where the file has some of them already, as after an export that was cut short,
 * it goes on behind the last whole event. Answers how many it wrote. Rejects with a ConfigError
 * where the file holds something else.
 */
export async function exportLog(
  { name, readEvents }: Pick<LogPlace, "name" | "readEvents">,
  file: string,
): Promise<number> {
  const log = await readEvents().catch((cause: Error) => {
    throw new ConfigError(`The event log ${name} cannot be exported: ${cause.message}`, { cause });
  });
  try {
    const found = await foundIn(file);
    const { bytes } = found;
    if (bytes > 0) await assertSame(log, file, found);
    else await assertBegins(file, beginLine(log.id));
    const target = await open(file, "a", 0o600);
    try {
      await target.chmod(0o600);
      await target.truncate(bytes);
      // Unlike `write`, it goes on where a disk that is nearly full takes a part alone.
      const write = (text: string) => target.appendFile(text);
      if (bytes === 0) await write(`${beginLine(log.id)}\n`);
      let [count, lines, last] = [0, "", found.last];
      for await (const event of log.after(last?.position ?? 0n)) {
        lines += `${eventLine(event)}\n`;
        count += 1;
        last = event;
        if (lines.length < piece) continue;
        await write(lines);
        lines = "";
      }
      // A log begins with an event of its own.
      if (last !== undefined) lines += `${endLine(last)}\n`;
      await write(lines);
      await target.sync();
      await syncDirectory(dirname(file));
      return count;
    } finally {
      await target.close();
    }
  } finally {
    await log.close();
  }
}

/** Characters that are written at once, about. */
const piece = 1024 * 1024;

/** How far a file is an export. */
interface Begun {
  /** Of its whole lines but the end; 0 where there is none. */
  readonly bytes: number;
  readonly log?: string;
  /** The last event; undefined where there is none yet. */
  readonly last?: SealedEvent;
}

/** What is in the file by now. Rejects with a ConfigError where that is something else. */
async function foundIn(file: string): Promise<Begun> {
  let found: Begun = { bytes: 0 };
  let isEnded = false;
  for await (const { line, bytes } of wholeLines(file)) {
    const log = found.log ?? logOfLine(line);
    const last = found.log === undefined ? undefined : eventOfLine(line);
    const isEnd: boolean = found.last !== undefined && endOfLine(line) !== undefined;
    const isEvent = found.log === undefined || last !== undefined;
    if (log === undefined || isEnded || !(isEvent || isEnd)) {
      throw new ConfigError(`${file} is not an export: name another file.`);
    }
    isEnded = isEnd;
    if (isEnd) continue;
    found = { bytes: found.bytes + bytes, log, ...(last === undefined ? {} : { last }) };
  }
  return found;
}

/** Throws a ConfigError where a file without a whole line is not an export that was just begun. */
async function assertBegins(file: string, line: string): Promise<void> {
  const text = (await readIfThere(file)) ?? "";
  if (line.startsWith(text)) return;
  throw new ConfigError(`${file} is not an export: name another file.`);
}

/** Throws a ConfigError where an export is not of this log, or of another past of it. */
async function assertSame(log: ReadLog, file: string, { log: id, last }: Begun): Promise<void> {
  const event = last && (await log.at(last.position));
  const isSamePast = last === undefined || (event !== undefined && isSame(event.link, last.link));
  if (id === log.id && isSamePast) return;
  throw new ConfigError(
    `${file} is an export of another log, or of another history: name another file.`,
  );
}

/** The lines of a file that end, with the bytes that each takes; none where there is no file. */
async function* wholeLines(
  file: string,
): AsyncGenerator<{ readonly line: string; readonly bytes: number }> {
  let rest = "";
  const stream = createReadStream(file, { encoding: "utf8" });
  try {
    for await (const chunk of stream) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield { line, bytes: Buffer.byteLength(line) + 1 };
    }
  } catch (cause) {
    const { code, syscall } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    if (syscall === undefined) throw cause;
    throw new ConfigError(`${file} cannot be read: ${code}`, { cause });
  }
}

/**
 * Reads an export: the id of its log, and the events. Rejects with a ConfigError where the file is
 * none; so do the events where one is missing, or does not follow the one before, and where the
 * export was cut before its end.
 */
export async function readExport(file: string) {
  const lines = wholeLines(file);
  const { value: first, done } = await lines.next();
  if (done) throw new ConfigError(`${file} does not exist, or was cut before its first event.`);
  const log = logOfLine(first?.line ?? "");
  if (log === undefined) throw new ConfigError(`${file} is not an export of a log.`);
  return { log, events: eventsOf(file, log, lines) };
}

/** An export as a log that is read, over again each time. */
export async function exportedLog(file: string): Promise<Omit<ReadLog, "close">> {
  const { log: id } = await readExport(file);
  async function* after(position: bigint): AsyncGenerator<BroughtEvent> {
    for await (const event of (await readExport(file)).events) {
      if (event.position > position) yield event;
    }
  }
  const at = async (position: bigint) => {
    for await (const event of after(position - 1n)) return event;
    return undefined;
  };
  return { id, at, after };
}

async function* eventsOf(
  file: string,
  log: string,
  lines: AsyncGenerator<{ readonly line: string }>,
): AsyncGenerator<BroughtEvent> {
  const check = createCheck({ id: log });
  let [position, link] = [0n, firstLink];
  let isEnded = false;
  for await (const { line } of lines) {
    const end = endOfLine(line);
    const isEnd = end?.position === position && isSame(end.link, link);
    const event = eventOfLine(line);
    const isNext = event?.position === position + 1n && check(event, link).length === 0;
    if (isEnded || !(isEnd || isNext)) {
      const number = position + (isEnded ? 3n : 2n);
      throw new ConfigError(
        `${file} is damaged: line ${number} does not continue the line before.`,
      );
    }
    isEnded = isEnd;
    if (!isNext) continue;
    ({ position, link } = event);
    yield event;
  }
  if (isEnded) return;
  throw new ConfigError(
    `The export ${file} was cut: the end after position ${position} is missing. Export ` +
      "again; into the same file, the export continues there.",
  );
}
