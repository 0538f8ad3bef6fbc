import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { type DestinationStream, destination, type Logger, pino } from "pino";
import type { CallLine, RefusalLine } from "../gateway/call/call.ts";
import type { RequestLine } from "../provider/base/parts.ts";
import { prettyLine } from "./pretty.ts";

/** Members whose values never belong in a log. */
const secretMembers = [
  "authorization",
  "clientSecret",
  "clientSecretHash",
  "password",
  "token",
  "tokenHash",
];

/** Bytes that wait for a reader of the log who is slow or gone; lines past that are dropped. */
export const waitingBytesMax = 4 * 1024 * 1024;

/** Bytes of the lines of a start that are written at once: fewer than a pipe holds for a reader. */
export const startBytesMax = 16 * 1024;

/** Bytes of lines that are written together, and the longest that lines wait for others. */
const together = { bytes: 4_096, ms: 100 };

/** Bytes that a pipe takes in one piece, so that the lines of several processes stay whole. */
const pieceBytesMax = 4_096;

/** Milliseconds that the last lines have to get out before the process ends. */
const flushTimeoutMs = 1_000;

export interface Logs {
  /** For everything that may happen; secrets are withheld by the names of their members. */
  readonly log: Logger;
  /** For the one line per call, whose members are fixed, so that nothing needs to be withheld. */
  readonly logCall: (line: CallLine) => void;
  /** The same for the one line per request of the OpenID provider. */
  readonly logRequest: (line: RequestLine) => void;
  /** The same for the one line per request that reached no method. */
  readonly logRefusal: (line: RefusalLine) => void;
}

/** The log of a process. */
export interface ProcessLogs extends Logs {
  /** Says that the start is over. Lines then wait for each other, since calls wait for them. */
  readonly gather: () => void;
  /** Ends the process when the last lines are out, and at the latest a second later. */
  readonly exit: (code: number) => void;
}

/**
 * Structured lines on standard error, and lines for people where that is a terminal; standard
 * output is for what people and scripts read. A log that cannot be written, or that nobody reads,
 * costs lines and never the service. Shared, other processes write lines to the same place.
 */
export function createLogs(level: string, { isShared = false } = {}): ProcessLogs {
  const stream = openLog(2, { isShared });
  // With it a fatal line would pass those that are on their way, and an exit wait for a reader.
  stream.flushSync = () => {};
  const gather = writeAtOnce(stream, 2);
  let isEnding = false;
  const exit = (code: number) => {
    // A stream that has ended cannot be ended again, and to ask twice is to want the same.
    if (isEnding) return;
    isEnding = true;
    const end = () => process.exit(code);
    setTimeout(end, flushTimeoutMs);
    stream.once("close", end).end();
    // What comes from now on has nowhere to go; to a stream that is closed, a line is an error.
    stream.write = () => true;
  };
  const pretty = { write: (line: string) => stream.write(prettyLine(line)) };
  return { ...logsTo(isatty(2) ? pretty : stream, level), gather, exit };
}

/** The way of lines to a file descriptor, on which they wait for it and for each other. */
export function openLog(descriptor: number, { isShared }: { readonly isShared: boolean }) {
  const stream = destination({
    ...{ dest: descriptor, sync: false, maxLength: waitingBytesMax },
    ...{ minLength: together.bytes, periodicFlush: together.ms },
    ...(isShared ? { minLength: pieceBytesMax - 1, maxWrite: pieceBytesMax } : {}),
    // As text, all lines that wait would be copied anew for each that joins them.
    contentMode: "buffer",
  });
  const write = stream.write as (line: string | Uint8Array) => boolean;
  stream.write = (line) => write.call(stream, Buffer.from(line));
  return stream.on("error", () => {});
}

/**
 * Has lines written before `write` returns, until what this answers is called: a start may work for
 * minutes, in which nothing that waits gets out, and may be killed. What the file descriptor does
 * not take at once, and all past `startBytesMax`, waits as other lines do.
 */
function writeAtOnce(stream: ReturnType<typeof openLog>, descriptor: number): () => void {
  const wait = stream.write as (line: string | Uint8Array) => boolean;
  let bytesLeft = startBytesMax;
  stream.write = (line) => {
    if (bytesLeft <= 0) return wait(line);
    const bytes = Buffer.from(line);
    bytesLeft -= bytes.byteLength;
    const written = bytesLeft < 0 ? 0 : writeWhatFits(descriptor, bytes);
    if (written === bytes.byteLength) return true;
    bytesLeft = 0;
    return wait(bytes.subarray(written));
  };
  // What an exit has put in the place of `write` stays.
  return () => {
    bytesLeft = 0;
  };
}

/** How many of the bytes are written; none where the descriptor refuses them. */
function writeWhatFits(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch {
    return 0;
  }
}

/** The same lines to another stream. */
export function logsTo(stream: DestinationStream, level: string): Logs {
  const paths = secretMembers.flatMap((member) => [member, `*.${member}`, `*.*.${member}`]);
  // Looking for secrets in a line costs several times what writing it does.
  const calls = pino({ level }, stream);
  return {
    log: pino({ level, redact: { paths } }, stream),
    logCall: (line) => calls.info(line, "call"),
    logRequest: (line) => calls.info(line, "openid"),
    logRefusal: (line) => calls.info(line, "refused"),
  };
}
