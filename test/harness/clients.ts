import {
  type DescMethodUnary,
  fromBinary,
  fromJson,
  getOption,
  type JsonObject,
  type Message,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { durationMs } from "@bufbuild/protobuf/wkt";
import { ConnectError, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { credentials, Client as GrpcJsClient, Metadata, type ServiceError } from "@grpc/grpc-js";
import { http } from "../../gen/google/api/annotations_pb.js";
import {
  type BadRequest,
  BadRequestSchema,
  ErrorInfoSchema,
  type RetryInfo,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { patience } from "./extent.ts";

/** What a call came to, told alike for every protocol. */
export type Answer =
  | { readonly ok: true; readonly message: Message }
  | {
      readonly ok: false;
      /** The canonical code, for example 3. */
      readonly code: number;
      readonly reason: string;
      readonly message: string;
      /** The fields of `google.rpc.BadRequest`, in order. */
      readonly fields: readonly string[];
      /** The milliseconds of `google.rpc.RetryInfo`, which agree with `retry-after`. */
      readonly retryMs: number | undefined;
      /** Only where the protocol answers by it. */
      readonly httpStatus?: number;
    };

export interface TestClient {
  readonly name: ClientName;
  call(method: DescMethodUnary, request: Message, headers: CallHeaders): Promise<Answer>;
  close(): void;
}

export type CallHeaders = { readonly [name: string]: string };

export const clientNames = [
  "connect-json",
  "connect-proto",
  "grpc",
  "grpc-js",
  "grpc-web",
  "json",
  "rest",
] as const;

export type ClientName = (typeof clientNames)[number];

const jsonClients: readonly ClientName[] = ["connect-json", "json", "rest"];

/** A field of the contract, for example `redirect_uris[0]`, as the client is told of it. */
export function toldAs(client: ClientName, field: string): string {
  return jsonClients.includes(client) ? inJson(field) : field;
}

/** A field of the contract as JSON has it: `redirectUris[0]`. */
export function inJson(field: string): string {
  return field.replaceAll(/(?<=[a-z])_[a-z]/g, (joint) => joint.slice(1).toUpperCase());
}

/**
 * One client of each kind. `json` and `rest` are what people do with curl. Of the calls of each,
 * every third one is answered by Connect: a call and its repetition take different ways.
 */
export function createClients(url: string): readonly TestClient[] {
  return clientsOf(url).map((client) => {
    let calls = 0;
    return {
      ...client,
      call: (method, request, headers) => {
        calls += 1;
        const way = calls % 3 === 0 ? byConnect : {};
        return client.call(method, request, { ...way, ...headers });
      },
    };
  });
}

/** A header field that says nothing, and that is so rare that only Connect reads it. */
export const byConnect = { "content-encoding": "identity" } as const;

function clientsOf(url: string): readonly TestClient[] {
  return [
    connectClient(
      "connect-json",
      createConnectTransport({ baseUrl: url, httpVersion: "1.1", useBinaryFormat: false }),
    ),
    connectClient(
      "connect-proto",
      createConnectTransport({ baseUrl: url, httpVersion: "2", useBinaryFormat: true }),
    ),
    connectClient("grpc", createGrpcTransport({ baseUrl: url })),
    grpcJsClient(url),
    connectClient("grpc-web", createGrpcWebTransport({ baseUrl: url })),
    jsonClient(url),
    restClient(url),
  ];
}

function connectClient(name: ClientName, transport: Transport): TestClient {
  return {
    name,
    close: () => {},
    async call(method, request, headers) {
      try {
        const response = await transport.unary(method, undefined, 10_000, headers, request);
        return { ok: true, message: response.message };
      } catch (thrown) {
        const error = ConnectError.from(thrown);
        return {
          ok: false,
          code: error.code,
          reason: error.findDetails(ErrorInfoSchema)[0]?.reason ?? "none",
          message: error.rawMessage,
          fields: fieldsOf(error.findDetails(BadRequestSchema)[0]),
          retryMs: retryMsOf(
            error.findDetails(RetryInfoSchema)[0],
            error.metadata.get("retry-after"),
          ),
        };
      }
    },
  };
}

/** The one client that shares no code with the server's protocol library. */
function grpcJsClient(url: string): TestClient {
  const client = new GrpcJsClient(new URL(url).host, credentials.createInsecure());
  return {
    name: "grpc-js",
    close: () => client.close(),
    call: (method, request, headers) =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
        client.makeUnaryRequest(
          `/${method.parent.typeName}/${method.name}`,
          (message: Message) => Buffer.from(toBinary(method.input, message)),
          (bytes: Buffer) => fromBinary(method.output, bytes),
          request,
          metadata,
          { deadline: Date.now() + 10_000 * patience },
          (error: ServiceError | null, message?: Message) => {
            resolve(message ? { ok: true, message } : grpcJsFailure(error!));
          },
        );
      }),
  };
}

/** Reads the refusal from the trailers. */
export function grpcJsFailure(error: Pick<ServiceError, "code" | "details" | "metadata">): Answer {
  const [packed] = error.metadata.get("grpc-status-details-bin");
  const { details } = packed
    ? fromBinary(StatusSchema, Buffer.from(packed as Buffer))
    : { details: [] };
  const find = (name: string) => details.find(({ typeUrl }) => typeUrl.endsWith(`/${name}`));
  const info = find(ErrorInfoSchema.typeName);
  const fields = find(BadRequestSchema.typeName);
  const retry = find(RetryInfoSchema.typeName);
  const [retryAfter = null] = error.metadata.get("retry-after");
  return {
    ok: false,
    code: error.code,
    reason: info ? fromBinary(ErrorInfoSchema, info.value).reason : "none",
    message: error.details,
    fields: fieldsOf(fields && fromBinary(BadRequestSchema, fields.value)),
    retryMs: retryMsOf(retry && fromBinary(RetryInfoSchema, retry.value), retryAfter),
  };
}

function jsonClient(url: string): TestClient {
  return {
    name: "json",
    close: () => {},
    call: (method, request, headers) =>
      fetchJson(
        `${url}/${method.parent.typeName}/${method.name}`,
        "POST",
        toJson(method.input, request) as JsonObject,
        headers,
        method,
      ),
  };
}

function restClient(url: string): TestClient {
  return {
    name: "rest",
    close: () => {},
    call(method, request, headers) {
      const { pattern, body } = getOption(method, http);
      const json = toJson(method.input, request) as JsonObject;
      const path = `${pattern.value}`.replaceAll(
        /\{(\w+)(?:=\*\*)?\}/g,
        (_variable, name: string) => {
          const { jsonName } = method.input.fields.find((field) => field.name === name)!;
          const value = String(json[jsonName] ?? "");
          delete json[jsonName];
          return encodeURIComponent(value);
        },
      );
      const sent = body === "*" ? json : undefined;
      return fetchJson(url + path, pattern.case!.toUpperCase(), sent, headers, method);
    },
  };
}

async function fetchJson(
  url: string,
  verb: string,
  body: JsonObject | undefined,
  headers: CallHeaders,
  method: DescMethodUnary,
): Promise<Answer> {
  const response = await fetch(url, {
    method: verb,
    headers: { ...headers, ...(body ? { "content-type": "application/json" } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const json = (await response.json()) as JsonObject;
  if (response.ok) return { ok: true, message: fromJson(method.output, json) };
  return jsonFailure(json, response.status, response.headers.get("retry-after"));
}

/** Reads the error body of plain JSON callers; the header `retry-after` only if it is given. */
export function jsonFailure(json: unknown, httpStatus: number, retryAfter?: string | null): Answer {
  const { code, message, details } = json as {
    readonly code: number;
    readonly message: string;
    readonly details: readonly { readonly "@type": string; readonly [key: string]: unknown }[];
  };
  const find = (name: string) => details.find((detail) => detail["@type"].endsWith(`/${name}`));
  const violations = find(BadRequestSchema.typeName)?.fieldViolations ?? [];
  const { "@type": _type, ...retry } = find(RetryInfoSchema.typeName) ?? {};
  const isRetry = "retryDelay" in retry;
  return {
    ok: false,
    code,
    reason: String(find(ErrorInfoSchema.typeName)?.reason ?? "none"),
    message,
    fields: (violations as readonly { readonly field: string }[]).map(({ field }) => field),
    retryMs: retryMsOf(
      isRetry ? fromJson(RetryInfoSchema, retry as JsonObject) : undefined,
      retryAfter,
    ),
    httpStatus,
  };
}

/** The milliseconds of the detail; the header has them in seconds, rounded up. */
export function retryMsOf(info: RetryInfo | undefined, retryAfter: unknown): number | undefined {
  const retryMs = info?.retryDelay && durationMs(info.retryDelay);
  const told = retryMs === undefined ? null : String(Math.ceil(retryMs / 1_000));
  if (retryAfter !== undefined && retryAfter !== told)
    throw new Error(`retry-after is ${retryAfter}, the detail says ${told}`);
  return retryMs;
}

function fieldsOf(request: BadRequest | undefined): readonly string[] {
  return request?.fieldViolations.map(({ field }) => field) ?? [];
}
