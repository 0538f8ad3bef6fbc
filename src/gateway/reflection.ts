import {
  create,
  createRegistry,
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  fromBinary,
  type MessageInitShape,
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
  const schema = schemaOf(services);
  const respond = (request: ServerReflectionRequest): ServerReflectionResponse =>
    create(ServerReflectionResponseSchema, {
      validHost: request.host,
      originalRequest: request,
      messageResponse: answer(request.messageRequest, schema),
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

/** All that can be asked for, by name. */
interface Schema {
  readonly services: readonly string[];
  /** By file name, with its `.proto`. */
  readonly files: ReadonlyMap<string, DescFile>;
  /** The file of everything that has a full name, down to fields and enum values. */
  readonly symbols: ReadonlyMap<string, DescFile>;
  /** The extensions of each message, by number; empty for one without. */
  readonly extensions: ReadonlyMap<string, ReadonlyMap<number, DescFile>>;
}

function schemaOf(services: readonly DescService[]): Schema {
  const files = new Map<string, DescFile>();
  for (const { file } of services) collect(file, files);
  const symbols = new Map<string, DescFile>();
  const extensions = new Map<string, Map<number, DescFile>>();
  for (const desc of createRegistry(...files.values())) {
    for (const name of namesOf(desc)) symbols.set(name, desc.file);
    if (desc.kind === "message") extensions.set(desc.typeName, new Map());
  }
  for (const desc of createRegistry(...files.values())) {
    if (desc.kind === "extension") {
      extensions.get(desc.extendee.typeName)?.set(desc.number, desc.file);
    }
  }
  return { services: services.map(({ typeName }) => typeName), files, symbols, extensions };
}

/** The full names of a type and of what it consists of; nested types are types of their own. */
function namesOf(desc: DescMessage | DescEnum | DescExtension | DescService): readonly string[] {
  const { typeName } = desc;
  switch (desc.kind) {
    case "message":
      return [
        typeName,
        ...[...desc.fields, ...desc.oneofs].map(({ name }) => `${typeName}.${name}`),
      ];
    case "service":
      return [typeName, ...desc.methods.map(({ name }) => `${typeName}.${name}`)];
    case "enum": {
      // Values are siblings of their enum, not members of it (google/protobuf/descriptor.proto).
      const scope = typeName.slice(0, typeName.lastIndexOf(".") + 1);
      return [typeName, ...desc.values.map(({ name }) => scope + name)];
    }
    case "extension":
      return [typeName];
  }
}

/** Adds a file behind all that it imports, each once. */
function collect(file: DescFile, into: Map<string, DescFile>): void {
  if (into.has(file.proto.name)) return;
  for (const dependency of file.dependencies) collect(dependency, into);
  into.set(file.proto.name, file);
}

type Response = NonNullable<
  MessageInitShape<typeof ServerReflectionResponseSchema>["messageResponse"]
>;

function answer(request: ServerReflectionRequest["messageRequest"], schema: Schema): Response {
  switch (request.case) {
    case "listServices": {
      const service = schema.services.map((name) => ({ name }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return fileResponse(schema.files.get(request.value), request.value);
    case "fileContainingSymbol":
      return fileResponse(schema.symbols.get(request.value), request.value);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      const file = schema.extensions.get(containingType)?.get(extensionNumber);
      return fileResponse(file, `${containingType} ${extensionNumber}`);
    }
    case "allExtensionNumbersOfType": {
      const baseTypeName = request.value;
      const extensions = schema.extensions.get(baseTypeName);
      if (extensions === undefined) return notFound(baseTypeName);
      const extensionNumber = [...extensions.keys()];
      return { case: "allExtensionNumbersResponse", value: { baseTypeName, extensionNumber } };
    }
    default:
      return error(Code.InvalidArgument, "the request asks for nothing");
  }
}

/** The file with all files it needs, each before what it imports, so that one answer is enough. */
function fileResponse(file: DescFile | undefined, asked: string): Response {
  if (file === undefined) return notFound(asked);
  const needed = new Map<string, DescFile>();
  collect(file, needed);
  const fileDescriptorProto = [...needed.values()]
    .reverse()
    .map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto));
  return { case: "fileDescriptorResponse", value: { fileDescriptorProto } };
}

function notFound(asked: string): Response {
  return error(Code.NotFound, `not found: ${asked}`);
}

function error(errorCode: Code, errorMessage: string): Response {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
