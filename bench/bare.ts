import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { createServer as createHttp2Server, type Http2Server } from "node:http2";
import type { AddressInfo } from "node:net";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Server, ServerCredentials, type ServiceDefinition } from "@grpc/grpc-js";
import { fastify } from "fastify";
import {
  type AddAPIAppRequest,
  AddAPIAppRequestSchema,
  type AddAPIAppResponse,
  AddAPIAppResponseSchema,
} from "../gen/iam/management/v1/app_pb.js";
import { answerParent } from "./child.ts";
import { echoPath, messagesPath } from "./template.ts";

/**
 * Servers that do nothing but echo, in a process of their own. The libraries' show what the
 * transport alone allows; those by hand, which cost less than any, how much the load generator can
 * make.
 */

const unary = { requestStream: false, responseStream: false };
const bytesAsTheyAre = (bytes: Buffer) => bytes;

const bareService = {
  echo: {
    ...unary,
    path: echoPath,
    requestSerialize: bytesAsTheyAre,
    requestDeserialize: bytesAsTheyAre,
    responseSerialize: bytesAsTheyAre,
    responseDeserialize: bytesAsTheyAre,
  },
  messages: {
    ...unary,
    path: messagesPath,
    requestSerialize: (request: AddAPIAppRequest) =>
      Buffer.from(toBinary(AddAPIAppRequestSchema, request)),
    requestDeserialize: (bytes: Buffer) => fromBinary(AddAPIAppRequestSchema, bytes),
    responseSerialize: (response: AddAPIAppResponse) =>
      Buffer.from(toBinary(AddAPIAppResponseSchema, response)),
    responseDeserialize: (bytes: Buffer) => fromBinary(AddAPIAppResponseSchema, bytes),
  },
} satisfies ServiceDefinition;

async function serveGrpcJs(): Promise<number> {
  const server = new Server();
  server.addService(bareService, {
    echo: (call: { request: Buffer }, answer: (error: null, bytes: Buffer) => void) =>
      answer(null, call.request),
    messages: (
      { request }: { request: AddAPIAppRequest },
      answer: (error: null, response: AddAPIAppResponse) => void,
    ) => {
      const { projectId, name } = request;
      answer(null, create(AddAPIAppResponseSchema, { appId: projectId, clientId: name }));
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, port) =>
    error ? reject(error) : resolve(port),
  );
  return promise;
}

async function serveFastify(): Promise<number> {
  const server = fastify();
  server.post("*", (request) => request.body);
  await server.listen({ host: "127.0.0.1", port: 0 });
  return (server.server.address() as AddressInfo).port;
}

function serveHttp1(): Promise<number> {
  const server = createServer((request, response) => {
    request.once("data", (body: Buffer) => {
      response.writeHead(200, { "content-length": body.length });
      response.end(body);
    });
  });
  return listen(server);
}

function serveHttp2(): Promise<number> {
  const server = createHttp2Server();
  server.on("stream", (stream) => {
    stream.once("data", (body: Buffer) => {
      const head = { ":status": 200, "content-type": "application/grpc" };
      stream.respond(head, { waitForTrailers: true });
      stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
      stream.end(body);
    });
  });
  return listen(server);
}

async function listen(server: HttpServer | Http2Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const [grpcJs, fastifyPort, http1, http2] = await Promise.all([
  serveGrpcJs(),
  serveFastify(),
  serveHttp1(),
  serveHttp2(),
]);

const answers = { ports: () => ({ grpcJs, fastify: fastifyPort, http1, http2 }) };

/** What can be asked of the echo servers' process. */
export type BareAnswers = typeof answers;

answerParent(answers, () => {});
