import { once } from "node:events";
import { connect } from "node:net";

/** Frame types of HTTP/2 (RFC 9113, 6). */
export const frameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Error codes of HTTP/2 (RFC 9113, 7). */
export const errorCode = {
  noError: 0,
  protocolError: 1,
  refusedStream: 7,
  cancel: 8,
  enhanceYourCalm: 11,
} as const;

const ack = 0x1;
const endStream = 0x1;
const endHeaders = 0x4;

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** An HTTP/2 client that keeps none of the rules: it writes frames and collects frames. */
export interface FrameConnection {
  write(...frames: readonly Buffer[]): void;
  /** The first frame that fits, waiting for it; rejects if the connection ends without one. */
  until(fits: (frame: Frame) => boolean): Promise<Frame>;
  /** All frames that came so far. */
  seen(): readonly Frame[];
  /** Resolves with all frames that came, when the connection has ended. */
  readonly ended: Promise<readonly Frame[]>;
  destroy(): void;
}

/**
 * Connects and says that it speaks HTTP/2; settings of the server are acknowledged unless it is to
 * be silent.
 */
export async function openFrames(
  port: number,
  preface: Buffer = clientPreface,
  { isSilent = false } = {},
): Promise<FrameConnection> {
  const socket = connect({ port, host: "127.0.0.1" });
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  let rest: Buffer = Buffer.alloc(0);
  let over = false;
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let frame = firstFrame(rest); frame; frame = firstFrame(rest)) {
      rest = rest.subarray(9 + frame.payload.length);
      frames.push(frame);
      if (frame.type === frameType.settings && (frame.flags & ack) === 0 && !isSilent) {
        socket.write(frameOf(frameType.settings, ack, 0));
      }
    }
    wake();
  });
  const ended = new Promise<readonly Frame[]>((resolve) => {
    socket.on("close", () => {
      over = true;
      wake();
      resolve(frames);
    });
  });
  await once(socket, "connect");
  socket.write(preface);
  return {
    write: (...written) => void socket.write(Buffer.concat(written)),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = frames.find(fits);
          if (found === undefined && !over) return;
          waiting.delete(look);
          if (found) resolve(found);
          else reject(new Error("the connection ended without the frame"));
        };
        waiting.add(look);
        look();
      }),
    seen: () => frames,
    ended,
    destroy: () => void socket.destroy(),
  };
}

const magic = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** What a client begins with: the preface and settings that change nothing. */
export const clientPreface = Buffer.concat([magic, frameOf(frameType.settings, 0, 0)]);

/** The same of a client that at first takes so many bytes of each stream. */
export function prefaceWithWindow(bytes: number): Buffer {
  const initialWindowSize = Buffer.alloc(6);
  initialWindowSize.writeUInt16BE(4);
  initialWindowSize.writeUInt32BE(bytes, 2);
  return Buffer.concat([magic, frameOf(frameType.settings, 0, 0, initialWindowSize)]);
}

/** Takes so many more bytes of the stream, or of all of them by the number 0. */
export function windowFrame(stream: number, bytes: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(bytes);
  return frameOf(frameType.windowUpdate, 0, stream, payload);
}

/** What a header is made of. Names that are not said here are those of fields. */
interface HeaderOptions {
  /** Whether the request ends with it, or leaves its body to come. */
  readonly end: boolean;
  /** Whether it is whole, which it is where nothing is said. */
  readonly endsBlock?: boolean;
  readonly [field: string]: string | boolean;
}

/** A POST. */
export function headersFrame(
  stream: number,
  path: string,
  { end, endsBlock = true, ...fields }: HeaderOptions,
): Buffer {
  const pseudo = { ":method": "POST", ":scheme": "http", ":authority": "localhost", ":path": path };
  const block = Buffer.concat(
    Object.entries({ ...pseudo, ...fields }).map(([name, value]) => literal(name, String(value))),
  );
  const flags = (endsBlock ? endHeaders : 0) | (end ? endStream : 0);
  return frameOf(frameType.headers, flags, stream, block);
}

/** More of a header, which does not end with it. */
export function continuationFrame(stream: number, block: Buffer): Buffer {
  return frameOf(frameType.continuation, 0, stream, block);
}

/** Settings that change nothing, and want to be acknowledged. */
export function settingsFrame(): Buffer {
  return frameOf(frameType.settings, 0, 0);
}

export function dataFrame(stream: number, payload: Buffer, { end }: { readonly end: boolean }) {
  return frameOf(frameType.data, end ? endStream : 0, stream, payload);
}

export function resetFrame(stream: number, code: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(code);
  return frameOf(frameType.resetStream, 0, stream, payload);
}

export function pingFrame(): Buffer {
  return frameOf(frameType.ping, 0, 0, Buffer.alloc(8));
}

/** The error code of a RST_STREAM or GOAWAY frame. */
export function codeIn({ type, payload }: Frame): number {
  return payload.readUInt32BE(type === frameType.goAway ? 4 : 0);
}

function frameOf(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

function firstFrame(bytes: Buffer): Frame | undefined {
  if (bytes.length < 9) return undefined;
  const length = bytes.readUIntBE(0, 3);
  if (bytes.length < 9 + length) return undefined;
  return {
    type: bytes.readUInt8(3),
    flags: bytes.readUInt8(4),
    stream: bytes.readUInt32BE(5) & 0x7fffffff,
    payload: bytes.subarray(9, 9 + length),
  };
}

/** A field neither indexed nor Huffman coded (RFC 7541, 6.2.2); name and value up to 126 bytes. */
function literal(name: string, value: string): Buffer {
  const text = (part: string) => Buffer.concat([Buffer.from([part.length]), Buffer.from(part)]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}
