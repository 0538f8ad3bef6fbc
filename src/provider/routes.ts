import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerFields } from "../gateway/call/answer-fields.ts";
import { failureOf, httpStatusOf, methodNotAllowed, reasonOf } from "../gateway/call/errors.ts";
import type { Exchange, Front, Kind } from "../gateway/front.ts";
import { refuse, takeOver } from "../gateway/refuse.ts";
import { type Fields, patienceWith } from "../pages/form.ts";
import { homeOf } from "../pages/loopback.ts";
import { holdToTls, sendRedirect } from "../pages/response.ts";
import { readPart } from "../text/accept.ts";
import { locate } from "./base/locate.ts";
import type { ProviderParts } from "./base/parts.ts";
import { logAtEnd, noteRefusal } from "./base/record.ts";
import { introspectionPath, routes } from "./base/site.ts";
import { type Read, readFieldsOf, readOwn, readWhole } from "./forms.ts";
import { withCover } from "./library/enveloping.ts";
import { withSigner } from "./library/machine-grant.ts";
import type { Screens } from "./library/screens.ts";
import { nameScopes } from "./own-scopes.ts";
import { authenticate, malformed } from "./token/client-auth.ts";
import { introspect } from "./token/introspect.ts";
import type { FindProvider } from "./token/now.ts";
import { scriptFields, userinfo } from "./token/userinfo.ts";

interface RoutesOptions {
  readonly parts: ProviderParts;
  readonly findProvider: FindProvider;
  readonly shown: Pick<Screens, "refusal">;
  readonly front: Front;
}

/** Answers a request with what was read of it. */
type Handler<Sent> = (sent: Sent, exchange: Exchange, options: RoutesOptions) => Promise<void>;

/** Verbs that are answered alike, what they are counted as, and by whom they are answered. */
interface Path<Sent> {
  readonly verbs: readonly string[];
  readonly kind: Kind;
  readonly handler: Handler<Sent>;
  readonly config?: typeof config;
}

/** Which origins may call here is for each application to say, and not for the whole service. */
const config = { cors: false } as const;

const shown = ["GET", "HEAD"];
const readByScripts = [...shown, "OPTIONS"];
const sentByScripts = ["POST", "OPTIONS"];

/** Where the page of a logout sends its form. */
const confirmPath = `${routes.end_session}/confirm`;

/** The verbs that the library answers. */
const paths: { readonly [path: string]: Omit<Path<Buffer | undefined>, "handler"> } = {
  "/.well-known/openid-configuration": { verbs: readByScripts, kind: "lookups" },
  [routes.jwks]: { verbs: readByScripts, kind: "lookups" },
  [routes.authorization]: { verbs: shown, kind: "pages" },
  [`${routes.authorization}/:uid`]: { verbs: shown, kind: "pages" },
  [routes.token]: { verbs: sentByScripts, kind: "tokens" },
  [routes.revocation]: { verbs: sentByScripts, kind: "tokens" },
  [routes.device_authorization]: { verbs: sentByScripts, kind: "tokens" },
  [`${routes.code_verification}/:uid`]: { verbs: shown, kind: "pages" },
  [routes.userinfo]: { verbs: ["OPTIONS"], kind: "lookups" },
  [routes.end_session]: { verbs: shown, kind: "pages" },
  [confirmPath]: { verbs: ["POST"], kind: "pages" },
  [`${routes.end_session}/success`]: { verbs: shown, kind: "pages" },
};

/** Those that are answered here. */
const ours: { readonly [path: string]: Path<Fields> } = {
  [routes.authorization]: { verbs: ["POST"], kind: "pages", handler: goOnByAddress },
  [routes.userinfo]: { verbs: ["GET", "POST"], kind: "lookups", handler: answerUserinfo, config },
  [routes.end_session]: { verbs: ["POST"], kind: "pages", handler: goOnByAddress },
  [introspectionPath]: { verbs: ["POST"], kind: "tokens", handler: answerIntrospection },
};

