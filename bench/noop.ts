import { create, createFileRegistry, setExtension } from "@bufbuild/protobuf";
import type { GenService } from "@bufbuild/protobuf/codegenv2";
import {
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
  timestampFromMs,
} from "@bufbuild/protobuf/wkt";
import { file_google_api_annotations, http } from "../gen/google/api/annotations_pb.js";
import { HttpRuleSchema } from "../gen/google/api/http_pb.js";
import {
  AddAPIAppRequestSchema,
  AddAPIAppResponseSchema,
  file_iam_management_v1_app,
} from "../gen/iam/management/v1/app_pb.js";
import { AccessSchema, access, file_iam_v1_access } from "../gen/iam/v1/access_pb.js";
import { type ServedService, served } from "../src/api/services.ts";

/**
 * A method that costs what the way to a handler and back costs, and nothing more: AddAPIApp's
 * messages, field rules and access, but a handler that answers a constant. It is declared here and
 * not in `proto/`, so no server but the bench's can expose it.
 */
type BenchService = GenService<{
  noop: {
    methodKind: "unary";
    input: typeof AddAPIAppRequestSchema;
    output: typeof AddAPIAppResponseSchema;
  };
}>;

const benchService = declare();

/** The no-op as one of the methods that can be called. */
export const { noop } = benchService.method;

export function noopService(): ServedService {
  const nowMs = Date.now();
  const id = "019a0000-0000-7000-8000-000000000000";
  const answer = create(AddAPIAppResponseSchema, {
    appId: id,
    clientId: id,
    clientSecret: "x".repeat(43),
    details: {
      sequence: 1_000_000n,
      creationDate: timestampFromMs(nowMs),
      changeDate: timestampFromMs(nowMs),
      resourceOwner: id,
    },
  });
  return served(benchService, { noop: () => answer });
}

function declare(): BenchService {
  const options = create(MethodOptionsSchema);
  const rule = { permission: "project.app.write", organizationHeader: true };
  setExtension(options, access, create(AccessSchema, { ...rule, projectField: "project_id" }));
  const path = "/bench/v1/projects/{project_id}/noop";
  const post = create(HttpRuleSchema, { pattern: { case: "post", value: path }, body: "*" });
  setExtension(options, http, post);

  const dependencies = [
    file_google_api_annotations,
    file_iam_management_v1_app,
    file_iam_v1_access,
  ].map((file) => [`${file.name}.proto`, file] as const);
  const method = {
    name: "Noop",
    inputType: `.${AddAPIAppRequestSchema.typeName}`,
    outputType: `.${AddAPIAppResponseSchema.typeName}`,
    options,
  };
  const file = create(FileDescriptorProtoSchema, {
    name: "iam/bench/v1/bench.proto",
    package: "iam.bench.v1",
    syntax: "proto3",
    dependency: dependencies.map(([name]) => name),
    service: [{ name: "BenchService", method: [method] }],
  });
  const known = new Map(dependencies);
  const registry = createFileRegistry(file, (name) => known.get(name as `${string}.proto`));
  const service = registry.getService("iam.bench.v1.BenchService");
  if (service === undefined) throw new Error("the bench's own service was not declared");
  return service as BenchService;
}
