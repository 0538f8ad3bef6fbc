import type { Compression } from "@connectrpc/connect/protocol";
import { rejectionFor } from "../../domain/decision.ts";
import type { Lease } from "../call/budget.ts";
import { type Encoding, hasTooManyElements } from "../call/elements.ts";
import { bodyTooLarge, failure } from "../call/errors.ts";
import type { Form } from "../call/form.ts";
import { createPieces } from "../call/pieces.ts";
import { frameBytes, writeFrame } from "../form/frame.ts";
import { type Chunks, compressions, overloaded } from "./body.ts";
import { toParsable } from "./json-fault.ts";
import type { MessageBounds } from "./misread.ts";

/** A body with the header fields that say how to read it. */
interface SentBody {
  readonly header: Headers;
  readonly body: Chunks;
}

/**
 * The same body in whole messages that are not compressed, for a parser that makes objects of all
 * it gets. Reading fails where a message has more bytes or elements than it may have. The lease
 * holds what was decompressed.
 */
export function unpack(
  { header, body }: SentBody,
  { encoding, frameField }: Pick<Form, "encoding" | "frameField">,
  { reading, lease }: { readonly reading: MessageBounds; readonly lease: Lease },
): SentBody {
  const field = frameField(header.get("content-type") ?? "");
  const compression = compressionIn(header, field ?? "content-encoding");
  const open = createOpener(encoding, compression, reading, lease);
  if (field !== undefined) return { header, body: unpackFrames(body, open, reading.bytesMax) };
  const plain = new Headers(header);
  plain.delete("content-length");
  if (compression !== undefined) plain.delete("content-encoding");
  const announced = Number(header.get("content-length") ?? 0);
  const whole = async () => {
    if (announced > reading.bytesMax) throw bodyTooLarge(reading.bytesMax);
    return await open(await joinAll(body, reading.bytesMax), compression !== undefined);
  };
  return { header: plain, body: once(whole) };
}

/** The compression that a field names; Connect refuses unknown ones before it reads a body. */
function compressionIn(header: Headers, field: string): Compression | undefined {
  return compressions.find(({ name }) => name === header.get(field));
}

/** Opens a message; rejects where it is too large in any way, or JSON that is none. */
type Open = (bytes: Uint8Array, isCompressed: boolean) => Promise<Uint8Array>;

function createOpener(
  encoding: Encoding,
  compression: Compression | undefined,
  { input, bytesMax }: MessageBounds,
  lease: Lease,
): Open {
  return async (bytes, isCompressed) => {
    const message =
      isCompressed && compression ? await compression.decompress(bytes, bytesMax) : bytes;
    if (message !== bytes && !lease.hold(message.byteLength)) throw overloaded();
    if (hasTooManyElements(encoding, input, message)) {
      throw failure(rejectionFor("TOO_MANY_ELEMENTS"));
    }
    return encoding === "json" ? toParsable(input, message) : message;
  };
}

/** Hands on each frame when it is whole, and what is left of one at the end as it came. */
async function* unpackFrames(body: Chunks, open: Open, bytesMax: number) {
  let pieces = createPieces();
  let needed = frameBytes;
  for await (const chunk of body) {
    pieces.add(chunk);
    while (pieces.bytes >= needed) {
      const bytes = pieces.join();
      needed = frameBytes + bytes.readUInt32BE(1);
      if (needed > frameBytes + bytesMax) throw bodyTooLarge(bytesMax);
      if (bytes.byteLength < needed) break;
      yield frameOf(await open(bytes.subarray(frameBytes, needed), bytes[0] === 1));
      pieces = createPieces();
      pieces.add(bytes.subarray(needed));
      needed = frameBytes;
    }
  }
  if (pieces.bytes > 0) yield pieces.join();
}

function frameOf(message: Uint8Array): Uint8Array {
  const frame = Buffer.allocUnsafe(frameBytes + message.byteLength);
  writeFrame(frame, 0, 0, message);
  return frame;
}

async function joinAll(body: Chunks, bytesMax: number): Promise<Uint8Array> {
  const pieces = createPieces();
  for await (const chunk of body) {
    if (pieces.bytes + chunk.byteLength > bytesMax) throw bodyTooLarge(bytesMax);
    pieces.add(chunk);
  }
  return pieces.join();
}

async function* once(make: () => Promise<Uint8Array>) {
  yield await make();
}
