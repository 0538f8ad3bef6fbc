import { execFile } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  create,
  createFileRegistry,
  fromBinary,
  getOption,
  hasOption,
  type MessageInitShape,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { credentials, Client as GrpcJsClient } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { field as fieldRules } from "../../gen/buf/validate/validate_pb.js";
import { http } from "../../gen/google/api/annotations_pb.js";
import {
  ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import {
  ServerReflection as AlphaReflection,
  ServerReflectionRequestSchema as AlphaRequestSchema,
  ServerReflectionResponseSchema as AlphaResponseSchema,
} from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import { describeFew, few } from "../harness/in-full.ts";
import { startServer, type TestServer } from "../harness/server.ts";

type Ask = NonNullable<MessageInitShape<typeof ServerReflectionRequestSchema>["messageRequest"]>;

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

function requestOf(ask: Ask): ServerReflectionRequest {
  return create(ServerReflectionRequestSchema, { host: "any", messageRequest: ask });
}

/** Asks over grpc-js, which shares no code with the server's protocol library. */
async function askGrpcJs(service: string, asks: readonly Ask[]) {
  const client = new GrpcJsClient(`127.0.0.1:${server.port}`, credentials.createInsecure());
  const call = client.makeBidiStreamRequest(
    `/${service}/ServerReflectionInfo`,
    (request: ServerReflectionRequest) =>
      Buffer.from(toBinary(ServerReflectionRequestSchema, request)),
    (bytes: Buffer) => fromBinary(ServerReflectionResponseSchema, bytes),
  );
  const responses: ServerReflectionResponse[] = [];
  call.on("data", (response: ServerReflectionResponse) => responses.push(response));
  for (const ask of asks) call.write(requestOf(ask));
  call.end();
  await once(call, "end");
  client.close();
  return responses;
}

async function* each<T>(values: readonly T[]) {
  yield* values;
}

async function collect<T>(values: AsyncIterable<T>): Promise<readonly T[]> {
  const collected: T[] = [];
  for await (const value of values) collected.push(value);
  return collected;
}

interface ReflectionClient {
  readonly name: string;
  ask(asks: readonly Ask[]): Promise<readonly ServerReflectionResponse[]>;
}

const clients: readonly ReflectionClient[] = [
  { name: "v1 over grpc-js", ask: (asks) => askGrpcJs(ServerReflection.typeName, asks) },
  { name: "v1alpha over grpc-js", ask: (asks) => askGrpcJs(AlphaReflection.typeName, asks) },
  {
    name: "v1 over gRPC",
    ask(asks) {
      const transport = createGrpcTransport({ baseUrl: server.url });
      const client = createClient(ServerReflection, transport);
      return collect(client.serverReflectionInfo(each(asks.map(requestOf))));
    },
  },
  {
    name: "v1alpha over Connect",
    async ask(asks) {
      const transport = createConnectTransport({ baseUrl: server.url, httpVersion: "2" });
      const client = createClient(AlphaReflection, transport);
      const bytes = asks.map((ask) => toBinary(ServerReflectionRequestSchema, requestOf(ask)));
      const requests = bytes.map((one) => fromBinary(AlphaRequestSchema, one));
      const responses = await collect(client.serverReflectionInfo(each(requests)));
      return responses
        .map((one) => toBinary(AlphaResponseSchema, one))
        .map((one) => fromBinary(ServerReflectionResponseSchema, one));
    },
  },
];

const services = [
  "iam.management.v1.ManagementService",
  ...["iam.admin.v1.AdminService", "iam.user.v2.UserService", "iam.asset.v1.AssetService"],
  ...["iam.auth.v1.AuthService", "iam.event.v1.EventService", "iam.group.v1.GroupService"],
  "iam.account.v1.AccountService",
  "grpc.health.v1.Health",
  "grpc.reflection.v1.ServerReflection",
  "grpc.reflection.v1alpha.ServerReflection",
];

const appFile = "iam/management/v1/app.proto";

/** A name and the file that has what it names. */
const symbols = [
  { kind: "a service", symbol: services[0]!, file: "iam/management/v1/management_service.proto" },
  {
    kind: "a method",
    symbol: `${services[0]}.AddOIDCApp`,
    file: "iam/management/v1/management_service.proto",
  },
  { kind: "a message", symbol: "iam.management.v1.AddOIDCAppRequest", file: appFile },
  { kind: "a field", symbol: "iam.management.v1.AddOIDCAppRequest.redirect_uris", file: appFile },
  { kind: "an enum", symbol: "iam.app.v1.OIDCAppType", file: "iam/app/v1/app.proto" },
  { kind: "an enum value", symbol: "iam.app.v1.OIDC_APP_TYPE_WEB", file: "iam/app/v1/app.proto" },
  {
    kind: "a nested message",
    symbol: "google.protobuf.DescriptorProto.ExtensionRange",
    file: "google/protobuf/descriptor.proto",
  },
  { kind: "a oneof", symbol: "google.api.HttpRule.pattern", file: "google/api/http.proto" },
  { kind: "an extension", symbol: "google.api.http", file: "google/api/annotations.proto" },
];

const methodOptions = "google.protobuf.MethodOptions";

const found: readonly { readonly name: string; readonly ask: Ask; readonly file: string }[] = [
  { name: "a file", ask: { case: "fileByFilename", value: appFile }, file: appFile },
  ...symbols.map(({ kind, symbol, file }) => ({
    name: kind,
    ask: { case: "fileContainingSymbol" as const, value: symbol },
    file,
  })),
  {
    name: "an extension by its number",
    ask: asExtension(methodOptions, access.number),
    file: "iam/v1/access.proto",
  },
];

const notFound: readonly { readonly name: string; readonly ask: Ask; readonly code: number }[] = [
  ...["iam/nothing.proto", "iam/management/v1/app", ""].map((value) => ({
    name: `the file ${value}`,
    ask: { case: "fileByFilename" as const, value },
    code: 5,
  })),
  ...[
    "",
    "iam",
    "iam.management.v1",
    "iam.management.v1.Nothing",
    `${services[0]}.NoMethod`,
    "iam.management.v1.AddOIDCAppRequest.no_field",
    "iam.app.v1.OIDCAppType.OIDC_APP_TYPE_WEB",
    "constructor",
  ].map((value) => ({
    name: `the symbol ${value}`,
    ask: { case: "fileContainingSymbol" as const, value },
    code: 5,
  })),
  { name: "an extension", ask: asExtension(methodOptions, 1), code: 5 },
  { name: "an extension of nothing", ask: asExtension("iam.Nothing", access.number), code: 5 },
  ...["iam.Nothing", services[0]!].map((value) => ({
    name: `the extensions of ${value}`,
    ask: { case: "allExtensionNumbersOfType" as const, value },
    code: 5,
  })),
  { name: "nothing at all", ask: { case: undefined }, code: 3 },
];

function asExtension(containingType: string, extensionNumber: number): Ask {
  return { case: "fileContainingExtension", value: { containingType, extensionNumber } };
}

describeFew(2).each(clients)("reflection $name", ({ ask }) => {
  test("lists the services", async () => {
    const [response] = await ask([{ case: "listServices", value: "" }]);
    const { service } = valueIn(response, "listServicesResponse");
    expect(service.map(({ name }) => name).sort()).toEqual(services.toSorted());
  });

  test("answers each request of a stream in turn, and repeats it", async () => {
    const asks = found.map((one) => one.ask);
    const responses = await ask(asks);
    expect(responses.map(({ originalRequest }) => originalRequest?.messageRequest.case)).toEqual(
      asks.map((one) => one.case),
    );
    expect(responses.map(({ validHost }) => validHost)).toEqual(asks.map(() => "any"));
    const files = responses.map((response) => filesIn(response)[0]?.name);
    expect(files).toEqual(found.map(({ file }) => file));
  });

  test("answers each request that finds nothing with an error, and goes on", async () => {
    const responses = await ask(notFound.map((one) => one.ask));
    expect(responses.map(({ messageResponse }) => messageResponse)).toMatchObject(
      notFound.map(({ code }) => ({ case: "errorResponse", value: { errorCode: code } })),
    );
  });

  test("knows all extensions of a message", async () => {
    const [some, none] = await ask([
      { case: "allExtensionNumbersOfType", value: methodOptions },
      { case: "allExtensionNumbersOfType", value: "iam.management.v1.AddOIDCAppRequest" },
    ]);
    const { baseTypeName, extensionNumber } = valueIn(some, "allExtensionNumbersResponse");
    expect(baseTypeName).toBe(methodOptions);
    expect([...extensionNumber].sort()).toEqual([http.number, access.number].sort());
    expect(valueIn(none, "allExtensionNumbersResponse").extensionNumber).toEqual([]);
  });
});

test("what comes back is whole: it can be read, with the options that we declare", async () => {
  const [response] = await askGrpcJs(ServerReflection.typeName, [
    { case: "fileContainingSymbol", value: services[0]! },
  ]);
  // Each file comes before what it imports; the registry wants it the other way round.
  const file = filesIn(response).toReversed();
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file }));
  const method = registry.getService(services[0]!)!.method.addOIDCApp!;
  expect(hasOption(method, access)).toBe(true);
  expect(getOption(method, access)).toMatchObject({
    permission: "project.app.write",
    organizationHeader: true,
    projectField: "project_id",
  });
  expect(getOption(method, http).pattern).toEqual({
    case: "post",
    value: "/management/v1/projects/{project_id}/apps/oidc",
  });
  const name = method.input.field.name!;
  expect(getOption(name, fieldRules).type.case).toBe("string");
});

