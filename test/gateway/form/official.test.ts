import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.js";
import { thirdParty, writeThirdParty } from "../../../generate/third-party.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

// A client that has the official file of a name already takes no other file of that name, so what
// reflection serves under the names of others must be all that their packages have.

let server: TestServer;
let official: ReadonlyMap<string, FileDescriptorProto>;

beforeAll(async () => {
  server = await startServer();
  official = await compiled();
});

afterAll(() => server.close());

describe("reflection serves whole, as published", () => {
  test.each(thirdParty)("%s", async (name) => {
    expect(await servedFile(name)).toEqual(official.get(name));
  });

  test("the rules of fields, as the engine has them", async () => {
    const { proto } = file_buf_validate_validate;
    expect(await servedFile(proto.name)).toEqual(proto);
  });
});

async function servedFile(value: string): Promise<FileDescriptorProto> {
  const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: server.url }));
  async function* ask() {
    yield { messageRequest: { case: "fileByFilename" as const, value } };
  }
  for await (const { messageResponse } of client.serverReflectionInfo(ask())) {
    if (messageResponse.case !== "fileDescriptorResponse") break;
    return fromBinary(FileDescriptorProtoSchema, messageResponse.value.fileDescriptorProto[0]!);
  }
  throw new Error(`${value} is not served`);
}

/** What the files of the packages compile to. */
async function compiled(): Promise<ReadonlyMap<string, FileDescriptorProto>> {
  const directory = await mkdtemp(join(tmpdir(), "iam-official-"));
  try {
    writeThirdParty(directory);
    const buf = join(import.meta.dirname, "../../../node_modules/.bin/buf");
    const flags = ["--as-file-descriptor-set", "--exclude-source-info", "-o", "-"];
    const { stdout, stderr } = spawnSync(buf, ["build", directory, ...flags]);
    if (stdout.length === 0) throw new Error(`buf build failed: ${stderr}`);
    const { file } = fromBinary(FileDescriptorSetSchema, stdout);
    return new Map(file.map((one) => [one.name, one]));
  } finally {
    await rm(directory, { recursive: true });
  }
}
