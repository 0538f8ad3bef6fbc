import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

const made = join(import.meta.dirname, "../../gen");

/** The text of the OpenAPI document as it is served. */
export const source = readFileSync(join(made, "openapi.json"), "utf8");

/** An operation of the document, as far as tests look at it. */
export interface Operation {
  readonly operationId: string;
  readonly requestBody?: object;
  readonly responses: { readonly [status: string]: { readonly $ref?: string } };
}

interface Document {
  readonly paths: { readonly [path: string]: { readonly [verb: string]: Operation } };
  readonly components: {
    readonly responses: { readonly [status: string]: { readonly description: string } };
  };
}

export const document = JSON.parse(source) as Document;

/** An operation with where it is called. */
export interface Place {
  readonly path: string;
  readonly verb: string;
  readonly operation: Operation;
}

/** Every operation, by its id. */
export const operations: ReadonlyMap<string, Place> = new Map(
  Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(
      ([verb, operation]) => [operation.operationId, { path, verb, operation }] as const,
    ),
  ),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, "openapi.json");
ajv.addSchema(
  JSON.parse(readFileSync(join(made, "events.schema.json"), "utf8")) as JsonObject,
  "events.schema.json",
);

/** What of an answer is not as the document says for its status; nothing where all is. */
export function answerProblems(
  { path, verb, operation }: Place,
  { status, json }: { readonly status: number; readonly json: JsonObject },
): readonly string[] {
  const response = operation.responses[status];
  if (response === undefined) return [`the status ${status} is not in the document`];
  const place = response.$ref ?? `#/paths/${escaped(path)}/${verb}/responses/${status}`;
  return problems(`${place}/content/${escaped("application/json")}/schema`, json);
}

/** What of a body is not as the document says. */
export function bodyProblems({ path, verb }: Place, json: JsonObject): readonly string[] {
  const place = `#/paths/${escaped(path)}/${verb}/requestBody`;
  return problems(`${place}/content/${escaped("application/json")}/schema`, json);
}

/** What of a message is not as the schema of its type says. */
export function messageProblems(typeName: string, json: JsonObject): readonly string[] {
  return problems(`#/components/schemas/${typeName}`, json);
}

/** What of an event is not as the schema of events says, by the schema of its type. */
export function eventProblems(json: JsonObject): readonly string[] {
  const all = problems("", json, "events.schema.json");
  const { type } = json.type as { readonly type: string };
  return all.length > 0
    ? problems(`#/$defs/${type}`, json, "events.schema.json").concat(all[0]!)
    : [];
}

function problems(pointer: string, json: JsonObject, file = "openapi.json"): string[] {
  const validate = ajv.getSchema(`${file}${pointer}`);
  if (validate === undefined) return [`there is no schema at ${pointer}`];
  validate(json);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** A name as a segment of a JSON pointer in a fragment (RFC 6901). */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
