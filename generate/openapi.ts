import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DescField, DescMethod, JsonObject, JsonValue } from "@bufbuild/protobuf";
import { failure, httpStatusOf } from "../src/gateway/call/errors.ts";
import { type Reason, reasons } from "../src/reason.ts";
import { type Binding, bindingOf, type Contract, commentOf } from "./contract.ts";
import { fieldSchema, messageSchema, refTo, schemasOf } from "./schema.ts";

/** A call of the case tables, and what it was answered, both in JSON. */
export interface Example {
  readonly request: JsonObject;
  readonly response: JsonObject;
}

/** An example of each method that has one, by `<service>/<method>`. */
export type Examples = { readonly [path: string]: Example };

/** The OpenAPI document of all unary methods: of their JSON paths, and of their REST paths. */
export function openapi(contract: Contract, examples: Examples): JsonObject {
  const methods = contract.services.flatMap((service) => service.methods);
  const paths: { [path: string]: { [verb: string]: JsonObject } } = {};
  const namedPath = createPathNames();
  for (const method of methods.filter(isUnary)) {
    const example = examples[pathOf(method)];
    for (const [path, operation] of [
      jsonOperation(method, contract, example),
      ...restOperation(method, { contract, namedPath }, example),
    ]) {
      paths[path] = { ...paths[path], ...operation };
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "iam",
      version: version(),
      description: about(methods.filter((method) => !isUnary(method))),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    tags: contract.services.map((one) => ({ name: one.name, description: commentOf(one) })),
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      parameters,
      responses: Object.fromEntries([...statuses].map(([status, all]) => [status, refusal(all)])),
      schemas: { ...schemasOf(contract), ...errorSchemas },
    },
  };
}

/** Whether a method has an answer of one message: others have no form in OpenAPI. */
function isUnary({ methodKind }: DescMethod): boolean {
  return methodKind === "unary";
}

function pathOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

function version(): string {
  const file = readFileSync(join(import.meta.dirname, "../package.json"), "utf8");
  return (JSON.parse(file) as { readonly version: string }).version;
}

function about(streams: readonly DescMethod[]): string {
  const names = streams.map((method) => `\`${pathOf(method)}\``).join(", ");
  return `Each operation has a JSON path, \`POST /<service>/<operation>\`. Most have a REST path.
On the JSON path all fields are in the body. On a REST path some are in the path.

Comments name fields as the contract does, and JSON has them in camel case. 64-bit numbers are
texts, bytes are base64, and enums are the names of their values. A field mask is a text of paths
with commas. Lists are read page by page: \`nextPageToken\` of a page is \`pageToken\` of the next
query.

Match refusals on the \`reason\` in \`google.rpc.ErrorInfo\`, which never changes. Clients of
Connect send \`connect-protocol-version\` and get its error form, with a text for the code.

This document leaves out what answers with a stream, because OpenAPI has no form for it: ${names}.
It leaves out the names of \`IAM_ALIAS\`, health, reflection, pages and the OpenID provider, too.`;
}

type Operations = readonly [path: string, operations: { readonly [verb: string]: JsonObject }];

/** The operation on the path that gRPC has, too. */
function jsonOperation(method: DescMethod, contract: Contract, example?: Example): Operations {
  const body = bodyOf(
    { $ref: refTo(method.input) },
    isNeeded(method, [], contract),
    example?.request,
  );
  const parameters = headersFor(bindingOf(method, contract));
  const operation = { ...common(method, contract, example), parameters, requestBody: body };
  const operationId = `${method.parent.name}_${method.name}_JSON`;
  return [`/${pathOf(method)}`, { post: { operationId, ...operation } }];
}

type PathNames = (path: string, fields: readonly DescField[]) => string;

/**
 * Names the variables of REST paths, by the JSON names of their fields. Paths that differ in such
 * names alone are one path in OpenAPI, so they get the names of the first.
 */
function createPathNames(): PathNames {
  const known = new Map<string, string>();
  return (path, fields) => {
    const names = fields.map(({ jsonName }) => jsonName);
    const shape = path.replaceAll(variable, "{}");
    const named = known.get(shape) ?? path.replaceAll(variable, () => `{${names.shift()}}`);
    known.set(shape, named);
    return named;
  };
}

const variable = /\{(\w+)(?:=\*\*)?\}/g;

/** The operation on the REST path; none where there is none. */
function restOperation(
  method: DescMethod,
  { contract, namedPath }: Readonly<{ contract: Contract; namedPath: PathNames }>,
  example?: Example,
): readonly Operations[] {
  const binding = bindingOf(method, contract);
  if (binding.rest === "") return [];
  const [verb = "", path = ""] = binding.rest.split(" ");
  const { fields } = method.input;
  const inPath = variablesOf(path).flatMap((name) => fields.filter((one) => one.name === name));
  const inBody = fields.filter((field) => !inPath.includes(field));
  const named = namedPath(path, inPath);
  const names = variablesOf(named);
  const schema =
    inPath.length === 0
      ? { $ref: refTo(method.input) }
      : messageSchema(method.input, contract, { without: inPath });
  const body = bodyOf(
    schema,
    isNeeded(method, inPath, contract),
    example && only(inBody, example.request),
  );
  const operation = {
    operationId: `${method.parent.name}_${method.name}`,
    ...common(method, contract, example),
    parameters: [
      ...inPath.map((field, at) => ({
        name: names[at] ?? "",
        ...pathParameter(field, contract, example),
      })),
      ...headersFor(binding),
    ],
    ...(binding.takesBody ? { requestBody: body } : {}),
  };
  return [[named, { [verb.toLowerCase()]: operation }]];
}

