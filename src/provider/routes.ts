import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { takeOver } from "../gateway/refuse.ts";
import { pathOf, routes } from "./configuration.ts";
import type { FindProvider } from "./library.ts";
import type { ProviderParts } from "./parts.ts";

interface RoutesOptions extends Pick<ProviderParts, "publicUrl"> {
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
  for (const url of paths) server.route({ method: server.supportedMethods, url, handler });
}

async function answer(
  request: FastifyRequest,
  reply: FastifyReply,
  { findProvider, publicUrl, requestTimeoutMs, count }: RoutesOptions,
): Promise<void> {
  reply.raw.once("close", count(request));
  const provider = await findProvider();
  const { raw } = request;
  locate(raw as IncomingMessage, publicUrl());
  const timer = setTimeout(() => raw.destroy(), requestTimeoutMs);
  raw.once("end", () => clearTimeout(timer));
  reply.raw.once("close", () => clearTimeout(timer));
  await provider.callback()(raw as IncomingMessage, takeOver(reply) as never);
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
