import { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import type { UniversalHandler } from "@connectrpc/connect/protocol";
import { type FastifyInstance, fastify } from "fastify";
import type { Logger } from "pino";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { type Alias, aliasOfName } from "../alias.ts";
import { type OptionsOf, type ServedService, served } from "../api/services.ts";
import { rejectionFor } from "../domain/decision.ts";
import type { AnyRequestListener, Takers } from "../port/http2.ts";
import type { Peers } from "../port/peer.ts";
import { createPort, type Port } from "../port/port.ts";
import { createShares } from "../port/shares.ts";
import type { Certificate } from "../port/tls.ts";
import type { Objects } from "../store/objects.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
import { byOwnNames } from "./alias.ts";
import { createAnswers } from "./call/answers.ts";
import { createBudget } from "./call/budget.ts";
import type { CallLine, LogRefusals } from "./call/call.ts";
import { createCallers, type FindAccess } from "./call/caller.ts";
import { type ClientOf, createClientOf, noteClient } from "./call/client.ts";
import { failure, storeRefusals } from "./call/errors.ts";
import { createGate, createQuickGate } from "./call/gate.ts";
import { type GatewayLimits, openCallsOf, openStreamsOf } from "./call/limits.ts";
import { createPace } from "./call/pace.ts";
import { type Rules, rulesOf } from "./call/rule.ts";
import { createSenderOf } from "./call/sender.ts";
import { createUnread } from "./call/unread.ts";
import { createPipeline } from "./connect/wire.ts";
import { createCrossOrigin } from "./cors.ts";
import { jsonOptionsOf } from "./form/message.ts";
import { createFront, type Front } from "./front.ts";
import { healthService, type Readiness } from "./health.ts";
import type { UnaryMethod } from "./native/target.ts";
import { createNativeWire, type NativeWire } from "./native/wire.ts";
import { createReflection } from "./reflection.ts";
import { malformedHttp, refuse, tooManyRequests } from "./refuse.ts";
import { type RegisterPages, registerRoutes, turnAway, unreadable } from "./routes.ts";
import { foldVerb, verbIn } from "./verb.ts";

export interface GatewayOptions extends LogRefusals {
  readonly services: readonly ServedService[];
  /** Whether usual unary calls take the native wire, which answers as Connect's does. */
  readonly nativeWire: boolean;
  /** What people see; none without it. */
  readonly pages?: RegisterPages;
  readonly store: Store;
  readonly objects: Objects;
  /** Says what access tokens stand for. */
  readonly findAccess: FindAccess;
  readonly log: Logger;
  readonly logCall: (line: CallLine) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly limits: GatewayLimits;
  readonly peers: Peers;
  /** Another name by which the services may be called. */
  readonly alias: Alias | undefined;
  /** Origins whose pages may call; none turns CORS off. */
  readonly corsOrigins: readonly string[];
  /** Turns TLS on; then there is no cleartext. */
  readonly certificate?: Certificate;
}

export interface Gateway {
  /**
   * Accepts calls; port 0 takes any that is free. Resolves to the address, rejects if it is taken.
   * Shared, other processes may accept calls there too.
   */
  listen(host: string, port: number, isShared?: boolean): Promise<AddressInfo>;
  /** Accepts calls on a socket that listens already: see `listenOnSocket` of the port. */
  listenOnSocket(descriptor: number): Promise<AddressInfo>;
  /** With TLS, what new connections are shown from now on. */
  renewCertificate(certificate: Certificate): void;
  /**
   * Says that it is not ready while it goes on to take calls, so that balancers lead them
   * elsewhere, and after `drainQuietMs` also that connections end. Resolves when `drainMs` have
   * passed, or the signal ends the wait, and no connection is new. At once where they are 0.
   */
  drain(isEnough: AbortSignal): Promise<void>;
  /** Takes no new calls, lets those in flight finish, and cuts off what is left after the grace. */
  close(): Promise<void>;
}

/** One port for gRPC, gRPC-Web, Connect and REST over HTTP/1.1 and HTTP/2, with TLS or without. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { log, logCall, limits, now, store, certificate } = options;
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const readiness = readinessOf(options, { draining: draining.signal, stopping: stopping.signal });
  const services = withStandardServices(options, readiness);
  const rules = rulesOf(services.map(({ service }) => service));
  const callers = createCallers(store, options.objects, now, options.findAccess);
  const gate = createGate(callers);
  const [pace, unread] = [createPace(limits), createUnread(limits)];
  const [senderOf, clientOf] = [createSenderOf(options.peers, pace), createClientOf(options.peers)];
  const shared = {
    ...{ rules, log, logCall, now, limits, pace, unread, stopping: stopping.signal },
    openCalls: createShares(openCallsOf(limits)),
    openStreams: createShares(openStreamsOf(limits)),
    answers: createAnswers(createBudget(), limits),
    budget: createBudget(),
  };
  const pipeline = createPipeline({ ...shared, gate });
  const port = createPort({
    limits,
    peers: options.peers,
    // Made when it is needed: an error loads what a start does without.
    tooManyRequests: () => tooManyRequests(limits.unansweredRequestsMax),
    ...(certificate ? { certificate } : {}),
  });
  const front = createFront(limits, senderOf, pace, unread);
  const { server, listener } = createServer(port, { ...options, front }, clientOf);

  const crossOrigin = createCrossOrigin(options.corsOrigins, options.alias);
  await crossOrigin?.register(server);
  server.addHook("onRequest", (request, reply, done) => {
    if (!stopping.signal.aborted) return done();
    reply.header("connection", "close");
    refuse(request, reply, failure(rejectionFor("SHUTTING_DOWN")), { ...options, front });
  });
  const routes = await registerRoutes(server, {
    ...{ pipeline, readiness, store, log, now, senderOf, front, logRefusal: options.logRefusal },
    ...(options.pages ? { pages: options.pages } : {}),
    headerBytesMax: limits.headerBytesMax,
    services: (router) => {
      for (const one of services) one.register(router, messageOptions(one, rules, limits));
    },
  });
  await server.ready();
  const native = createNativeWire({
    ...{ ...shared, senderOf, clientOf, gate: createQuickGate(callers, gate) },
    ownFields: crossOrigin?.fields ?? {},
    methods: unaryMethods(services, routes.handlers),
    paths: routes.paths,
    hasCors: crossOrigin !== undefined,
  });
  const takers: Takers = options.nativeWire
    ? { listener: beside(native, listener), takeStream: native.http2 }
    : { listener };
  port.serve(options.alias === undefined ? takers : byOwnNames(takers, options.alias));

  const { listen, listenOnSocket, renewCertificate } = port;
  const ways = { listen, listenOnSocket, renewCertificate };
  return { ...ways, ...endsOf(port, server, { draining, stopping, limits }) };
}

interface Ends {
  readonly draining: AbortController;
  readonly stopping: AbortController;
  readonly limits: GatewayLimits;
}

/** The two steps of a stop. */
function endsOf(
  port: Port,
  server: FastifyInstance,
  { draining, stopping, limits }: Ends,
): Pick<Gateway, "drain" | "close"> {
  return {
    drain: async (isEnough) => {
      if (limits.drainMs === 0) return;
      draining.abort();
      await sleep(limits.drainQuietMs, isEnough);
      port.drain();
      await sleep(limits.drainMs - limits.drainQuietMs, isEnough);
      port.stopListening();
      // A request may be on its way on each connection that was accepted last.
      await sleep(limits.lingerMs, isEnough);
    },
    close: async () => {
      draining.abort();
      stopping.abort();
      await port.close();
      await server.close();
    },
  };
}

const notReady = rejectionFor("UNAVAILABLE", "The server accepts no calls now.");

/** Waits so long, or until the signal ends it. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await pause(ms, undefined, { signal }).catch(() => {});
}

/** Ready is a server that takes calls, is not about to stop, and whose store takes writes. */
function readinessOf(
  { store, limits }: GatewayOptions,
  ends: Pick<Readiness, "draining" | "stopping">,
): Readiness {
  return {
    ...ends,
    intervalMs: limits.healthIntervalMs,
    refusal: async () => {
      if (ends.draining.aborted) return rejectionFor("SHUTTING_DOWN");
      return await store.ready().then(
        () => undefined,
        (error: unknown) => {
          const why = error instanceof StoreUnavailable ? error.why : "passing";
          return why === "passing" ? notReady : storeRefusals[why];
        },
      );
    },
  };
}

/** A service that is open to anybody in any part takes less, in all of it. */
function messageOptions(
  { service }: ServedService,
  rules: Rules,
  { openBodyBytesMax }: GatewayLimits,
): OptionsOf {
  const isOpen = service.methods.some((method) => rules.of(method).kind === "open");
  const limits = isOpen ? { readMaxBytes: openBodyBytesMax } : {};
  return (method) => ({ ...limits, jsonOptions: jsonOptionsOf(method) });
}

/** Adds health and reflection, which know about all services, themselves included. */
function withStandardServices(
  { services: ours, alias }: GatewayOptions,
  readiness: Readiness,
): readonly ServedService[] {
  const names = ours.map(({ service }) => service.typeName);
  const theirs = alias === undefined ? [] : names.map((name) => aliasOfName(name, alias));
  const standard = [Health, ServerReflection, ServerReflectionV1Alpha];
  const reflection = createReflection([...ours.map(({ service }) => service), ...standard], alias);
  return [
    ...ours,
    served(Health, healthService([...names, ...theirs], readiness)),
    served(ServerReflection, reflection.v1),
    served(ServerReflectionV1Alpha, reflection.v1alpha),
  ];
}

/** The unary methods of all services, with the handlers that answer them in every form. */
function unaryMethods(
  services: readonly ServedService[],
  handlers: readonly UniversalHandler[],
): readonly UnaryMethod[] {
  const byMethod = new Map(handlers.map((handler) => [handler.method, handler]));
  return services.flatMap((served) =>
    served.service.methods.flatMap((method) => {
      const byConnect = byMethod.get(method);
      if (method.methodKind !== "unary" || byConnect === undefined) return [];
      return [{ method, handle: served.unary(method), byConnect }];
    }),
  );
}

/** Requests of HTTP/1.1 that the native wire takes, and the listener for all others. */
function beside(native: NativeWire, listener: AnyRequestListener): AnyRequestListener {
  return (request, response) => {
    const isTaken =
      request instanceof IncomingMessage &&
      response instanceof ServerResponse &&
      native.http1(request, response);
    if (!isTaken) listener(request, response);
  };
}

/** Fastify on the HTTP/1.1 server of the port, with its listener for requests of both versions. */
function createServer(
  port: Port,
  { limits, ...options }: GatewayOptions & { readonly front: Front },
  clientOf: ClientOf,
): { readonly server: FastifyInstance; readonly listener: AnyRequestListener } {
  let route: AnyRequestListener | undefined;
  const server = fastify({
    logger: false,
    // No route has a schema, and what compiles them takes as long to load as the rest of Fastify.
    schemaController: {
      compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas },
    },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.headerBytesMax },
    serverFactory: (listener) => {
      route = listener as AnyRequestListener;
      return port.http1;
    },
    clientErrorHandler: ({ code, rawPacket }, socket) =>
      port.endAfter(socket, malformedHttp(code), verbIn(rawPacket)),
    frameworkErrors: (_error, request, reply) => turnAway(request, reply, unreadable(), options),
  });
  const listener: AnyRequestListener = (request, response) => {
    foldVerb(request);
    noteClient(request, clientOf);
    route?.(request, response);
  };
  return { server, listener };
}

function noSchemas(): never {
  throw new Error("no route has a schema");
}
