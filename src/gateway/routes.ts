import { randomUUID } from "node:crypto";
import { IncomingMessage } from "node:http";
import {
  ConnectError,
  type ConnectRouter,
  type ContextValues,
  createContextValues,
} from "@connectrpc/connect";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { fastifyConnectPlugin } from "@connectrpc/connect-fastify";
import { universalRequestFromNodeRequest } from "@connectrpc/connect-node";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { explainUnframed } from "../port/framing.ts";
import type { Store } from "../store/store.ts";
import { type Arrival, arrivalOf, type LogRefusals } from "./call/call.ts";
import { notedClient } from "./call/client.ts";
import {
  failure,
  failureOf,
  internal,
  methodNotAllowed,
  unsupportedMediaType,
} from "./call/errors.ts";
import { fieldOverheadBytes, repeatedIn } from "./call/headers.ts";
import { createPaths, forgetHost, type Paths, withoutHost } from "./call/paths.ts";
import { type SenderOf, sourceOf } from "./call/sender.ts";
import { arrivalKey } from "./connect/call.ts";
import { type RestRoute, restRoutes, toRpc } from "./connect/rest.ts";
import { sendUniversal } from "./connect/send.ts";
import type { Pipeline } from "./connect/wire.ts";
import { describedPaths } from "./described.ts";
import type { Endpoint, PathEndpoint, Respond } from "./endpoint.ts";
import { countAnswers, type Front } from "./front.ts";
import type { Readiness } from "./health.ts";
import { probePaths } from "./probe.ts";
import { refuse, takeOver } from "./refuse.ts";
import { otherVerb } from "./verb.ts";

export interface RoutesOptions extends LogRefusals {
  readonly pipeline: Pipeline;
  readonly readiness: Readiness;
  /** Whose storage operators ask after. */
  readonly store: Pick<Store, "condition">;
  readonly log: Logger;
  readonly now: () => number;
  /** Bytes of all header fields of one request. */
  readonly headerBytesMax: number;
  readonly pages?: RegisterPages;
  readonly senderOf: SenderOf;
  readonly front: Front;
  /** Adds the services to connect's router. */
  readonly services: (router: ConnectRouter) => void;
}

/** Adds paths whose answers are made from calls of the methods that are served. */
export type RegisterPages = (
  server: FastifyInstance,
  handlers: readonly UniversalHandler[],
  options: Pick<RoutesOptions, "log" | "logRefusal" | "now" | "front">,
) => Promise<ShowMissing>;

/** Answers a request for what is not there, where it asks for a page; undefined where not. */
export type ShowMissing = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown> | undefined;

/**
 * Every path that the server answers: RPC, REST, health, the pages for people, and what is said
 * about all others.
 */
