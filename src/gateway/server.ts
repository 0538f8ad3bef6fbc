import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cors } from "@connectrpc/connect";
import fastifyCors, { type FastifyCorsOptions } from "@fastify/cors";
import { type FastifyInstance, fastify } from "fastify";
import type { Logger } from "pino";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { ServerReflection as ServerReflectionV1Alpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { type MessageLimits, type ServedService, served } from "../api/services.ts";
import type { Store } from "../store/store.ts";
import { malformedHttp } from "./answers.ts";
import { failure } from "./errors.ts";
import { createGate, organizationHeader, type Rules, rulesOf } from "./gate.ts";
import { healthService, type Readiness } from "./health.ts";
import { type AnyRequestListener, createHttp2Side, type Http2Side } from "./http2.ts";
import type { GatewayLimits } from "./limits.ts";
import { type Connections, shareCleartext, shareTls } from "./one-port.ts";
import { createPipeline } from "./pipeline.ts";
import type { CallLine } from "./record.ts";
import { createReflection } from "./reflection.ts";
import { refuse } from "./refuse.ts";
import { registerRoutes } from "./routes.ts";
import { type Certificate, createHandshakes, type Handshakes } from "./tls.ts";
import { createUnanswered } from "./unanswered.ts";
import { createUntaken, type Untaken } from "./untaken.ts";

export interface GatewayOptions {
  readonly services: readonly ServedService[];
  readonly store: Store;
  readonly log: Logger;
  readonly logCall: (line: CallLine) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly limits: GatewayLimits;
  /** Origins whose pages may call; none turns CORS off. */
  readonly corsOrigins: readonly string[];
  /** Turns TLS on; then there is no cleartext. */
  readonly certificate?: Certificate;
}

export interface Gateway {
  /**
   * Accepts calls; port 0 takes any that is free. Resolves to the address, rejects if it is taken.
   */
  listen(host: string, port: number): Promise<AddressInfo>;
  /** With TLS, what new connections are shown from now on. */
  renewCertificate(certificate: Certificate): void;
  /** Takes no new calls, lets those in flight finish, and cuts off what is left after the grace. */
  close(): Promise<void>;
}

/** One port for gRPC, gRPC-Web, Connect and REST over HTTP/1.1 and HTTP/2, with TLS or without. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { log, logCall, limits, now, store } = options;
  const stopping = new AbortController();
  const readiness: Readiness = {
    stopping: stopping.signal,
    intervalMs: limits.healthIntervalMs,
    isReady: () =>
      stopping.signal.aborted
        ? Promise.resolve(false)
        : store.ready().then(
            () => true,
            () => false,
          ),
  };
  const services = withStandardServices(options, readiness);
  const rules = rulesOf(services.map(({ service }) => service));
  const gate = createGate(store, now);
  const pipeline = createPipeline({
    ...{ gate, rules, log, logCall, now, limits, stopping: stopping.signal },
  });
  const { server, http1, http2, connections, handshakes, untaken } = createSockets(options);

  if (options.corsOrigins.length > 0) {
    const open = corsOf(options);
    await server.register(fastifyCors, {
      // Any other OPTIONS is a verb like all that a path does not answer.
      delegator: ({ headers }, callback) =>
        callback(null, { ...open, preflight: "access-control-request-method" in headers }),
    });
  }
  server.addHook("onRequest", (request, reply, done) => {
    // Nothing here depends on the name that a caller gives the server, so none can mislead it.
    request.raw.headers.host = "localhost";
    if (":authority" in request.raw.headers) request.raw.headers[":authority"] = "localhost";
    if (!stopping.signal.aborted) return done();
    const message = "The server is stopping: repeat the call on a new connection.";
    reply.header("connection", "close");
    refuse(request, reply, failure({ reason: "SHUTTING_DOWN", message }), options);
  });
  await registerRoutes(server, {
    pipeline,
    readiness,
    log,
    now,
    headerBytesMax: limits.headerBytesMax,
    requestTimeoutMs: limits.requestTimeoutMs,
    services: (router) => {
      for (const one of services) one.register(router, messageLimits(one, rules, limits));
    },
  });
  await server.ready();

  return {
    listen: async (host, port) => {
      // Fastify's own listen takes more than one address for some names, but there is one server.
      http1.listen({ host, port });
      await once(http1, "listening");
      return http1.address() as AddressInfo;
    },
    renewCertificate: (certificate) => handshakes?.renew(certificate),
    close: async () => {
      stopping.abort();
      const closed = new Promise((resolve) => http1.close(resolve));
      connections.finish();
      http2.finish();
      // Connections become idle one by one as their calls finish.
      const reaper = setInterval(() => http1.closeIdleConnections(), 50);
      const cutOff = setTimeout(() => connections.cutOff(), limits.stopGraceMs);
      await closed;
      clearInterval(reaper);
      clearTimeout(cutOff);
      untaken.end();
      await server.close();
    },
  };
}

/** What browsers may send to and read from the server, for the origins that are allowed. */
function corsOf({ corsOrigins }: GatewayOptions): FastifyCorsOptions {
  return {
    origin: [...corsOrigins],
    methods: [...cors.allowedMethods, "PUT", "DELETE"],
    allowedHeaders: [
      ...cors.allowedHeaders,
      "authorization",
      "accept-language",
      organizationHeader,
    ],
    exposedHeaders: [...cors.exposedHeaders, "x-request-id", "www-authenticate"],
    strictPreflight: false,
    maxAge: 7_200,
  };
}

/** A service that is open to anybody in any part takes less, in all of it. */
function messageLimits(
  { service }: ServedService,
  rules: Rules,
  { openBodyBytesMax }: GatewayLimits,
): MessageLimits {
  const isOpen = service.methods.some((method) => rules.of(method).kind === "open");
  return isOpen ? { readMaxBytes: openBodyBytesMax } : {};
}

/** Adds health and reflection, which know about all services, themselves included. */
function withStandardServices(
  { services: ours }: GatewayOptions,
  readiness: Readiness,
): readonly ServedService[] {
  const names = ours.map(({ service }) => service.typeName);
  const standard = [Health, ServerReflection, ServerReflectionV1Alpha];
  const reflection = createReflection([...ours.map(({ service }) => service), ...standard]);
  return [
    ...ours,
    served(Health, healthService(names, readiness)),
    served(ServerReflection, reflection.v1),
    served(ServerReflectionV1Alpha, reflection.v1alpha),
  ];
}

/** Fastify on an HTTP/1.1 server that shares its port with an HTTP/2 server. */
function createSockets({ log, limits, certificate }: GatewayOptions): {
  readonly server: FastifyInstance;
  readonly http1: Server;
  readonly http2: Http2Side;
  readonly connections: Connections;
  readonly handshakes: Handshakes | undefined;
  readonly untaken: Untaken;
} {
  let route: AnyRequestListener | undefined;
  const listener: AnyRequestListener = (request, response) => route?.(request, response);
  const unanswered = createUnanswered(limits.unansweredRequestsMax);
  const listenerHttp1 = (request: IncomingMessage, response: ServerResponse) => {
    if (unanswered.admit(request, response)) listener(request, response);
  };
  const untaken = createUntaken(limits.writeTimeoutMs);
  const http1 = createServer(
    {
      // What is missing and what is expected is refused as anything else is, in the routes.
      requireHostHeader: false,
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.requestTimeoutMs,
      // Bodies have our own deadline, which can answer; this one only ends what is left.
      requestTimeout: limits.requestTimeoutMs + limits.stopGraceMs,
      keepAliveTimeout: limits.idleTimeoutMs,
      connectionsCheckingInterval: Math.min(limits.requestTimeoutMs, 1_000),
    },
    listenerHttp1,
  );
  http1.on("checkExpectation", listenerHttp1);
  http1.maxConnections = limits.connectionsMax;
  const http2 = createHttp2Side(listener, limits, untaken);
  const handshakes = certificate && createHandshakes(certificate, limits.sniffTimeoutMs);
  const connections = handshakes
    ? shareTls(http1, http2, limits.sniffTimeoutMs, untaken, handshakes.server)
    : shareCleartext(http1, http2, limits.sniffTimeoutMs, untaken);

  const server = fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { maxParamLength: limits.headerBytesMax },
    serverFactory: (fastifyListener) => {
      route = fastifyListener as AnyRequestListener;
      return http1;
    },
    clientErrorHandler: (error, socket) => unanswered.endAfter(socket, malformedHttp(error.code)),
    frameworkErrors: (error, request, reply) => {
      const message = error.message;
      refuse(request, reply, failure({ reason: "MALFORMED_REQUEST", message }), { log });
    },
  });
  return { server, http1, http2, connections, handshakes, untaken };
}
