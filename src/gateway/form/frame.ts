/** Bytes before each message in gRPC and gRPC-Web: flags, and the length of the message. */
export const frameBytes = 5;

/** The one uncompressed message of a body; undefined where there is anything else. */
export function openFrame(body: Buffer): Buffer | undefined {
  const isOne = body.length >= frameBytes && body[0] === 0;
  return isOne && body.readUInt32BE(1) === body.length - frameBytes
    ? body.subarray(frameBytes)
    : undefined;
}

/** Writes a frame into a buffer that has room for it. */
export function writeFrame(into: Buffer, at: number, flags: number, bytes: Uint8Array): void {
  into[at] = flags;
  into.writeUInt32BE(bytes.byteLength, at + 1);
  into.set(bytes, at + frameBytes);
}
