import {
  create,
  createRegistry,
  type DescFile,
  type DescService,
  fromBinary,
  type MessageInitShape,
  type Registry,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import {
  type ServerReflection,
  type ServerReflectionRequest,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
  ServerReflectionResponseSchema,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import {
  ServerReflectionRequestSchema as AlphaRequestSchema,
  ServerReflectionResponseSchema as AlphaResponseSchema,
  type ServerReflection as ServerReflectionAlpha,
} from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";

/** gRPC server reflection, with which clients call the services without a schema file. */
export interface Reflection {
  readonly v1: ServiceImpl<typeof ServerReflection>;
  readonly v1alpha: ServiceImpl<typeof ServerReflectionAlpha>;
}

export function createReflection(services: readonly DescService[]): Reflection {
  const files = new Map<string, DescFile>();
  for (const { file } of services) collect(file, files);
  const registry = createRegistry(...files.values());
  const respond = (request: ServerReflectionRequest): ServerReflectionResponse =>
    create(ServerReflectionResponseSchema, {
      validHost: request.host,
      originalRequest: request,
      messageResponse: answer(request.messageRequest, services, files, registry),
    });

  return {
    v1: {
      async *serverReflectionInfo(requests) {
        for await (const request of requests) yield respond(request);
      },
    },
    v1alpha: {
      // The two versions differ in their package alone, so their bytes are the same.
      async *serverReflectionInfo(requests) {
        for await (const request of requests) {
          const bytes = toBinary(AlphaRequestSchema, request);
          const response = respond(fromBinary(ServerReflectionRequestSchema, bytes));
          yield fromBinary(AlphaResponseSchema, toBinary(ServerReflectionResponseSchema, response));
        }
      },
    },
  };
}

type Response = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

function answer(
  request: ServerReflectionRequest["messageRequest"],
  services: readonly DescService[],
  files: ReadonlyMap<string, DescFile>,
  registry: Registry,
): Response {
  switch (request.case) {
    case "listServices": {
      const service = services.map(({ typeName: name }) => ({ name }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return fileResponse(files.get(request.value.replace(/\.proto$/, "")), request.value);
    case "fileContainingSymbol":
      return fileResponse(fileOfSymbol(request.value, registry), request.value);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      const extension = extensionsOf(containingType, registry).find(
        ({ number }) => number === extensionNumber,
      );
      return fileResponse(extension?.file, `${containingType} ${extensionNumber}`);
    }
    case "allExtensionNumbersOfType": {
      const baseTypeName = request.value;
      if (registry.get(baseTypeName) === undefined) return notFound(baseTypeName);
      const extensionNumber = extensionsOf(baseTypeName, registry).map(({ number }) => number);
      return { case: "allExtensionNumbersResponse", value: { baseTypeName, extensionNumber } };
    }
    default:
      return error(Code.InvalidArgument, "the request asks for nothing");
  }
}

/** The file with all files it needs, so that one answer is enough to use it. */
function fileResponse(file: DescFile | undefined, asked: string): Response {
  if (file === undefined) return notFound(asked);
  const needed = new Map<string, DescFile>();
  collect(file, needed);
  const fileDescriptorProto = [...needed.values()].map(({ proto }) =>
    toBinary(FileDescriptorProtoSchema, proto),
  );
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

/** The file of a type or service, or of the method, field or value that a longer name means. */
function fileOfSymbol(symbol: string, registry: Registry): DescFile | undefined {
  const parent = symbol.slice(0, Math.max(0, symbol.lastIndexOf(".")));
  return (registry.get(symbol) ?? registry.get(parent))?.file;
}

function extensionsOf(typeName: string, registry: Registry) {
  return [...registry].filter(
    (desc) => desc.kind === "extension" && desc.extendee.typeName === typeName,
  ) as Extract<ReturnType<Registry["get"]>, { kind: "extension" }>[];
}

/** Adds a file and what it imports, itself first, each once. */
function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.name)) return;
  into.set(file.name, file);
  for (const dependency of file.dependencies) collect(dependency, into);
}

function notFound(asked: string): Response {
  return error(Code.NotFound, `not found: ${asked}`);
}

function error(errorCode: Code, errorMessage: string): Response {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
