import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerFields } from "../gateway/answer-fields.ts";
import { methodNotAllowed } from "../gateway/errors.ts";
import { refuse, takeOver } from "../gateway/refuse.ts";
import { type Fields, fieldsOf, readForm } from "../pages/form.ts";
import { holdToTls } from "../pages/response.ts";
import { introspectionPath, routes } from "./library/configuration.ts";
import type { FindProvider } from "./library/library.ts";
import { locate } from "./locate.ts";
import type { ProviderParts } from "./parts.ts";
import { logAtEnd, noteRefusal } from "./record.ts";
import { authenticate } from "./token/client-auth.ts";
import { introspect } from "./token/introspect.ts";
import { userinfo } from "./token/userinfo.ts";

interface RoutesOptions {
  readonly parts: ProviderParts;
  readonly findProvider: FindProvider;
  /** Milliseconds until a request must have been sent completely. */
  readonly requestTimeoutMs: number;
  /** Counts a request for its sender; answers what gives it back. Throws past the limit. */
  readonly count: (request: FastifyRequest) => () => void;
  /** What a request counts for; undefined where it has no share of its own. */
  readonly addressOf: (request: FastifyRequest) => string | undefined;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Handler = (
  request: FastifyRequest,
  reply: FastifyReply,
  options: RoutesOptions,
) => Promise<void>;

type FormHandler = (fields: Fields, exchange: Exchange, options: RoutesOptions) => Promise<void>;

const shown = ["GET", "HEAD"];
const readByScripts = [...shown, "OPTIONS"];
const sentByScripts = ["POST", "OPTIONS"];

/** The verbs that the library answers. */
const paths: { readonly [path: string]: readonly string[] } = {
  "/.well-known/openid-configuration": readByScripts,
  [routes.jwks]: readByScripts,
  [routes.authorization]: shown,
  [`${routes.authorization}/:uid`]: shown,
  [routes.token]: sentByScripts,
  [routes.revocation]: sentByScripts,
  [routes.userinfo]: ["OPTIONS"],
  [routes.end_session]: shown,
  [`${routes.end_session}/confirm`]: ["POST"],
  [`${routes.end_session}/success`]: shown,
};

/** Those that are answered here. */
const ours: { readonly [path: string]: readonly string[] } = {
  [routes.authorization]: ["POST"],
  [routes.userinfo]: ["GET", "POST"],
  [routes.end_session]: ["POST"],
  [introspectionPath]: ["POST"],
};

/** Which origins may call here is for each application to say, and not for the whole service. */
const config = { cors: false } as const;

/** The paths of the provider; what is none of its verbs there, it answers itself. */
export function registerProvider(server: FastifyInstance, options: RoutesOptions): void {
  const counted = (handler: Handler) => (request: FastifyRequest, reply: FastifyReply) => {
    reply.raw.once("close", options.count(request));
    logAtEnd(request, reply, options.parts);
    return handler(request, reply, options);
  };
  const ofForm = (handler: FormHandler) =>
    counted(async (request, reply) => {
      reply.headers(answerFields);
      const fields = await readOrRefuse(request, reply, options.requestTimeoutMs);
      if (fields !== undefined) await handler(fields, { request, reply }, options);
    });
  for (const [url, verbs] of Object.entries(paths)) {
    server.route({ method: [...verbs], url, config, handler: counted(answer) });
  }
  server.post(routes.authorization, ofForm(goOnByAddress));
  server.post(routes.end_session, ofForm(goOnByAddress));
  server.get(routes.userinfo, { config }, ofForm(answerUserinfo));
  server.post(routes.userinfo, { config }, ofForm(answerUserinfo));
  server.post(introspectionPath, ofForm(answerIntrospection));
  for (const url of new Set([...Object.keys(paths), ...Object.keys(ours)])) {
    const allowed = [...(paths[url] ?? []), ...(ours[url] ?? [])];
    const method = server.supportedMethods.filter((verb) => !allowed.includes(verb));
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      refuse(request, reply, methodNotAllowed(allowed), options.parts);
    server.route({ method, url, handler });
  }
}

/**
 * A request for a login or a logout that comes as a form goes on as an address (OpenID Connect Core
 * 1.0, 3.1.2.1; RP-Initiated Logout 1.0, 2): from another site, cookies come along with an address
 * alone.
 */
async function goOnByAddress(fields: Fields, { request, reply }: Exchange): Promise<void> {
  const [path = ""] = request.url.split("?", 1);
  const last = path.split("/").at(-1);
  void reply.code(303).header("location", `${last}?${fields.query}`).send("");
}

/** Reads a form, if there is one; undefined where it cannot be read, which is answered then. */
async function readOrRefuse(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  requestTimeoutMs: number,
): Promise<Fields | undefined> {
  const { "content-type": type } = headers;
  if (type === undefined) return fieldsOf("");
  const header = { get: (name: string) => headers[name]?.toString() ?? null };
  try {
    return await readForm({ body: raw, header }, requestTimeoutMs);
  } catch (error) {
    const description = error instanceof Error ? error.message : "it cannot be read";
    // What is left of it may never end: HTTP/1.1 can only stop a sender by closing.
    if (raw.httpVersionMajor === 1) reply.header("connection", "close");
    void reply.code(400).send({ error: "invalid_request", error_description: description });
    return undefined;
  }
}

/** Introspection is ours: the library knows neither JWTs nor applications that log nobody in. */
async function answerIntrospection(
  fields: Fields,
  { request, reply }: Exchange,
  { parts, findProvider }: RoutesOptions,
): Promise<void> {
  const { authorization } = request.headers;
  const found = await authenticate(parts, { authorization, fields, path: introspectionPath });
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
  const token = fields.of("token");
  if (token === "") {
    noteRefusal(request.raw, { error: "invalid_request", problem: "the token is missing" });
    const missing = { error: "invalid_request", error_description: "the token is missing" };
    return void reply.code(400).send(missing);
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
  const { envelope } = await findProvider();
  const shown = { authorization, origin, query: request.query, posted: fields.of("access_token") };
  const { status, header, body } = await userinfo(parts, envelope, shown);
  const { error } = body;
  if (typeof error === "string") noteRefusal(request.raw, { error });
  return void reply.code(status).headers(header).send(body);
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { findProvider, parts, requestTimeoutMs, addressOf }: RoutesOptions,
): Promise<void> {
  const now = await findProvider();
  const { raw } = request;
  locate(raw as IncomingMessage, { publicUrl: parts.publicUrl(), address: addressOf(request) });
  const timer = setTimeout(() => raw.destroy(), requestTimeoutMs);
  raw.once("end", () => clearTimeout(timer));
  reply.raw.once("close", () => clearTimeout(timer));
  holdToTls(reply).headers(answerFields);
  await now.answer(raw as IncomingMessage, takeOver(reply) as never);
}
