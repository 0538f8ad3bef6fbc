import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";

const file = join(import.meta.dirname, "../../gen/openapi.json");

/** The text of the document as it is served. */
export const source = readFileSync(file, "utf8");

/** An operation of the document, as far as tests look at it. */
export interface Operation {
  readonly operationId: string;
  readonly requestBody?: object;
  readonly responses: { readonly [status: string]: { readonly $ref?: string } };
}

interface Document {
  readonly paths: { readonly [path: string]: { readonly [verb: string]: Operation } };
  readonly components: { readonly schemas: { readonly [name: string]: JsonObject } };
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

function problems(pointer: string, json: JsonObject): readonly string[] {
  const validate = ajv.getSchema(`openapi.json${pointer}`);
  if (validate === undefined) return [`there is no schema at ${pointer}`];
  validate(json);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** A name as a segment of a JSON pointer in a fragment (RFC 6901). */
function escaped(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}
