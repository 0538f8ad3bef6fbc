import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { create, createFileRegistry, fromBinary, getOption } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import {
  ServerReflection,
  type ServerReflectionResponse,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import { startServer, type TestServer } from "../harness/server.ts";

/** What is told of services by the names that clients of the compatible API know. */

let server: TestServer;
let closed: TestServer;

beforeAll(async () => {
  [server, closed] = await Promise.all([startServer({ alias: "zitadel" }), startServer()]);
});
afterAll(() => Promise.all([server.close(), closed.close()]));

const management = "zitadel.management.v1.ManagementService";

const ofPackages = (names: readonly string[], name: string) =>
  names
    .filter((one) => one.startsWith(`${name}.`))
    .map((one) => one.slice(name.length))
    .sort();

test("the health of services is told by both names", async () => {
  const health = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
  const names = Object.keys((await health.list({})).statuses);
  expect(ofPackages(names, "zitadel")).toEqual(ofPackages(names, "iam"));
  expect(ofPackages(names, "zitadel")).toContain(".management.v1.ManagementService");
  const ofClosed = createClient(Health, createGrpcTransport({ baseUrl: closed.url }));
  await expect(ofClosed.check({ service: management })).rejects.toMatchObject({ code: 5 });
});

describe("reflection", () => {
  async function ask({ url }: TestServer, messageRequest: object) {
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: url }));
    const asks = (async function* () {
      yield { messageRequest } as object;
    })();
    for await (const { messageResponse } of client.serverReflectionInfo(asks)) {
      return messageResponse;
    }
    throw new Error("nothing was answered");
  }

  async function listed(on: TestServer) {
    const answer = await ask(on, { case: "listServices", value: "" });
    const { service } = valueIn(answer, "listServicesResponse");
    return service.map(({ name }) => name);
  }

  type Answers = Exclude<ServerReflectionResponse["messageResponse"], { case: undefined }>;

  function valueIn<Case extends Answers["case"]>(
    answer: ServerReflectionResponse["messageResponse"],
    name: Case,
  ) {
    expect(answer.case).toBe(name);
    return answer.value as Extract<Answers, { readonly case: Case }>["value"];
  }

  async function filesOf(symbol: string) {
    const answer = await ask(server, { case: "fileContainingSymbol", value: symbol });
    const { fileDescriptorProto } = valueIn(answer, "fileDescriptorResponse");
    return fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
  }

  test("lists each service of ours by both names, where the alias is on", async () => {
    const names = await listed(server);
    expect(ofPackages(names, "zitadel")).toEqual(ofPackages(names, "iam"));
    expect(ofPackages(await listed(closed), "zitadel")).toEqual([]);
  });

  test("describes all of them whole, with their options, by names of the alias alone", async () => {
    for (const name of (await listed(server)).filter((one) => one.startsWith("zitadel."))) {
      const file = (await filesOf(name)).toReversed();
      const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
      for (const method of registry.getService(name)!.methods) {
        expect(getOption(method, access).permission).not.toBe("");
        expect(method.input.typeName).toMatch(/^(zitadel|google)\./);
      }
      const ours = [...registry.files].filter(({ proto }) => proto.package.startsWith("iam."));
      expect(ours.map(({ proto }) => proto.name)).toEqual(["iam/v1/access.proto"]);
    }
  });

  test("is enough for a client without a schema", async () => {
    const root = join(import.meta.dirname, "../..");
    const { stdout } = await promisify(execFile)(
      join(root, "node_modules/.bin/buf"),
      [
        ...["curl", "--protocol=grpc", "--http2-prior-knowledge"],
        `--header=authorization: Bearer ${server.admin.token}`,
        ...["--data", JSON.stringify({ name: v7() }), `${server.url}/${management}/AddProject`],
      ],
      { cwd: root },
    );
    expect(JSON.parse(stdout)).toMatchObject({
      details: { resourceOwner: server.admin.organization },
    });
  });
});
