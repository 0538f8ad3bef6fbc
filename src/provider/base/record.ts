import { randomUUID } from "node:crypto";
import type { EventEmitter } from "node:events";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Logger } from "pino";
import { notedClient } from "../../gateway/call/client.ts";
import type { PageTable } from "../../pages/routes.ts";
import type { ProviderParts, RequestLine } from "./parts.ts";

/** What is known of why a request was refused. */
type Refused = Pick<RequestLine, "problem" | "clientId"> & { readonly error: string };

const refusals = new WeakMap<object, Refused>();

/** Notes for the line of a request that it was refused. */
export function noteRefusal(raw: object, refused: Refused): void {
  refusals.set(raw, refused);
}

/** What the library emits where it refuses something. */
const refused = [
  "authorization.error",
  "grant.error",
  "device_authorization.error",
  "device_resume.error",
  "revocation.error",
  "end_session.error",
  "end_session_confirm.error",
] as const;

/** As far as an error of the library says what was wrong. */
interface LibraryError {
  readonly error?: string;
  readonly error_description?: string;
  readonly error_detail?: string;
}

/** Errors of which the library words the detail; those of others may repeat what was sent. */
const worded: readonly string[] = ["invalid_grant", "invalid_client"];

/** The one description that repeats what was sent. */
const repeating = /^origin /;

/** What was wrong, in words that repeat nothing that was sent. */
function problemOf({ error = "", error_description: told, error_detail: detail }: LibraryError) {
  if (worded.includes(error) && detail !== undefined) return detail;
  return told === undefined || repeating.test(told) ? undefined : told;
}

/** Has the refusals of the library noted. */
export function noteRefusals(provider: Provider): void {
  const note = ({ req, oidc }: KoaContextWithOIDC, err: object) => {
    const { error = "server_error" } = err as LibraryError;
    const problem = problemOf(err as LibraryError);
    const clientId = oidc?.client?.clientId;
    noteRefusal(req, {
      error,
      ...(problem === undefined ? {} : { problem }),
      ...(clientId === undefined ? {} : { clientId }),
    });
  };
  // The types of the library have an overload for each.
  const on = provider.on.bind(provider) as (event: string, listener: typeof note) => void;
  for (const event of refused) on(event, note);
}

/** Logs what fails. Where nobody is there any more who could be answered, nothing has. */
export function logFailures(provider: Provider, log: Logger): void {
  const fail = (err: object, requestId?: string) =>
    log.error({ requestId, err }, "the OpenID provider failed");
  provider.on("server_error", ({ req }, err) => fail(err, requestIdOf(req)));
  const server: EventEmitter = provider;
  // Koa, which the library is made with, would write it to the console.
  server.on("error", (err: { readonly headerSent?: boolean }) => {
    if (!err.headerSent) fail(err);
  });
}

const requestIds = new WeakMap<object, string>();

/** The id of a request to the provider, which its answer and its lines in the log have. */
export function requestIdOf(raw: object): string | undefined {
  return requestIds.get(raw);
}

/** What a line has for its status where the caller went before anything was answered. */
export const unansweredStatus = 499;

/** Gives a request an id, where it has none yet, and logs it when it is answered. */
export function logAtEnd(
  { raw, method: verb, routeOptions: { url: path } }: FastifyRequest,
  reply: FastifyReply,
  { logRequest, now }: Logging,
  requestId: string = randomUUID(),
): void {
  const startedMs = now();
  requestIds.set(raw, requestId);
  reply.header("x-request-id", requestId);
  const client = notedClient(raw);
  const { raw: answer } = reply;
  answer.once("close", () => {
    // Node has 200 there until a head is sent.
    const status = answer.headersSent ? answer.statusCode : unansweredStatus;
    const durationMs = Math.max(0, now() - startedMs);
    const line = { requestId, verb, path, status, durationMs };
    logRequest({ ...line, ...refusals.get(raw), ...client });
  });
}

/** Pages, each of which leaves a line as all other requests to the provider do. */
export function loggedPages(pages: PageTable, parts: Logging): PageTable {
  return wrapPages(pages, (show) => (visit) => {
    logAtEnd(visit.request, visit.reply, parts, visit.requestId);
    return show(visit);
  });
}

type Logging = Pick<ProviderParts, "logRequest" | "now">;
type Show = PageTable[string]["get"];

/** Pages with something around what shows each, and around what takes its form. */
export function wrapPages(pages: PageTable, wrap: (show: Show) => Show): PageTable {
  const entries = Object.entries(pages).map(([path, { get, post }]) => {
    return [path, { get: wrap(get), ...(post ? { post: wrap(post) } : {}) }] as const;
  });
  return Object.fromEntries(entries);
}
