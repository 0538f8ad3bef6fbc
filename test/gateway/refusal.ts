import { fromBinary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import {
  BadRequestSchema,
  ErrorInfoSchema,
  RetryInfoSchema,
} from "../../gen/google/rpc/error_details_pb.js";
import { StatusSchema } from "../../gen/google/rpc/status_pb.js";
import { inJson, jsonFailure, retryMsOf } from "../harness/clients.ts";
import { bodyFor, type DialectName, dialects, isFramed } from "./hostile.ts";
import type { RawAnswer, RawFields } from "./raw.ts";

/** What a refusal has to be. Enveloped protocols answer 200 whatever the status would be. */
export interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly reason: string;
  /** What the message has to say. */
  readonly message?: RegExp;
  /** The violated fields as the contract names them. */
  readonly fields?: readonly string[];
}

/** A message that every dialect can read and that is refused last of all, for its empty name. */
export const empty = (dialect: DialectName) =>
  bodyFor(dialect, dialects[dialect].body === "json" ? "{}" : "");
/** How that message is refused. */
export const reached: Refusal = {
  status: 400,
  code: 3,
  reason: "INVALID_FIELDS",
  fields: ["name"],
};

/** Milliseconds after which it helps to come back; of other reasons nothing is said. */
const retryMs: { readonly [reason: string]: number } = {
  BODIES_OVERLOADED: 1_000,
  SHUTTING_DOWN: 1_000,
  UNAVAILABLE: 5_000,
};

export function expectRefusal(name: DialectName, answer: RawAnswer, expected: Refusal): void {
  const { status, message = /./, fields, ...rest } = expected;
  const refusal = readRefusal(name, answer);
  expect(refusal).toMatchObject({ ...rest, message: expect.stringMatching(message) });
  if (fields !== undefined) expect(refusal.fields).toEqual(toldOver(name, fields));
  expect(refusal.retryMs).toBe(retryMs[rest.reason]);
  expect(answer.status).toBe(isFramed(name) ? 200 : status);
  expect(answer.headers["x-request-id"]).toMatch(/^[\da-f-]{36}$/);
  expect(answer.headers["cache-control"]).toBe("no-store");
  expectNoLeak(answer);
}

/** Fields of the contract as the dialect is told of them. */
export function toldOver(name: DialectName, fields: readonly string[]): readonly string[] {
  return dialects[name].body === "json" ? fields.map(inJson) : fields;
}

/** No stack, no path of a file, no token. */
export function expectNoLeak({ headers, trailers, body }: RawAnswer): void {
  const told = JSON.stringify([headers, trailers, body.toString()]);
  expect(told).not.toMatch(/node_modules|\.[jt]s\b|\/src\/|\/tmp\/|iam_pat_|SQLITE|\bat \w+ \(/);
}

/** The refusal, read as the dialect writes it. */
export function readRefusal(name: DialectName, answer: RawAnswer) {
  const { refusal } = dialects[name];
  if (refusal === "plain") {
    expect(answer.headers["content-type"]).toBe("application/json");
    const retryAfter = answer.headers["retry-after"] ?? null;
    const read = jsonFailure(JSON.parse(answer.body.toString()), answer.status, retryAfter);
    if (read.ok) throw new Error("nothing was refused");
    return read;
  }
  if (refusal === "connect") return readConnect(answer);
  return readStatus(fieldsOf(name, answer));
}

/** The fields of the header and of the trailer, wherever the dialect has that. */
export function fieldsOf(name: DialectName, { headers, trailers, body }: RawAnswer): RawFields {
  const last = dialects[name].refusal === "grpc-web" ? lastFrame(body) : {};
  return { ...headers, ...trailers, ...last };
}

function readConnect({ headers, body }: RawAnswer) {
  expect(headers["content-type"]).toBe("application/json");
  const { code, message, details } = JSON.parse(body.toString()) as {
    readonly code: string;
    readonly message: string;
    readonly details: readonly { readonly type: string; readonly value: string }[];
  };
  const values = details.map(({ type, value }) => [type, Buffer.from(value, "base64")] as const);
  return { code: codes.indexOf(code), message, ...readDetails(values, headers) };
}

/** Connect's names of the codes, each at the place of its number. */
const codes = (
  "ok canceled unknown invalid_argument deadline_exceeded not_found already_exists " +
  "permission_denied resource_exhausted failed_precondition aborted out_of_range unimplemented " +
  "internal unavailable data_loss unauthenticated"
).split(" ");

function readStatus(fields: RawFields) {
  const packed = Buffer.from(fields["grpc-status-details-bin"] ?? "", "base64");
  const { code, details } = fromBinary(StatusSchema, packed);
  expect(fields["grpc-status"]).toBe(String(code));
  const values = details.map(({ typeUrl, value }) => [typeUrl, value] as const);
  const message = decodeURIComponent(fields["grpc-message"] ?? "");
  return { code, message, ...readDetails(values, fields) };
}

function readDetails(
  details: readonly (readonly [type: string, value: Uint8Array])[],
  fields: RawFields,
) {
  const find = (name: string) => details.find(([type]) => type.endsWith(name))?.[1];
  const info = find(ErrorInfoSchema.typeName);
  const request = find(BadRequestSchema.typeName);
  const retry = find(RetryInfoSchema.typeName);
  const violations = request ? fromBinary(BadRequestSchema, request).fieldViolations : [];
  return {
    reason: info ? fromBinary(ErrorInfoSchema, info).reason : "none",
    fields: violations.map(({ field }) => field),
    retryMs: retryMsOf(retry && fromBinary(RetryInfoSchema, retry), fields["retry-after"] ?? null),
  };
}

/** The trailers that gRPC-Web sends as the last frame. */
function lastFrame(body: Buffer): RawFields {
  if (body.length === 0) return {};
  expect(body.readUInt8(0)).toBe(0x80);
  const lines = body.subarray(5).toString("latin1").split("\r\n").filter(Boolean);
  return Object.fromEntries(lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]));
}