/** The paths of the provider; what is none of its verbs there, it answers itself. */
export function registerProvider(server: FastifyInstance, options: RoutesOptions): void {
  function add<Sent>(url: string, path: Path<Sent>, read: Read<Sent>): void {
    const { verbs, kind, handler, config = {} } = path;
    server.route({
      method: [...verbs],
      url,
      config,
      handler: async (request, reply) => {
        const exchange = { request, reply };
        logAtEnd(request, reply, options.parts);
        try {
          options.front.enter(request);
          const sent = await read(request, patienceWith(options.front, request));
          const work = () => options.parts.unit.run(() => handler(sent, exchange, options));
          await options.front.work(request, kind, work);
        } catch (thrown) {
          await refuseUnread(thrown, exchange, kind, options);
        }
      },
    });
  }
  for (const [url, path] of Object.entries(paths)) {
    const handler = path.kind === "pages" ? answerAtHome : answerInJson;
    const read = url === confirmPath ? readOwn(options.parts) : readWhole;
    add(url, { ...path, handler, config }, read);
  }
  for (const [url, path] of Object.entries(ours)) add(url, path, readFieldsOf(path.kind));
  for (const url of Object.keys(paths).filter((one) => one.endsWith("/:uid"))) {
    // Without an id it is a path of nothing here. The library would take it for the one before it.
    server.all(url.slice(0, -":uid".length), (_request, reply) => reply.callNotFound());
  }
  for (const url of new Set([...Object.keys(paths), ...Object.keys(ours)])) {
    const allowed = [...(paths[url]?.verbs ?? []), ...(ours[url]?.verbs ?? [])];
    const method = server.supportedMethods.filter((verb) => !allowed.includes(verb));
    const handler = (request: FastifyRequest, reply: FastifyReply) => {
      const refusal = options.front.refusalFor(request, methodNotAllowed(allowed));
      refuse(request, reply, refusal, { ...options.parts, front: options.front });
    };
    server.route({ method, url, handler });
  }
}

/** Answers what could not be read, or is one too many of its kind, in the form of its path. */
async function refuseUnread(
  thrown: unknown,
  exchange: Exchange,
  kind: Kind,
  { shown }: RoutesOptions,
): Promise<void> {
  const { request, reply } = exchange;
  const refusal = failureOf(thrown);
  const reason = refusal && reasonOf(refusal);
  const isAway = refusal !== undefined && httpStatusOf(refusal) === 503;
  const error = isAway ? "temporarily_unavailable" : reason && unread[reason];
  // What goes wrong later is told as all that fails.
  if (refusal === undefined || error === undefined || reply.sent) throw thrown;
  noteRefusal(request.raw, { error });
  // What is left of it may never end: HTTP/1.1 can only stop a sender by closing.
  if (request.raw.httpVersionMajor === 1 && !isAway && error !== "access_denied")
    reply.header("connection", "close");
  const retryAfter = refusal.metadata.get("retry-after");
  if (retryAfter !== null) reply.header("retry-after", retryAfter);
  if (kind === "pages") return await shown.refusal(exchange, refusal);
  const status = statuses[error] ?? (isAway ? 503 : 429);
  const body = { error, error_description: refusal.rawMessage };
  // It says nothing of anybody, so any script may read it, as the library has it.
  const fields = { ...answerFields, ...scriptFields(request.headers.origin) };
  void reply.code(status).headers(fields).send(body);
}

/** The status of a refusal that is not for want of room. */
const statuses: { readonly [error: string]: number } = {
  invalid_request: 400,
  access_denied: 403,
};

/** The words of OAuth for why a request cannot be read, or be worked on now. */
const unread: { readonly [reason: string]: string } = {
  TOO_MANY_OPEN_CALLS: "temporarily_unavailable",
  TOO_MANY_CALLS: "temporarily_unavailable",
  UNSUPPORTED_MEDIA_TYPE: "invalid_request",
  UNSUPPORTED_COMPRESSION: "invalid_request",
  BODY_TOO_LARGE: "invalid_request",
  MALFORMED_REQUEST: "invalid_request",
  REQUEST_TIMEOUT: "invalid_request",
  ACTION_FAILED: "access_denied",
  CANCELED: "invalid_request",
};

