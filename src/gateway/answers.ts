import type { ConnectError } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalServerResponse } from "@connectrpc/connect/protocol";
import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Reason } from "../reason.ts";
import { errorBody, failure, httpStatusOf, percentEncoded, reasonOf } from "./errors.ts";

/** The ways in which callers expect a refusal that no RPC handler has written. */
export type Dialect = "grpc" | "grpc-web" | "connect" | "json";

/**
 * Connect clients say so in a header and read Connect's own error body. Every other JSON request
 * gets plain JSON with numbers for codes.
 */
export function dialectOf(header: Headers): Dialect {
  const contentType = header.get("content-type") ?? "";
  if (/^application\/grpc-web(?![a-z])/i.test(contentType)) return "grpc-web";
  if (/^application\/grpc(?![a-z-])/i.test(contentType)) return "grpc";
  return header.has("connect-protocol-version") ? "connect" : "json";
}

/** A whole answer to an HTTP request: the body is complete. */
export interface Answer {
  readonly status: number;
  readonly header: Headers;
  readonly body: Uint8Array;
}

/** The refusal in the caller's dialect. */
export function refusalIn(dialect: Dialect, error: ConnectError): Answer {
  if (dialect === "grpc" || dialect === "grpc-web") {
    const contentType = dialect === "grpc" ? "application/grpc" : "application/grpc-web+proto";
    const header = new Headers({ "content-type": contentType });
    // Without messages the status may stand in the headers. Whoever asks for what a gRPC server
    // does not have is told 12; HTTP statuses would be read as proxy failures.
    const known = reasonOf(error) === "UNKNOWN_PATH" ? unimplemented(error) : error;
    legible(setTrailerStatus(header, known));
    for (const [name, value] of error.metadata) header.set(name, value);
    return { status: 200, header, body: new Uint8Array() };
  }
  const header = new Headers(error.metadata);
  header.set("content-type", "application/json");
  const body = dialect === "connect" ? errorToJsonBytes(error, undefined) : errorBody(error);
  header.set("content-length", String(body.byteLength));
  return { status: httpStatusOf(error), header, body };
}

/**
 * The refusal of a gRPC call in place of an answer that has no message yet and may never have one,
 * because the request does not end. In a header that does not end the stream grpc-js overlooks it.
 */
export function inTrailer(
  { status, header = new Headers() }: UniversalServerResponse,
  error: ConnectError,
): UniversalServerResponse {
  const trailer = setTrailerStatus(new Headers(), error);
  // Connect leaves out what it takes for its own, such as the encodings that are known.
  for (const [name, value] of error.metadata) trailer.set(name, value);
  return { ...toUniversal({ status, header, body: new Uint8Array() }), trailer };
}

/**
 * Encodes no more of `grpc-message` than gRPC asks for. Connect also encodes marks such as the
 * colon, and grpc-js shows those to people as they came.
 */
export function legible(trailer: Headers): void {
  const encoded = trailer.get("grpc-message");
  if (encoded !== null) trailer.set("grpc-message", percentEncoded(decodeURIComponent(encoded)));
}

export function toUniversal({ status, header, body }: Answer): UniversalServerResponse {
  return { status, header, body: createAsyncIterable([body]) };
}

/**
 * A whole HTTP/1.1 answer for bytes that are no HTTP request, after which the connection closes.
 */
export function malformedHttp(errorCode: string | undefined): Buffer {
  const [status, reason, message] = httpErrors[errorCode ?? ""] ?? otherHttpError;
  return lastAnswer(status, failure({ reason, message }));
}

/** The last HTTP/1.1 answer of a connection whose requests are not read any more. */
export function lastAnswer(status: string, error: ConnectError): Buffer {
  const body = errorBody(error);
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${body.byteLength}`,
    "connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

type HttpError = readonly [status: string, reason: Reason, message: string];

const otherHttpError: HttpError = [
  "400 Bad Request",
  "MALFORMED_REQUEST",
  "What was sent is not an HTTP request.",
];

/** What Node reports of requests that it could not read, by its error code. */
const httpErrors: { readonly [code: string]: HttpError } = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    "408 Request Timeout",
    "REQUEST_TIMEOUT",
    "The request was not sent completely in time.",
  ],
  HPE_INVALID_EOF_STATE: [
    "400 Bad Request",
    "MALFORMED_REQUEST",
    "The connection ended before the request was complete.",
  ],
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "HEADERS_TOO_LARGE",
    "The header fields are larger than the server accepts.",
  ],
};

function unimplemented(error: ConnectError): ConnectError {
  return Object.assign(error, { code: 12 });
}
