import { once } from "node:events";
import { create, type DescMessage, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { createHandlerContext } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { type ClientDuplexStream, credentials, Client as GrpcJsClient } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import {
  ServerReflection as AlphaReflection,
  ServerReflectionRequestSchema as AlphaRequestSchema,
} from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createReflection } from "../../src/gateway/reflection.ts";
import { startServer, type TestServer } from "../harness/server.ts";

const { v1, v1alpha } = createReflection([ManagementService]);
const file = ManagementService.file.proto.name;

/** The same question twice, in the form of either version. */
function twice<Desc extends DescMessage>(
  schema: Desc,
  init: Parameters<typeof create<Desc>>[1],
): AsyncIterable<MessageShape<Desc>> {
  return createAsyncIterable([create(schema, init), create(schema, init)]);
}

const asks = [
  { case: "fileByFilename", value: file },
  { case: "fileContainingSymbol", value: ManagementService.typeName },
  { case: "fileContainingSymbol", value: `${ManagementService.typeName}.AddOIDCApp` },
] as const;

test("descriptors are serialized once, for all calls and both versions", async () => {
  const contextOf = (service: typeof ServerReflection | typeof AlphaReflection) =>
    createHandlerContext({
      service,
      method: service.method.serverReflectionInfo,
      protocolName: "grpc",
      requestMethod: "POST",
      url: "http://localhost",
    });
  const found = new Set<Uint8Array>();
  for (const messageRequest of asks) {
    const both = [
      v1.serverReflectionInfo(
        twice(ServerReflectionRequestSchema, { messageRequest }),
        contextOf(ServerReflection),
      ),
      v1alpha.serverReflectionInfo(
        twice(AlphaRequestSchema, { messageRequest }),
        contextOf(AlphaReflection),
      ),
    ];
    for (const responses of both) {
      for await (const { messageResponse } of responses) {
        expect(messageResponse).toMatchObject({ case: "fileDescriptorResponse" });
        const { fileDescriptorProto } = messageResponse!.value as {
          readonly fileDescriptorProto: readonly Uint8Array[];
        };
        found.add(fileDescriptorProto[0]!);
      }
    }
  }
  expect(found.size).toBe(1);
});

describe("streams that nobody ends", () => {
  let server: TestServer;
  let client: GrpcJsClient;

  beforeAll(async () => {
    // Room for one answer with the largest file, and not for two.
    server = await startServer({ limits: { streamAnswersBytesMax: 300_000 } });
    client = new GrpcJsClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  type Stream = ClientDuplexStream<Buffer, Buffer>;
  const open = (): Stream =>
    client.makeBidiStreamRequest(
      `/${ServerReflection.typeName}/${ServerReflection.method.serverReflectionInfo.name}`,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
    );
  const request = (value: string) =>
    Buffer.from(
      toBinary(
        ServerReflectionRequestSchema,
        create(ServerReflectionRequestSchema, {
          messageRequest: { case: "fileContainingSymbol", value },
        }),
      ),
    );
  /** Asks for a file; answers the bytes of what comes. */
  async function ask(stream: Stream, symbol: string): Promise<number> {
    stream.write(request(symbol));
    const [answer] = (await once(stream, "data")) as [Buffer];
    return answer.byteLength;
  }

  test("end where what they were answered last is too much, the oldest first", async () => {
    const [first, second, third] = [open(), open(), open()];
    const ended = once(first, "error");
    expect(await ask(first, ManagementService.typeName)).toBeGreaterThan(150_000);
    // Little ends nobody, and is not ended itself.
    expect(await ask(third, "google.rpc.Status")).toBeLessThan(10_000);
    expect(await ask(first, ManagementService.typeName)).toBeGreaterThan(150_000);
    expect(await ask(second, ManagementService.typeName)).toBeGreaterThan(150_000);
    const answered = once(first, "data").catch(() => ended);
    first.write(request(ManagementService.typeName), () => {});
    expect(await Promise.race([ended, answered])).toMatchObject([
      { code: 8, details: expect.stringMatching(/^Too many calls without a token are open/) },
    ]);
    // What is over counts no more: those that were left are answered again and again.
    expect(await ask(second, ManagementService.typeName)).toBeGreaterThan(150_000);
    expect(await ask(third, "google.rpc.Status")).toBeLessThan(10_000);
    second.end();
    await once(second, "end");
    const fourth = open();
    expect(await ask(fourth, ManagementService.typeName)).toBeGreaterThan(150_000);
    expect(await ask(fourth, "google.rpc.Status")).toBeLessThan(10_000);
    for (const stream of [third, fourth]) stream.end();
    await Promise.all([once(third, "end"), once(fourth, "end")]);
  });
});
