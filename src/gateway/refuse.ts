import { randomUUID } from "node:crypto";
import type { ConnectError } from "@connectrpc/connect";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { dialectOf, refusalIn } from "./answers.ts";
import { reasonOf } from "./errors.ts";

/** Answers a request that reaches no handler, in the caller's dialect, and logs it. */
export function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ConnectError,
  { log }: { readonly log: Logger },
): void {
  const requestId = randomUUID();
  const contentType = request.headers["content-type"];
  const version = request.headers["connect-protocol-version"];
  const header = new Headers({
    ...(contentType ? { "content-type": contentType } : {}),
    ...(version ? { "connect-protocol-version": String(version) } : {}),
  });
  const answer = refusalIn(dialectOf(header), error);
  logRefusal(request, error, { log, requestId });
  void reply
    .code(answer.status)
    .headers({
      ...Object.fromEntries(answer.header),
      "x-request-id": requestId,
      "cache-control": "no-store",
    })
    .send(Buffer.from(answer.body));
}

/** Logs a request that reached no method: its path, and not a word of its query or body. */
export function logRefusal(
  { method: verb, url }: FastifyRequest,
  error: ConnectError,
  { log, requestId }: { readonly log: Logger; readonly requestId: string },
): void {
  const [path = ""] = url.split("?", 1);
  log.info({ requestId, verb, path: loggable(path), code: reasonOf(error) }, "refused");
}

/** The path without a token that somebody put there by mistake, and not at any length. */
function loggable(path: string): string {
  return path.replaceAll(/iam_pat_\w+/g, "iam_pat_…").slice(0, 200);
}
