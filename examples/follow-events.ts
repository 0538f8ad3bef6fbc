import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { argv, env, exit, stderr, stdout } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import type { Event } from "../gen/iam/event/v1/event_pb.js";
import { EventService } from "../gen/iam/event/v1/event_service_pb.js";
import { describeRefusal } from "./refusal.ts";

// Follows the event log over gRPC, one line for each event, until it is told to stop (Ctrl-C):
//
//   node examples/follow-events.ts events.position
//
// The file remembers how far it has come, so the next run goes on without gap or repeat. Types of
// events may follow, like user.human.added; then only those are shown. Ends with 0 when it is
// told to stop, 1 when the service refuses, 2 when the file is of no use.

const [file, ...eventTypes] = argv.slice(2);
const { IAM_URL = "http://127.0.0.1:8080", IAM_TOKEN = "" } = env;
if (file === undefined || IAM_TOKEN === "") {
  stderr.write("usage: IAM_TOKEN=… node examples/follow-events.ts FILE [TYPE…]\n");
  exit(2);
}

/** Pauses before another try: the first, doubled each time, and the longest. */
const pauseMs = { first: 250, longest: 30_000 };
/** Trying again does not help against these. */
const final = [
  ...[Code.Unauthenticated, Code.PermissionDenied, Code.InvalidArgument, Code.Unimplemented],
  // The log has lost what was shown already.
  Code.FailedPrecondition,
];

const authorize: Interceptor = (next) => (request) => {
  request.header.set("authorization", `Bearer ${IAM_TOKEN}`);
  return next(request);
};
const client = createClient(
  EventService,
  createGrpcTransport({
    baseUrl: IAM_URL,
    interceptors: [authorize],
    // A connection that died without a word is noticed: the service answers pings.
    pingIntervalMs: 15_000,
  }),
);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => stop.abort());

/** The place up to which everything has been shown: a resume token, or a position. */
function recall(path: string): string {
  const text = existsSync(path) ? readFileSync(path, "utf8").trim() : "0";
  if (!/^\d{1,16}(-\w+)?$/.test(text)) throw new Error("it does not hold a place");
  return text;
}

/** A file is replaced at once or not at all, so that no crash leaves half a place. */
function remember(path: string, place: string): void {
  writeFileSync(`${path}.new`, `${place}\n`);
  renameSync(`${path}.new`, path);
}

/** One line: JSON escapes the line breaks that names may have. */
function lineOf({ sequence, creationDate, type, aggregate, editor, payload }: Event): string {
  const time = creationDate ? timestampDate(creationDate).toISOString() : "";
  const by = JSON.stringify(editor?.displayName || editor?.service);
  const what = JSON.stringify(payload);
  return `${sequence} ${time} ${type?.type} ${aggregate?.id} by ${by} ${what}\n`;
}

/** Resolves when the line is out. Waiting for that keeps a slow reader from filling the memory. */
function show(line: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  stdout.write(line, (error) => error ?? resolve());
  return promise;
}
// Nobody reads any more, as behind "| head".
stdout.on("error", () => exit(0));

let place = "0";
try {
  place = recall(file);
  remember(file, place);
} catch (thrown) {
  stderr.write(`${file}: ${thrown instanceof Error ? thrown.message : thrown}\n`);
  exit(2);
}
let nextPauseMs = pauseMs.first;
while (!stop.signal.aborted) {
  try {
    // The token tells the service to refuse where the log has lost what was shown.
    const from = place.includes("-") ? { resumeToken: place } : { sequence: BigInt(place) };
    const request = { ...from, eventTypes };
    for await (const answer of client.watchEvents(request, { signal: stop.signal })) {
      // The line is out before it counts: a crash in between repeats one, and loses none.
      if (answer.event) await show(lineOf(answer.event));
      place = answer.resumeToken || String(answer.processedSequence);
      remember(file, place);
      nextPauseMs = pauseMs.first;
    }
  } catch (thrown) {
    if (stop.signal.aborted) break;
    if (!(thrown instanceof ConnectError)) throw thrown;
    stderr.write(`${describeRefusal(thrown)}\n`);
    if (final.includes(thrown.code)) {
      process.exitCode = 1;
      break;
    }
  }
  // Not all at the same time, or a service that comes back is met by all who wait for it.
  const waitMs = nextPauseMs * (0.5 + Math.random() / 2);
  await pause(waitMs, undefined, { signal: stop.signal }).catch(() => {});
  nextPauseMs = Math.min(2 * nextPauseMs, pauseMs.longest);
}
