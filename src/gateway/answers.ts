import type { ConnectError } from "@connectrpc/connect";
import { createAsyncIterable, type UniversalServerResponse } from "@connectrpc/connect/protocol";
import { errorToJsonBytes } from "@connectrpc/connect/protocol-connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import type { Reason } from "../reason.ts";
import { errorBody, failure, httpStatusOf, reasonOf } from "./errors.ts";

/** The ways in which callers expect a refusal that no RPC handler has written. */
export type Dialect = "grpc" | "grpc-web" | "connect" | "json";

/**
 * Connect clients say so in a header and read Connect's own error body. Every other JSON request
 * gets the specification's.
 */
export function dialectOf(header: Headers): Dialect {
  const contentType = header.get("content-type")?.toLowerCase() ?? "";
  if (contentType.startsWith("application/grpc-web")) return "grpc-web";
  if (contentType.startsWith("application/grpc")) return "grpc";
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
  const header = new Headers(error.metadata);
  if (dialect === "grpc" || dialect === "grpc-web") {
    const contentType = dialect === "grpc" ? "application/grpc" : "application/grpc-web+proto";
    header.set("content-type", contentType);
    // Without messages the status may stand in the headers. Whoever asks for what a gRPC server
    // does not have is told 12; HTTP statuses would be read as proxy failures.
    const known = reasonOf(error) === "UNKNOWN_PATH" ? unimplemented(error) : error;
    return { status: 200, header: setTrailerStatus(header, known), body: new Uint8Array() };
  }
  header.set("content-type", "application/json");
  const body = dialect === "connect" ? errorToJsonBytes(error, undefined) : errorBody(error);
  header.set("content-length", String(body.byteLength));
  return { status: httpStatusOf(error), header, body };
}

export function toUniversal({ status, header, body }: Answer): UniversalServerResponse {
  return { status, header, body: createAsyncIterable([body]) };
}

/**
 * A whole HTTP/1.1 answer for bytes that are no HTTP request, after which the connection closes.
 */
export function malformedHttp(errorCode: string | undefined): Buffer {
  const [status, reason, message] = httpErrors[errorCode ?? ""] ?? otherHttpError;
  const body = errorBody(failure({ reason, message }));
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
  HPE_HEADER_OVERFLOW: [
    "431 Request Header Fields Too Large",
    "HEADERS_TOO_LARGE",
    "The header fields are larger than the server accepts.",
  ],
};

function unimplemented(error: ConnectError): ConnectError {
  return Object.assign(error, { code: 12 });
}