export async function registerRoutes(
  server: FastifyInstance,
  options: RoutesOptions,
): Promise<Routes> {
  countAnswers(server, options.front);
  checkHeaders(server, options);
  addVerbs(server);
  // Set before any path is, because a plugin's paths take over what there is then.
  server.setErrorHandler((error, request, reply) => {
    const known = failureOf(error);
    if (known !== undefined) return refuse(request, reply, known, options);
    turnAway(request, reply, frameworkFailure(error, request, options), options);
  });
  // Bodies are read behind the gate, by the pipeline.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));

  const handlers = await registerServices(server, options);
  const showMissing = await options.pages?.(server, handlers, options);

  const paths = createPaths<Endpoint>([
    ...handlers.map(({ requestPath: path }) => [{ verb: "POST", path }, foundBefore] as const),
    ...restRoutes(handlers).map((route) => restPath(route, options)),
    ...probePaths(options),
    ...describedPaths(options),
  ]);
  // Fastify finds the methods and the pages. All others are found here: it would compile each path
  // for each verb, those that are refused too, for as long as all else of a start takes.
  server.setNotFoundHandler(async (request, reply) => {
    const [path = ""] = withoutHost(request.url).split(/[?#]/, 1);
    const found = paths.find(request.method, path);
    if (found !== undefined) return await found.target.respond(request, reply, found.pathFields);
    const verbs = paths.verbsAt(path);
    const page = verbs.length === 0 ? showMissing?.(request, reply) : undefined;
    if (page !== undefined) return void (await page);
    turnAway(request, reply, verbs.length > 0 ? methodNotAllowed(verbs) : unknownPath(), options);
  });
  return { handlers, paths };
}

/** Refuses a request that reached nothing which counts it for its address: it counts here. */
export function turnAway(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ConnectError,
  options: Pick<RoutesOptions, "front" | "logRefusal">,
): void {
  refuse(request, reply, options.front.refusalFor(request, error), options);
}

/** What is served: the handler of each method, and all paths, with the routes of REST. */
export interface Routes {
  readonly handlers: readonly UniversalHandler[];
  readonly paths: Paths<{ readonly route?: RestRoute }>;
}

function unknownPath(): ConnectError {
  return failure({ reason: "UNKNOWN_PATH", message: "No operation has this path." });
}

function checkHeaders(server: FastifyInstance, options: RoutesOptions): void {
  server.addHook("onRequest", (request, reply, done) => {
    const { rawHeaders, httpVersion, httpVersionMajor, headers, url = "" } = request.raw;
    // The port ends the connection with the answer to it.
    const unframed = request.raw instanceof IncomingMessage && explainUnframed(request.raw);
    if (unframed) {
      const error = failure({ reason: "MALFORMED_REQUEST", message: unframed });
      return turnAway(request, reply, error, options);
    }
    forgetHost(request.raw);
    // A path is found whatever its first character is.
    if (!withoutHost(url).startsWith("/")) return turnAway(request, reply, unknownPath(), options);
    const names = rawHeaders
      .filter((_text, index) => index % 2 === 0)
      .map((name) => name.toLowerCase());
    const repeated = repeatedIn(names);
    if (repeated !== undefined) {
      const message = `The header ${repeated} was given more than once: send it once.`;
      return turnAway(request, reply, failure({ reason: "MALFORMED_REQUEST", message }), options);
    }
    // RFC 9110, 10.1.1: a request of HTTP/1.0 expects nothing.
    if (httpVersion !== "1.0" && !continueOrNothing.test(headers.expect ?? "")) {
      const message = "The server supports only the expectation 100-continue.";
      return turnAway(request, reply, failure({ reason: "EXPECTATION_FAILED", message }), options);
    }
    // Node counts for HTTP/1.1. For HTTP/2 it does so only once the peer has confirmed the limit.
    const bytes = rawHeaders.join("").length + names.length * fieldOverheadBytes;
    if (httpVersionMajor > 1 && bytes > options.headerBytesMax) {
      const message = `The header fields are larger than ${options.headerBytesMax} bytes.`;
      return turnAway(request, reply, failure({ reason: "HEADERS_TOO_LARGE", message }), options);
    }
    return done();
  });
}

/** What Node takes for `100-continue`, which it answers itself, or an expectation of nothing. */
const continueOrNothing = /^$|(?:^|\W)100-continue(?:$|\W)/i;

/** Lets paths refuse every verb that Node reads, before Fastify asks of what type the body is. */
function addVerbs(server: FastifyInstance): void {
  for (const verb of ["HEAD", "OPTIONS", otherVerb]) {
    server.addHttpMethod(verb, { overrideExisting: true });
  }
}

/** The refusal of what Fastify cannot read, in words that repeat nothing of it: its own do. */
export function unreadable(): ConnectError {
  const message = "The path or a header cannot be decoded.";
  return failure({ reason: "MALFORMED_REQUEST", message });
}

/** What Fastify refuses on its own. */
function frameworkFailure(
  error: unknown,
  request: FastifyRequest,
  { log }: RoutesOptions,
): ConnectError {
  const { code = "", statusCode = 500 } = error as { code?: string; statusCode?: number };
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return unsupportedMediaType(request.headers["content-type"] ?? null);
  }
  if (statusCode === 404) return unknownPath();
  if (statusCode >= 500) return internal(error, randomUUID(), log);
  return unreadable();
}

/** Registers the services with Connect's plugin, in our form; answers their handlers. */
async function registerServices(
  server: FastifyInstance,
  options: RoutesOptions,
): Promise<readonly UniversalHandler[]> {
  const { pipeline, services } = options;
  let handlers: readonly UniversalHandler[] = [];
  await server.register(async (scope) => {
    // Methods are called by POST. Other verbs there are refused as on all paths that are not pages.
    Object.assign(scope, { all: scope.post });
    await scope.register(fastifyConnectPlugin, {
      ...pipeline.connect,
      contextValues: (request) => valuesOf(request, {}, options),
      routes: (router) => {
        services(router);
        handlers = router.handlers.map((handler) => pipeline.wrap(handler));
        router.handlers.splice(0, handlers.length, ...handlers);
      },
    });
  });
  return handlers;
}

/** Stands for a method at its path in the table of paths: Fastify has found it already. */
const foundBefore: Endpoint = {
  respond: () => Promise.reject(new Error("Fastify finds methods itself")),
};

function restPath(route: RestRoute, options: RoutesOptions): PathEndpoint {
  const respond: Respond = async (request, reply, pathFields) => {
    const rpc = toRpc(universalRequest(request, reply, pathFields, options), route);
    if (rpc instanceof ConnectError) return turnAway(request, reply, rpc, options);
    const response = await route.handler(rpc);
    await sendUniversal(response, takeOver(reply));
  };
  return [route, { respond, route }];
}

/** The request as Connect takes it. */
function universalRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  pathFields: Arrival["pathFields"],
  options: RoutesOptions,
) {
  const values = valuesOf(request, pathFields, options);
  return universalRequestFromNodeRequest(request.raw, reply.raw, undefined, values);
}

/** What goes along with a request: what was known of it when it arrived. */
function valuesOf(
  { raw, headers }: FastifyRequest,
  pathFields: Arrival["pathFields"],
  { now, senderOf }: RoutesOptions,
): ContextValues {
  const [sender, client] = [senderOf(sourceOf(raw), headers), notedClient(raw)];
  const arrival = arrivalOf(now(), { pathFields, sender, client });
  return createContextValues().set(arrivalKey, arrival);
}
