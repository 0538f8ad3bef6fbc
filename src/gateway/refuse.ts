import { randomUUID } from "node:crypto";
import type { ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Reason } from "../reason.ts";
import { answerFields, fieldsOf } from "./call/answer-fields.ts";
import type { LogRefusals, RefusalLine } from "./call/call.ts";
import { notedClient } from "./call/client.ts";
import { errorBody } from "./call/error-body.ts";
import { failure, reasonOf } from "./call/errors.ts";
import { noBytes, refusalIn } from "./call/form.ts";
import { formOf } from "./form/forms.ts";
import type { Front } from "./front.ts";
import { verbOf } from "./verb.ts";

export interface RefuseOptions extends LogRefusals {
  readonly front: Pick<Front, "answer">;
}

/**
 * Answers a request that reaches no handler, in the caller's dialect, and logs and counts it. That
 * goes past Fastify, which writes no trailers over HTTP/2 and runs no hooks for some of them.
 */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ConnectError,
  { logRefusal, front }: RefuseOptions,
): void {
  const requestId = randomUUID();
  const { "content-type": contentType = null, ...others } = request.headers;
  const form = formOf(contentType, "connect-protocol-version" in others);
  const { status, headers, body = noBytes, trailers } = refusalIn(form, error);
  logRefusal(refusalLine(request, error, requestId));
  reply.headers({ ...fieldsOf({ requestId }, request.raw.httpVersion), ...headers });
  if (trailers === undefined) reply.header("content-length", body.byteLength);
  front.answer({ request, reply }, body);
  const raw = takeOver(reply);
  raw.writeHead(status);
  if (trailers !== undefined) raw.addTrailers(trailers);
  // Over HTTP/2 the answer to HEAD has ended with its head.
  raw.end(request.method === "HEAD" ? undefined : body);
}

/** Takes an answer out of Fastify's hands, with the header that hooks, like CORS, have set. */
export function takeOver(reply: FastifyReply): FastifyReply["raw"] {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  return reply.hijack().raw;
}

/** The line of a request that reached no method. */
export function refusalLine(
  { raw, url }: FastifyRequest,
  error: ConnectError,
  requestId: string,
): RefusalLine {
  const [path = ""] = url.split("?", 1);
  const what = { verb: verbOf(raw), path: redact(path), code: reasonOf(error) };
  return { requestId, ...what, ...notedClient(raw) };
}

/** The segments that are no longer than a name, as far as a line goes: others may be secrets. */
function redact(path: string): string {
  const segments = path.split("/").map((one) => (/^[\w.:-]{0,40}$/.test(one) ? one : "…"));
  return segments.join("/").slice(0, 200);
}

/**
 * A whole HTTP/1.1 answer for bytes that are no HTTP request, after which the connection closes.
 */
export function malformedHttp(errorCode: string | undefined): Buffer {
  const [status, reason, message] = httpErrors[errorCode ?? ""] ?? otherHttpError;
  return lastAnswer(status, failure({ reason, message }));
}

/** The last HTTP/1.1 answer to a peer with more requests than may wait for their answers. */
export function tooManyRequests(requestsMax: number): Buffer {
  const message = `More than ${requestsMax} requests are waiting for answers on this connection.`;
  return lastAnswer("429 Too Many Requests", failure({ reason: "REQUESTS_UNANSWERED", message }));
}

/** The last HTTP/1.1 answer of a connection whose requests are not read any more. */
function lastAnswer(status: string, error: ConnectError): Buffer {
  const body = errorBody(error);
  const head = [
    `HTTP/1.1 ${status}`,
    "content-type: application/json",
    `content-length: ${body.byteLength}`,
    ...Object.entries(answerFields).map(([name, value]) => `${name}: ${value}`),
    ...[...error.metadata].map(([name, value]) => `${name}: ${value}`),
    "connection: close",
  ];
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), body]);
}

type HttpError = readonly [status: string, reason: Reason, message: string];

const otherHttpError: HttpError = [
  "400 Bad Request",
  "MALFORMED_REQUEST",
  "The request is not valid HTTP.",
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