/**
 * A request for a login or a logout that comes as a form goes on as an address (OpenID Connect Core
 * 1.0, 3.1.2.1; RP-Initiated Logout 1.0, 2): from another site, cookies come along with an address
 * alone.
 */
async function goOnByAddress(fields: Fields, { request, reply }: Exchange): Promise<void> {
  const [path = ""] = request.url.split("?", 1);
  const last = path.split("/").at(-1);
  reply.headers(answerFields);
  void reply.code(303).header("location", `${last}?${fields.query}`).send("");
}

/** Introspection is ours: the library knows neither JWTs nor applications that log nobody in. */
async function answerIntrospection(
  fields: Fields,
  { request, reply }: Exchange,
  { parts, findProvider }: RoutesOptions,
): Promise<void> {
  const { authorization } = request.headers;
  reply.headers(answerFields);
  const asker = await authenticate(parts, { authorization, fields, path: introspectionPath });
  const token = fields.of("token");
  const isMissing = asker.kind === "app" && token === "";
  const found = isMissing ? malformed("the token is missing") : asker;
  if (found.kind === "nobody") {
    const { kind: _kind, ...known } = found;
    noteRefusal(request.raw, known);
    const { error, problem } = known;
    if (error === "invalid_request") {
      return void reply.code(400).send({ error, error_description: problem });
    }
    return void reply
      .code(401)
      .header("www-authenticate", `Basic realm="${parts.publicUrl()}"`)
      .send({ error, error_description: "client authentication failed" });
  }
  const { envelope } = await findProvider();
  return void reply.send(await introspect(parts, envelope, { token, asker: found.app }));
}

/** Userinfo is ours because it is asked for most: see `userinfo`. */
async function answerUserinfo(
  fields: Fields,
  { request, reply }: Exchange,
  { parts, findProvider }: RoutesOptions,
): Promise<void> {
  const { authorization, origin } = request.headers;
  reply.headers(answerFields);
  const { envelope } = await findProvider();
  const shown = { authorization, origin, query: request.query, posted: fields.of("access_token") };
  const { status, header, body } = await userinfo(parts, envelope, shown);
  const { error } = body;
  if (typeof error === "string") noteRefusal(request.raw, { error });
  return void reply.code(status).headers(header).send(body);
}

/** The same for people, where they came by the name that the service is known by. */
const answerAtHome: Handler<Buffer | undefined> = async (sent, exchange, options) => {
  const home = homeOf(exchange.request, options.parts.publicUrl());
  if (home !== undefined) return void sendRedirect(exchange.reply, home);
  await answer(sent, exchange, options);
};

/** The same for programs, which read no page, whatever they accept (RFC 6749, 5.2). */
const answerInJson: Handler<Buffer | undefined> = async (sent, exchange, options) => {
  exchange.request.raw.headers.accept = "application/json";
  await answer(sent, exchange, options);
};

async function answer(
  sent: Buffer | undefined,
  { request, reply }: Exchange,
  { findProvider, parts, front }: RoutesOptions,
): Promise<void> {
  const now = await findProvider();
  const raw = request.raw as IncomingMessage;
  locate(raw, { publicUrl: parts.publicUrl(), address: front.addressOf(request) });
  const { accept } = raw.headers;
  if (accept !== undefined) raw.headers.accept = readPart(accept);
  const form = parts.alias === undefined ? sent : nameScopes(raw, sent, parts.alias);
  if (form !== undefined) sendAgain(raw, withCover(withSigner(form)));
  holdToTls(reply).headers(answerFields);
  await now.answer(raw, takeOver(reply) as never);
  // The library sends it past Fastify.
  front.answer({ request, reply });
}

/**
 * Has the library read what was read already. It takes a request for one without a body that does
 * not say how long that is, which HTTP/2 leaves open.
 */
function sendAgain(raw: IncomingMessage, sent: Buffer): void {
  raw.headers["content-length"] = String(sent.byteLength);
  Object.defineProperties(raw, {
    readable: { value: true },
    iterator: { value: () => [sent].values() },
  });
}
