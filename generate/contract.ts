import {
  type AnyDesc,
  createFileRegistry,
  type DescEnum,
  type DescExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type DescService,
  type FileRegistry,
  getOption,
  hasOption,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
  toJson,
} from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import type { FileDescriptorSet } from "@bufbuild/protobuf/wkt";
import { fieldRules } from "../src/api/field-rules.ts";

/** What `proto/iam` declares. */
export interface Contract {
  readonly services: readonly DescService[];
  readonly types: readonly (DescMessage | DescEnum | DescExtension)[];
  readonly registry: FileRegistry;
}

/** Reads the contract from the compiled files, which have their sources' comments with them. */
export function contractOf(set: FileDescriptorSet): Contract {
  const registry = createFileRegistry(set);
  const all = [...registry.files]
    .filter(({ name }) => name.startsWith("iam/"))
    .flatMap((file) => [...nestedTypes(file)])
    .sort((a, b) => (a.typeName < b.typeName ? -1 : 1));
  return {
    services: all.filter((one) => one.kind === "service"),
    types: all.filter((one) => one.kind !== "service"),
    registry,
  };
}

/** How a method is called and by whom. */
export interface Binding {
  /** `POST /management/v1/projects`, followed by ` *` where a body is read; or empty. */
  readonly rest: string;
  readonly takesBody: boolean;
  readonly permissions: readonly string[];
  readonly organizationHeader: boolean;
  /** The request's field with the project whose members may call; or empty. */
  readonly projectField: string;
}

/** The paths and the access of a method; throws a TypeError where it declares no access. */
export function bindingOf(method: DescMethod, { registry }: Contract): Binding {
  const { body, ...pattern } = optionOf(method, "google.api.http", registry) ?? {};
  const [verb, path] = Object.entries(pattern)[0] ?? [];
  const access = optionOf(method, "iam.v1.access", registry);
  if (access === undefined) throw new TypeError(`${method.name} does not say who may call it`);
  const { permission, owner_permission: ownerPermission, project_field: projectField } = access;
  return {
    rest: verb === undefined ? "" : `${verb.toUpperCase()} ${path}`,
    takesBody: body === "*",
    permissions: [permission, ownerPermission].filter((one) => typeof one === "string"),
    organizationHeader: access.organization_header === true,
    projectField: typeof projectField === "string" ? projectField : "",
  };
}

/**
 * The comment in front of a service or method, as paragraphs of one line; throws a TypeError where
 * there is none.
 */
export function commentOf(desc: DescService | DescMethod): string {
  const service = desc.kind === "rpc" ? desc.parent : desc;
  const { proto } = service.file;
  const path = [6, proto.service.indexOf(service.proto)];
  if (desc.kind === "rpc") path.push(2, service.methods.indexOf(desc));
  const place = proto.sourceCodeInfo?.location.find((one) => `${one.path}` === `${path}`);
  const comment = place?.leadingComments.trim().replaceAll(/\n +/g, " ") ?? "";
  if (comment === "") throw new TypeError(`nothing stands in front of ${desc.name}`);
  return comment;
}

/** The text of `contract.txt`. */
export function contractText(contract: Contract): string {
  const { services, types } = contract;
  const sections = [
    ...services.map(({ methods }) => methods.map((method) => methodLine(method, contract)).sort()),
    ...types.map((type) => typeLines(type, contract)),
  ];
  return [heading, ...sections.map((lines) => `${lines.join("\n")}\n`)].join("\n");
}

const heading = `# What clients rely on: a line for each method, field and value of an enum.
# Made from proto/iam by "make generate": never edit it, but read in reviews what has changed.
#
# Service/Method: request → response · REST path, with * where a body is read · access
# Message.field number: type · rules
# Enum.VALUE number
`;

