import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { answerFields } from "../gateway/answer-fields.ts";
import { takeOver } from "../gateway/refuse.ts";
import { type Fields, readForm } from "../pages/form.ts";
import { authenticate } from "./client-auth.ts";
import { introspectionPath, pathOf, routes } from "./configuration.ts";
import { introspect } from "./introspect.ts";
import type { FindProvider } from "./library.ts";
import type { ProviderParts } from "./parts.ts";

interface RoutesOptions {
  readonly parts: ProviderParts;
  readonly findProvider: FindProvider;
  /** Milliseconds until a request must have been sent completely. */
  readonly requestTimeoutMs: number;
  /** Counts a request for its sender; answers what gives it back. Throws past the limit. */
  readonly count: (request: FastifyRequest) => () => void;
}

const paths = [
  "/.well-known/openid-configuration",
  ...Object.values(routes),
  `${routes.authorization}/:uid`,
  `${routes.end_session}/confirm`,
  `${routes.end_session}/success`,
];

/** The paths of the provider; what is none of its verbs there, it answers itself. */
export function registerProvider(server: FastifyInstance, options: RoutesOptions): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => answer(request, reply, options);
  for (const url of paths) {
    const isPosted = url === routes.authorization;
    const method = server.supportedMethods.filter((verb) => verb !== "POST" || !isPosted);
    server.route({ method, url, handler });
  }
  server.post(routes.authorization, (...both) => goOnByAddress(...both, options));
  server.post(introspectionPath, (request, reply) => answerIntrospection(request, reply, options));
}

/**
 * A request for a login that comes as a form goes on as an address (OIDC Core 1.0, 3.1.2.1): from
 * another site, cookies come along with an address alone.
 */
async function goOnByAddress(
  request: FastifyRequest,
  reply: FastifyReply,
  { requestTimeoutMs, count }: RoutesOptions,
): Promise<void> {
  reply.raw.once("close", count(request));
  reply.headers(answerFields);
  const fields = await readOrRefuse(request, reply, requestTimeoutMs);
  if (fields === undefined) return;
  const last = routes.authorization.split("/").at(-1);
  void reply.code(303).header("location", `${last}?${fields.query}`).send("");
}

/** Reads a form; undefined where it cannot be read, which is answered then. */
async function readOrRefuse(
  { raw, headers }: FastifyRequest,
  reply: FastifyReply,
  requestTimeoutMs: number,
): Promise<Fields | undefined> {
  const header = new Headers({ "content-type": headers["content-type"] ?? "" });
  try {
    return await readForm({ body: raw, header }, requestTimeoutMs);
  } catch (error) {
    const description = error instanceof Error ? error.message : "it cannot be read";
    void reply.code(400).send({ error: "invalid_request", error_description: description });
    return undefined;
  }
}

/** Introspection is ours: the library knows neither JWTs nor applications that log nobody in. */
async function answerIntrospection(
  request: FastifyRequest,
  reply: FastifyReply,
  { parts, findProvider, requestTimeoutMs, count }: RoutesOptions,
): Promise<void> {
  reply.raw.once("close", count(request));
  reply.headers(answerFields);
  const fields = await readOrRefuse(request, reply, requestTimeoutMs);
  if (fields === undefined) return;
  const { authorization } = request.headers;
  const asker = await authenticate(parts, { authorization, fields, path: introspectionPath });
  if (asker === undefined) {
    const realm = `Basic realm="${parts.publicUrl()}"`;
    return void reply
      .code(401)
      .header("www-authenticate", realm)
      .send({ error: "invalid_client", error_description: "client authentication failed" });
  }
  const token = fields.of("token");
  if (token === "") {
    const missing = { error: "invalid_request", error_description: "the token is missing" };
    return void reply.code(400).send(missing);
  }
  const { envelope } = await findProvider();
  return void reply.send(await introspect(parts, envelope, { token, asker }));
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { findProvider, parts, requestTimeoutMs, count }: RoutesOptions,
): Promise<void> {
  reply.raw.once("close", count(request));
  const now = await findProvider();
  const { raw } = request;
  locate(raw as IncomingMessage, parts.publicUrl());
  const timer = setTimeout(() => raw.destroy(), requestTimeoutMs);
  raw.once("end", () => clearTimeout(timer));
  reply.raw.once("close", () => clearTimeout(timer));
  await now.answer(raw as IncomingMessage, takeOver(reply) as never);
}

/**
 * Says to the library where it is reached: at the address that is configured, whatever name the
 * request has and whoever ends the TLS. What others say of that is taken away.
 */
export function locate(raw: IncomingMessage & { originalUrl?: string }, publicUrl: string): void {
  const { protocol, host } = new URL(publicUrl);
  raw.headers.host = host;
  raw.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  raw.headers["x-forwarded-host"] = host;
  delete raw.headers["x-forwarded-for"];
  delete raw.headers.forwarded;
  if (":authority" in raw.headers) raw.headers[":authority"] = host;
  raw.originalUrl = pathOf({ publicUrl: () => publicUrl }) + (raw.url ?? "");
}