type Answers = Exclude<ServerReflectionResponse["messageResponse"], { case: undefined }>;
type Values = { readonly [Answer in Answers as Answer["case"]]: Answer["value"] };

function valueIn<Case extends keyof Values>(
  response: ServerReflectionResponse | undefined,
  expected: Case,
): Values[Case] {
  const answer = response!.messageResponse;
  expect(answer.case).toBe(expected);
  return answer.value as Values[Case];
}

function filesIn(response: ServerReflectionResponse | undefined) {
  const { fileDescriptorProto } = valueIn(response, "fileDescriptorResponse");
  return fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}

describe("buf curl", () => {
  const root = join(import.meta.dirname, "../..");
  const h2c = "--http2-prior-knowledge";

  few().each([
    { protocol: "grpc", flags: [h2c] },
    { protocol: "connect", flags: [h2c] },
    { protocol: "grpcweb", flags: ["--schema", "proto"] },
  ])("calls over $protocol", async ({ protocol, flags }) => {
    const { stdout } = await promisify(execFile)(
      join(root, "node_modules/.bin/buf"),
      [
        "curl",
        `--protocol=${protocol}`,
        ...flags,
        `--header=authorization: Bearer ${server.admin.token}`,
        "--data",
        JSON.stringify({ projectId: server.project, name: `made over ${protocol}` }),
        `${server.url}/${services[0]}/AddAPIApp`,
      ],
      { cwd: root },
    );
    expect(JSON.parse(stdout)).toEqual({
      appId: expect.any(String),
      clientId: expect.any(String),
      clientSecret: expect.stringMatching(/^[\w-]{43}$/),
      details: expect.objectContaining({ resourceOwner: server.admin.organization }),
    });
  });
});
