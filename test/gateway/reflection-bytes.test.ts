import { create, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { createHandlerContext } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { expect, test } from "@jest/globals";
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