function variablesOf(path: string): readonly string[] {
  return [...path.matchAll(variable)].map(([, name = ""]) => name);
}

/** What both operations of a method have in common. */
function common(method: DescMethod, contract: Contract, example?: Example): JsonObject {
  const { permissions } = bindingOf(method, contract);
  const isOpen = permissions.includes("public");
  const refused = [...statuses.keys()].filter((status) => !isOpen || status !== 401);
  return {
    tags: [method.parent.name],
    summary: method.name,
    description: `${commentOf(method)}\n\nPermission: ${permissions.map((one) => `\`${one}\``).join(" or ")}.`,
    ...(isOpen ? { security: [] } : {}),
    ...(method.deprecated ? { deprecated: true } : {}),
    responses: {
      200: {
        description: "The answer.",
        content: content({ $ref: refTo(method.output) }, example?.response),
      },
      ...Object.fromEntries(refused.map((one) => [one, { $ref: `#/components/responses/${one}` }])),
    },
  };
}

/** Whether the body has to say something. */
function isNeeded(method: DescMethod, without: readonly DescField[], contract: Contract): boolean {
  const { required, minProperties } = messageSchema(method.input, contract, { without });
  return required !== undefined || minProperties !== undefined;
}

function bodyOf(schema: JsonObject, required: boolean, example?: JsonObject): JsonObject {
  return { required, content: content(schema, example) };
}

function content(schema: JsonObject, example?: JsonObject): JsonObject {
  return { "application/json": { schema, ...(example === undefined ? {} : { example }) } };
}

function pathParameter(field: DescField, contract: Contract, example?: Example): JsonObject {
  const { description = "", ...schema } = fieldSchema(field, contract);
  const value = example?.request[field.jsonName];
  const said = value === undefined ? {} : { example: value };
  return { in: "path", required: true, description, schema, ...said };
}

function only(fields: readonly DescField[], request: JsonObject): JsonObject {
  const names = fields.map(({ jsonName }) => jsonName);
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.includes(name)));
}

function headersFor({ permissions, organizationHeader }: Binding): JsonObject[] {
  const names = [
    ...(permissions.includes("public") ? [] : ["idempotency-key"]),
    ...(organizationHeader ? ["x-service-orgid"] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const parameters = {
  "idempotency-key": {
    name: "idempotency-key",
    in: "header",
    description: "A call is done once for each key. Methods that read ignore it.",
    schema: { type: "string", pattern: "^[!-~]{1,128}$" },
  },
  "x-service-orgid": {
    name: "x-service-orgid",
    in: "header",
    description: "The organization that the call acts on. Without it, it is the caller's own.",
    schema: { type: "string" },
  },
};

/** The reasons by the HTTP status that JSON callers read; who went away reads none. */
const statuses: ReadonlyMap<number, readonly Reason[]> = Map.groupBy(
  (Object.keys(reasons) as Reason[]).filter((reason) => reason !== "CANCELED"),
  (reason) => httpStatusOf(failure({ reason, message: "" })),
);

function refusal(all: readonly Reason[]): JsonObject {
  const lines = all.map((reason) => `- \`${reason}\`: ${reasons[reason][1]}`);
  return {
    description: `The call is refused for one of these reasons:\n${lines.join("\n")}`,
    content: content({ $ref: "#/components/schemas/Error" }),
  };
}

/** What is the same in all details of a refusal. */
function detail(type: string, properties: JsonObject, required: readonly string[]): JsonObject {
  const named = { "@type": { const: `type.googleapis.com/google.rpc.${type}` }, ...properties };
  return { type: "object", properties: named, required: ["@type", ...required] };
}

const text: JsonValue = { type: "string" };

const errorSchemas: JsonObject = {
  Error: {
    type: "object",
    description: "A refusal: its gRPC code, a sentence for people, and details for programs.",
    properties: {
      code: { type: "integer", minimum: 1, maximum: 16 },
      message: text,
      details: {
        type: "array",
        items: {
          oneOf: ["ErrorInfo", "BadRequest", "RetryInfo"].map((name) => ({
            $ref: `#/components/schemas/google.rpc.${name}`,
          })),
        },
      },
    },
    required: ["code", "message", "details"],
  },
  "google.rpc.ErrorInfo": detail(
    "ErrorInfo",
    {
      reason: { type: "string", enum: Object.keys(reasons) },
      domain: { const: "iam" },
      metadata: { type: "object", additionalProperties: text },
    },
    ["reason", "domain"],
  ),
  "google.rpc.BadRequest": detail(
    "BadRequest",
    {
      fieldViolations: {
        type: "array",
        items: { type: "object", properties: { field: text, description: text } },
      },
    },
    ["fieldViolations"],
  ),
  "google.rpc.RetryInfo": detail("RetryInfo", { retryDelay: text }, ["retryDelay"]),
};
