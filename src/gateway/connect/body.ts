import { ConnectError } from "@connectrpc/connect";
import type { Compression, UniversalServerRequest } from "@connectrpc/connect/protocol";
import { compressionGzip } from "@connectrpc/connect-node";
import { rejectionFor } from "../../domain/decision.ts";
import type { Lease } from "../call/budget.ts";
import type { Call, HeaderFields } from "../call/call.ts";
import { bodyTooLarge, failure, requestTimeout, unsupportedMediaType } from "../call/errors.ts";
import { frameBytes } from "../form/frame.ts";
import type { EarlyEnd } from "./early-end.ts";

type Body = UniversalServerRequest["body"];
export type Chunks = AsyncIterable<Uint8Array>;

export function isStream(body: Body): body is Chunks {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/**
 * Throws where a chunk of a body must not be read any further. It is given one without bytes before
 * any is there.
 */
export type ChunkCheck = (chunk: Uint8Array) => void;

/**
 * Reads a body and checks each chunk. The call ends with REQUEST_TIMEOUT where the body is not
 * complete in time, and reading fails as soon as the call ends.
 */
export async function* readInTime(
  body: Chunks,
  timeoutMs: number,
  earlyEnd: EarlyEnd,
  check: ChunkCheck,
) {
  const chunks = body[Symbol.asyncIterator]();
  const timer = setTimeout(() => {
    earlyEnd.fail(requestTimeout(timeoutMs));
  }, timeoutMs);
  // Connect leaves a body that it does not want any more without a word.
  timer.unref();
  try {
    check(nothing);
    for (;;) {
      const chunk = await earlyEnd.race(chunks.next());
      if (chunk.done === true) return;
      check(chunk.value);
      yield chunk.value;
    }
  } finally {
    // What is left is the port's to drop: to return the iterator would destroy the request, and the
    // next one on the connection would never be read.
    clearTimeout(timer);
  }
}

/**
 * Creates the check that frames have known flags and that there is room for the body. A call holds
 * its whole body for as long as it lives, a stream of messages only what it has not handed on.
 */
export function createChunkCheck(
  { header, form }: Pick<Call, "header" | "form">,
  { lease, leastBytes }: { readonly lease: Lease; readonly leastBytes: number },
  isStream: boolean,
): ChunkCheck {
  const field = form.frameField(header.get("content-type") ?? "");
  const frames = field === undefined ? undefined : createFrames(header, field);
  let held = 0;
  return (chunk) => {
    const begun = frames?.(chunk);
    held += chunk.byteLength;
    if (!lease.hold(Math.max(held, leastBytes))) throw overloaded();
    // Who asks for the next chunk has taken every message that was complete with this one.
    if (isStream && begun !== undefined) held = begun;
  };
}

const nothing = new Uint8Array();

export function overloaded() {
  return failure(rejectionFor("BODIES_OVERLOADED"));
}

/** Takes the next chunk, and answers how many bytes of an incomplete message are there then. */
type Frames = (chunk: Uint8Array) => number;

/**
 * Follows frames, whose flags must be known ones: a frame is compressed as the header says, or not
 * at all. Connect itself would take a frame with any other flag for a message, or leave it out.
 */
function createFrames(header: HeaderFields, field: string): Frames {
  const head = Buffer.alloc(frameBytes);
  let headBytes = 0;
  let left = 0;
  let begun = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      const step = left > 0 ? Math.min(left, chunk.length - at) : 1;
      begun += step;
      if (left > 0) {
        left -= step;
      } else {
        head[headBytes] = chunk[at] ?? 0;
        headBytes += 1;
        if (headBytes === 1) checkFlags(head.readUInt8(), header, field);
        if (headBytes === frameBytes) {
          left = head.readUInt32BE(1);
          headBytes = 0;
        }
      }
      at += step;
      if (left === 0 && headBytes === 0) begun = 0;
    }
    return begun;
  };
}

function checkFlags(flags: number, header: HeaderFields, field: string): void {
  const encoding = header.get(field);
  const isCompressed = flags === 1;
  if (flags === 0 || (isCompressed && encoding !== null && encoding !== "identity")) return;
  const message = isCompressed
    ? `A frame is flagged as compressed, but the header ${field} names no compression.`
    : `A frame has the flags ${flags}: frames of a request have the flags 0 or 1.`;
  throw failure({ reason: "MALFORMED_REQUEST", message });
}

/** Replaces an empty body by `{}`. */
export async function* replaceEmpty(body: Chunks) {
  let empty = true;
  for await (const chunk of body) {
    empty &&= chunk.byteLength === 0;
    yield chunk;
  }
  if (empty) yield emptyMessage;
}

/** Replaces a body by `{}`, and refuses any other than an empty one, whose type nothing says. */
export async function* requireEmpty(body: Chunks) {
  for await (const chunk of body) {
    if (chunk.byteLength > 0) throw unsupportedMediaType(null);
  }
  yield emptyMessage;
}

const emptyMessage = new TextEncoder().encode("{}");

/**
 * How requests and answers may be compressed; what is wrong with compressed bytes is told as ours.
 * Brotli is not among them: fifty bytes of it make its decoder allocate sixteen million.
 */
export const compressions: readonly [Compression] = [
  {
    ...compressionGzip,
    async decompress(bytes, bytesMax) {
      try {
        return await compressionGzip.decompress(bytes, bytesMax);
      } catch (thrown) {
        if (isTooLarge(thrown)) throw bodyTooLarge(bytesMax);
        const message = "The message cannot be decompressed: it is truncated or not gzip.";
        throw failure({ reason: "MALFORMED_REQUEST", message });
      }
    },
  },
];

/** Bytes from which on an answer is compressed for a caller that reads gzip. */
export const compressMinBytes = 1_024;

/** Whether zlib stopped at the limit. */
function isTooLarge(thrown: unknown): boolean {
  const cause = thrown instanceof ConnectError ? thrown.cause : undefined;
  return cause instanceof RangeError && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
}
