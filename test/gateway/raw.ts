import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect as connectHttp2,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect, type Socket } from "node:net";

/** An HTTP answer as it stood on the wire; names of header fields are in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: RawFields;
  readonly body: Buffer;
  readonly trailers: RawFields;
}

export type RawFields = { readonly [name: string]: string };

/** A TCP connection on which a test writes what it likes. */
export interface RawConnection {
  write(bytes: string | Uint8Array): void;
  /** Ends the sending half; the server can still answer. */
  end(): void;
  /** The next whole HTTP/1.1 answer; one to HEAD has no body. Rejects if the connection ends. */
  answer(verb?: string): Promise<RawAnswer>;
  /** All bytes that no answer took, as soon as they are enough. Rejects as `answer` does. */
  received(isEnough: (bytes: Buffer) => boolean): Promise<Buffer>;
  /** Resolves with all bytes that no answer took, when the connection has ended. */
  ended(): Promise<Buffer>;
  /** Resolves when the connection is gone. */
  close(): Promise<void>;
}

const sockets = new Set<Socket | ClientHttp2Session>();

/** How many connections of the tests are open. */
export function openConnections(): number {
  return sockets.size;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  sockets.add(socket);
  let received: Buffer = Buffer.alloc(0);
  let over = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  const finish = () => {
    over = true;
    wake();
  };
  // A reset is one of the ways in which a server may end a hostile connection.
  socket.on("error", finish);
  socket.on("end", finish);
  const gone = new Promise<void>((resolve) => {
    socket.on("close", () => {
      sockets.delete(socket);
      finish();
      resolve();
    });
  });
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  const until = <T>(take: () => T | undefined): Promise<T> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const taken = take();
        if (taken === undefined && !over) return;
        waiting.delete(look);
        if (taken !== undefined) resolve(taken);
        else
          reject(new Error(`the connection ended; what is left: ${received.toString("latin1")}`));
      };
      waiting.add(look);
      look();
    });
  await once(socket, "connect");
  return {
    write: (bytes) => void socket.write(bytes),
    end: () => void socket.end(),
    answer: (verb = "POST") =>
      until(() => {
        const taken = takeAnswer(received, verb === "HEAD");
        received = taken?.rest ?? received;
        return taken?.answer;
      }),
    received: (isEnough) => until(() => (isEnough(received) ? received : undefined)),
    ended: () => until(() => (over ? received : undefined)),
    close: () => {
      socket.destroy();
      return gone;
    },
  };
}

/** One HTTP/1.1 answer at the beginning of the bytes, if it is whole. */
function takeAnswer(
  bytes: Buffer,
  withoutBody: boolean,
): { readonly answer: RawAnswer; readonly rest: Buffer } | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(statusLine.split(" ")[1]);
  const headers = fieldsOf(lines);
  const after = bytes.subarray(headEnd + 4);
  // Interim answers are followed by the real one.
  if (status < 200) return takeAnswer(after, withoutBody);
  const whole = (body: Buffer, rest: Buffer, trailers: RawFields = {}) => ({
    answer: { status, headers, body, trailers },
    rest,
  });
  if (withoutBody || status === 204) return whole(Buffer.alloc(0), after);
  if (headers["transfer-encoding"] === "chunked") {
    const taken = takeChunks(after);
    return taken && whole(taken.body, taken.rest, taken.trailers);
  }
  const length = Number(headers["content-length"] ?? 0);
  return after.length < length
    ? undefined
    : whole(after.subarray(0, length), after.subarray(length));
}

function takeChunks(
  bytes: Buffer,
): { readonly body: Buffer; readonly rest: Buffer; readonly trailers: RawFields } | undefined {
  const chunks: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const lineEnd = rest.indexOf("\r\n");
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(rest.toString("latin1", 0, lineEnd), 16);
    if (length === 0) break;
    if (rest.length < lineEnd + 2 + length + 2) return undefined;
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + length));
    rest = rest.subarray(lineEnd + 2 + length + 2);
  }
  // After the last chunk: trailer lines, if any, and an empty line.
  const end = rest.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const lines = rest.toString("latin1", 0, end).split("\r\n").slice(1);
  return { body: Buffer.concat(chunks), rest: rest.subarray(end + 4), trailers: fieldsOf(lines) };
}

function fieldsOf(lines: readonly string[]): RawFields {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
}

/** What came back on an HTTP/2 stream: an answer, a reset, or both. */
export interface Http2Outcome {
  readonly answer: RawAnswer | undefined;
  /** The code of RST_STREAM; 0 is NO_ERROR. */
  readonly resetCode: number;
}

/** One request on an HTTP/2 connection of its own, sent whole or left open. */
export async function exchangeHttp2(
  port: number,
  headers: OutgoingHttpHeaders,
  body: Uint8Array,
  { end = true } = {},
): Promise<Http2Outcome> {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  sockets.add(session);
  session.on("error", () => {});
  const gone = new Promise<void>((resolve) => {
    session.on("close", () => {
      sockets.delete(session);
      resolve();
    });
  });
  const stream = session.request(headers, { endStream: false });
  const outcome = await outcomeOf(stream, () => {
    if (end) stream.end(body);
    else stream.write(body);
  });
  session.close();
  await gone;
  return outcome;
}

function outcomeOf(stream: ClientHttp2Stream, send: () => void): Promise<Http2Outcome> {
  const chunks: Buffer[] = [];
  let status: number | undefined;
  let headers: RawFields = {};
  let trailers: RawFields = {};
  stream.on("response", (fields) => {
    status = fields[":status"];
    headers = plain(fields);
  });
  stream.on("trailers", (fields) => {
    trailers = plain(fields);
  });
  stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
  stream.on("error", () => {});
  return new Promise((resolve) => {
    stream.on("close", () => {
      const body = Buffer.concat(chunks);
      const answer = status === undefined ? undefined : { status, headers, body, trailers };
      resolve({ answer, resetCode: stream.rstCode ?? 0 });
    });
    send();
  });
}

function plain(fields: object): RawFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, String(value)] as const),
  );
}
