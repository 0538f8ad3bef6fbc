import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Http2ServerResponse, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2";
import type { Readable, Writable } from "node:stream";
import type { Answer } from "../call/form.ts";
import { pieceBytesMax } from "../call/pieces.ts";
import type { Source } from "../call/sender.ts";

/** One request and the way back to its caller, of whatever HTTP version. */
export interface Exchange {
  readonly httpVersion: "1.1" | "2.0";
  /** The request's method in upper case. */
  readonly verb: string;
  /** The path as it was sent, with a query if there is one. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Where the body comes from; nothing is taken from it before somebody reads. */
  readonly body: Readable & Source;
  /** Calls back once when nothing comes or goes any more. */
  onClose(callback: () => void): void;
  /** Answers once, with everything there is. HTTP/1.1 has no trailers here. */
  answer(answer: Answer): void;
  /** The response object with which answers of any kind are written. */
  response(): ServerResponse | Http2ServerResponse;
}

export function http1Exchange(request: IncomingMessage, response: ServerResponse): Exchange {
  return {
    httpVersion: "1.1",
    verb: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: request,
    onClose: (callback) => {
      response.once("close", callback);
    },
    answer: ({ status, headers, body }) => {
      response.writeHead(status, headers);
      endWith(response, body);
    },
    response: () => response,
  };
}

export function http2Exchange(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Exchange {
  return {
    httpVersion: "2.0",
    verb: headers[":method"] ?? "",
    path: headers[":path"] ?? "",
    headers,
    body: stream,
    onClose: (callback) => {
      // One that is over may stay in memory for a while, and all of its call with a listener.
      stream.once("close", callback);
    },
    answer: ({ status, headers: fields, body, trailers }) => {
      if (stream.destroyed || stream.closed) return;
      // Of a body that nobody has read, Node would reset the stream at once.
      if (stream.readableFlowing === null) stream.resume();
      const whole = { ":status": status, ...fields };
      if (trailers === undefined) {
        stream.respond(whole);
      } else {
        stream.once("wantTrailers", () => stream.sendTrailers(trailers));
        stream.respond(whole, { waitForTrailers: true });
      }
      endWith(stream, body);
    },
    response: () => new Http2ServerResponse(stream),
  };
}

function endWith(writable: Writable, body: Uint8Array | undefined): void {
  if (body === undefined) writable.end();
  else if (body.byteLength <= pieceBytesMax) writable.end(body);
  else void writePieces(writable, body);
}

/** Waits for each piece to be taken; a peer that has gone ends it. */
async function writePieces(writable: Writable, body: Uint8Array): Promise<void> {
  const gone = new AbortController();
  writable.once("close", () => gone.abort());
  for (let at = 0; at < body.byteLength; at += pieceBytesMax) {
    if (writable.destroyed) return;
    const isTaken = writable.write(body.subarray(at, at + pieceBytesMax));
    if (!isTaken) await once(writable, "drain", { signal: gone.signal }).catch(() => {});
  }
  if (!writable.destroyed) writable.end();
}
