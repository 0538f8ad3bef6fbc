import {
  createRegistry,
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  toBinary,
} from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, type ServiceImpl } from "@connectrpc/connect";
import { file_google_rpc_error_details } from "../../gen/google/rpc/error_details_pb.js";
import { file_google_rpc_status } from "../../gen/google/rpc/status_pb.js";
import type {
  ServerReflection,
  ServerReflectionRequest,
} from "../../gen/grpc/reflection/v1/reflection_pb.js";
import type {
  ServerReflectionRequest as AlphaRequest,
  ServerReflection as ServerReflectionAlpha,
} from "../../gen/grpc/reflection/v1alpha/reflection_pb.js";
import type { Alias } from "../alias.ts";
import { aliasedServices, withImports } from "./descriptors.ts";

/** gRPC server reflection, with which clients call the services without a schema file. */
export interface Reflection {
  readonly v1: ServiceImpl<typeof ServerReflection>;
  readonly v1alpha: ServiceImpl<typeof ServerReflectionAlpha>;
}

/**
 * Reflection on the services, those of ours by the names of an alias as well, and on what refusals
 * carry, which no method names.
 */
export function createReflection(services: readonly DescService[], alias?: Alias): Reflection {
  let schema: Schema | undefined;
  const make = () => {
    const aliased = alias === undefined ? [] : aliasedServices(services, alias);
    const more = [file_google_rpc_status, file_google_rpc_error_details];
    return schemaOf([...services, ...aliased], more);
  };
  const whole = () => {
    schema ??= make();
    return schema;
  };
  // The two versions differ in their package alone: what is said about one holds for the other.
  async function* respond<Asked extends Request>(requests: AsyncIterable<Asked>) {
    for await (const request of requests) {
      yield {
        validHost: request.host,
        originalRequest: request,
        messageResponse: answer(request.messageRequest, whole()),
      };
    }
  }
  return {
    v1: { serverReflectionInfo: (requests) => respond(requests) },
    v1alpha: { serverReflectionInfo: (requests) => respond(requests) },
  };
}

type Request = ServerReflectionRequest | AlphaRequest;

/** All that can be asked for, by name. */
interface Schema {
  readonly services: readonly string[];
  /** What is answered for each file, by its name with `.proto`. */
  readonly files: ReadonlyMap<string, Serialized>;
  /** The file of everything that has a full name, down to fields and enum values. */
  readonly symbols: ReadonlyMap<string, string>;
  /** The extensions of each message, by number, with their files; empty for one without. */
  readonly extensions: ReadonlyMap<string, ReadonlyMap<number, string>>;
}

/** A file with all files it needs, each before what it imports, so that one answer is enough. */
type Serialized = readonly Uint8Array[];

function schemaOf(services: readonly DescService[], more: readonly DescFile[]): Schema {
  const files = withImports([...services.map((service) => service.file), ...more]);
  const symbols = new Map<string, string>();
  const extensions = new Map<string, Map<number, string>>();
  for (const desc of createRegistry(...files.values())) {
    for (const name of namesOf(desc)) symbols.set(name, desc.file.proto.name);
    if (desc.kind === "message") extensions.set(desc.typeName, new Map());
  }
  for (const desc of createRegistry(...files.values())) {
    if (desc.kind === "extension") {
      extensions.get(desc.extendee.typeName)?.set(desc.number, desc.file.proto.name);
    }
  }
  return {
    services: services.map(({ typeName }) => typeName),
    files: serializeFiles(files),
    symbols,
    extensions,
  };
}

function serializeFiles(files: ReadonlyMap<string, DescFile>): ReadonlyMap<string, Serialized> {
  const bytes = new Map(
    [...files].map(([name, { proto }]) => [name, toBinary(FileDescriptorProtoSchema, proto)]),
  );
  const withNeeded = (file: DescFile) =>
    [...withImports([file]).keys()].reverse().flatMap((name) => bytes.get(name) ?? []);
  return new Map([...files].map(([name, file]) => [name, withNeeded(file)]));
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

/** What either version makes its message from. */
type Response =
  | { case: "listServicesResponse"; value: { service: { name: string }[] } }
  | { case: "fileDescriptorResponse"; value: { fileDescriptorProto: Uint8Array[] } }
  | {
      case: "allExtensionNumbersResponse";
      value: { baseTypeName: string; extensionNumber: number[] };
    }
  | { case: "errorResponse"; value: { errorCode: number; errorMessage: string } };

function answer(request: Request["messageRequest"], schema: Schema): Response {
  switch (request.case) {
    case "listServices": {
      const service = schema.services.map((name) => ({ name }));
      return { case: "listServicesResponse", value: { service } };
    }
    case "fileByFilename":
      return fileResponse(request.value, request.value, schema);
    case "fileContainingSymbol":
      return fileResponse(schema.symbols.get(request.value), request.value, schema);
    case "fileContainingExtension": {
      const { containingType, extensionNumber } = request.value;
      const file = schema.extensions.get(containingType)?.get(extensionNumber);
      return fileResponse(file, `${containingType} ${extensionNumber}`, schema);
    }
    case "allExtensionNumbersOfType": {
      const baseTypeName = request.value;
      const extensions = schema.extensions.get(baseTypeName);
      if (extensions === undefined) return notFound(baseTypeName);
      const extensionNumber = [...extensions.keys()];
      return { case: "allExtensionNumbersResponse", value: { baseTypeName, extensionNumber } };
    }
    default:
      return error(Code.InvalidArgument, "the request has no message");
  }
}

function fileResponse(name: string | undefined, asked: string, { files }: Schema): Response {
  const fileDescriptorProto = name === undefined ? undefined : files.get(name);
  if (fileDescriptorProto === undefined) return notFound(asked);
  return {
    case: "fileDescriptorResponse",
    value: { fileDescriptorProto: [...fileDescriptorProto] },
  };
}

function notFound(asked: string): Response {
  return error(Code.NotFound, `not found: ${asked}`);
}

function error(errorCode: Code, errorMessage: string): Response {
  return { case: "errorResponse", value: { errorCode, errorMessage } };
}
