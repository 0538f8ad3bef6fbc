import { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import type { Lease } from "./budget.ts";
import type { Room } from "./limits.ts";
import { createPieces } from "./pieces.ts";

/** What has come of a body. */
export interface Received {
  readonly bytes: Buffer;
  /** Whether that is all of it; otherwise the rest waits in the stream. */
  readonly isWhole: boolean;
}

/** How many bytes a body may have, and what it counts as at least. */
export type Bounds = Pick<Room, "messageBytes" | "leastBytes">;

/**
 * Takes a body of HTTP/1.1 of which all bytes that were announced are there, as most are, so that
 * nothing needs to wait or to listen. Undefined for others: over HTTP/2 more may come than that, or
 * a reset in place of an end.
 */
export function takeArrived(
  body: Readable,
  announced: string | undefined,
  { messageBytes, leastBytes }: Bounds,
  lease: Pick<Lease, "hold">,
): Received | undefined {
  if (!(body instanceof IncomingMessage) || body.destroyed || body.readableFlowing)
    return undefined;
  const bytes = body.readableLength;
  if (String(bytes) !== announced || bytes > messageBytes) return undefined;
  if (!lease.hold(Math.max(bytes, leastBytes))) return { bytes: none, isWhole: false };
  const pieces = createPieces();
  pieces.add(body.read() ?? none);
  lease.hold(bytes);
  // Its end is behind its bytes, and Node waits for that to be read.
  body.resume();
  return { bytes: pieces.join(), isWhole: true };
}

/**
 * Reads a body until its end, or until it is larger than it may be or than there is room for. Until
 * its end it counts as the least bytes, if it has no more. Never settles where the stream closes
 * before that.
 */
export function receive(
  body: Readable,
  { messageBytes, leastBytes }: Bounds,
  lease: Pick<Lease, "hold">,
): Promise<Received> {
  // Node ends a body without bytes whether or not anybody reads.
  if (body.readableEnded) return Promise.resolve({ bytes: none, isWhole: true });
  if (!lease.hold(leastBytes)) return Promise.resolve({ bytes: none, isWhole: false });
  return new Promise((resolve) => {
    const pieces = createPieces();
    const stop = (isWhole: boolean) => {
      // One that is over may stay in memory for a while, and all of its call with these.
      body.off("data", take).off("end", end);
      if (!isWhole) body.pause();
      resolve({ bytes: pieces.join(), isWhole });
    };
    const take = (chunk: Buffer) => {
      pieces.add(chunk);
      if (pieces.bytes > messageBytes || !lease.hold(Math.max(pieces.bytes, leastBytes)))
        stop(false);
    };
    const end = () => {
      lease.hold(pieces.bytes);
      stop(true);
    };
    body.on("data", take).on("end", end);
  });
}

const none = Buffer.alloc(0);

/** The same body for somebody else to read: what has come, and then the rest. */
export async function* replayed({ bytes, isWhole }: Received, body: Readable) {
  if (bytes.byteLength > 0) yield bytes;
  if (isWhole) return;
  for await (const chunk of body) yield chunk as Buffer;
}
