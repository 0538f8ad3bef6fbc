import type { Readable } from "node:stream";
import type { Lease } from "../budget.ts";

/** What has come of a body. */
export interface Received {
  readonly chunks: readonly Buffer[];
  /** Whether that is all of it; otherwise the rest waits in the stream. */
  readonly isWhole: boolean;
}

/**
 * Reads a body until its end, or until it is larger than it may be or than there is room for. Never
 * settles where the stream closes before that.
 */
export function receive(body: Readable, bytesMax: number, lease: Lease): Promise<Received> {
  // Node ends a body without bytes whether or not anybody reads.
  if (body.readableEnded) return Promise.resolve({ chunks: [], isWhole: true });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stop = (isWhole: boolean) => {
      body.off("data", take).off("end", end);
      if (!isWhole) body.pause();
      resolve({ chunks, isWhole });
    };
    const take = (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes > bytesMax || !lease.hold(bytes)) stop(false);
    };
    const end = () => stop(true);
    body.on("data", take).on("end", end);
  });
}

/** The bytes in one piece; copied only where there are several. */
export function joined(chunks: readonly Uint8Array[]): Buffer {
  const [first, ...others] = chunks;
  if (first === undefined || others.length > 0) return Buffer.concat(chunks);
  return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
}

/** The same body for somebody else to read: what has come, and then the rest. */
export async function* replayed({ chunks, isWhole }: Received, body: Readable) {
  yield* chunks;
  if (isWhole) return;
  for await (const chunk of body) yield chunk as Buffer;
}