function methodLine(method: DescMethod, contract: Contract): string {
  const { rest, takesBody, permissions, ...access } = bindingOf(method, contract);
  const stream = method.methodKind === "server_streaming" ? "stream " : "";
  const parts = [
    `${method.parent.typeName}/${method.name}: ${method.input.name} → ${stream}${method.output.name}`,
    rest === "" ? "no REST path" : `${rest}${takesBody ? " *" : ""}`,
    permissions.join(" or "),
    access.organizationHeader ? "x-service-orgid" : "",
    access.projectField === "" ? "" : `project in ${access.projectField}`,
    method.deprecated ? "deprecated" : "",
  ];
  return joined(parts);
}

function typeLines(
  type: DescMessage | DescEnum | DescExtension,
  { registry }: Contract,
): readonly string[] {
  const { typeName } = type;
  switch (type.kind) {
    case "extension":
      return [`${typeName} ${type.number}: ${typeOf(type)} · extends ${type.extendee.typeName}`];
    case "enum":
      return type.values.map((value) => `${typeName}.${value.name} ${value.number}`);
    case "message": {
      const { fields, oneofs, proto } = type;
      const reserved = proto.reservedRange.map(({ start, end }) =>
        end - start === 1 ? `${start}` : `${start} to ${end - 1}`,
      );
      const rules = [
        ...fields.map((field) => fieldLine(field, registry)),
        ...oneofs.flatMap((oneof) => oneofLine(oneof, registry)),
        ...(reserved.length === 0 ? [] : [`${typeName} reserves ${reserved.join(", ")}`]),
      ];
      return rules.length === 0 ? [`${typeName} has no fields`] : rules;
    }
  }
}

function fieldLine(field: DescField, registry: FileRegistry): string {
  const { parent, name, number, oneof, jsonName, proto } = field;
  const camelCase = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const parts = [
    `${parent.typeName}.${name} ${number}: ${proto.proto3Optional ? "optional " : ""}${typeOf(field)}`,
    oneof === undefined ? "" : `one of ${oneof.name}`,
    jsonName === camelCase ? "" : `JSON ${jsonName}`,
    field.deprecated ? "deprecated" : "",
    ...rulesOf(field, "buf.validate.field", registry),
    fieldRules.get(parent.typeName)?.fields[field.localName]?.says ?? "",
  ];
  return joined(parts);
}

function oneofLine(oneof: DescOneof, registry: FileRegistry): readonly string[] {
  const rules = rulesOf(oneof, "buf.validate.oneof", registry);
  return rules.length === 0 ? [] : [joined([`${oneof.parent.typeName}.${oneof.name}`, ...rules])];
}

function typeOf(field: DescField | DescExtension): string {
  const type = (field.message ?? field.enum)?.typeName ?? ScalarType[field.scalar ?? 0];
  const name = field.message || field.enum ? type : type?.toLowerCase();
  if (field.fieldKind === "map") throw new TypeError(`${field} is a map, which is not written yet`);
  return field.fieldKind === "list" ? `repeated ${name}` : `${name}`;
}

/** The rules of a field or oneof, for example `string.max_len 200`. */
function rulesOf(desc: AnyDesc, option: string, registry: FileRegistry): readonly string[] {
  return flat(optionOf(desc, option, registry) ?? {});
}

function flat(value: JsonValue, path = ""): readonly string[] {
  if (value === true) return [path];
  if (Array.isArray(value)) return value.flatMap((one) => flat(one, path));
  if (value === null || typeof value !== "object") return [`${path} ${value}`];
  return Object.entries(value).flatMap(([name, one]) =>
    flat(one, path === "" ? name : `${path}.${name}`),
  );
}

function optionOf(desc: AnyDesc, name: string, registry: FileRegistry): JsonObject | undefined {
  const option = registry.getExtension(name);
  if (option?.message === undefined) throw new TypeError(`there is no option ${name}`);
  if (!hasOption(desc, option)) return undefined;
  const value = getOption(desc, option) as Message;
  return toJson(option.message, value, { useProtoFieldName: true, registry }) as JsonObject;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" · ");
}
