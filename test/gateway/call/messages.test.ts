// Nobody makes the service work for long with a small request: for each method the largest message
// that is legal, and small ones that are not, in each encoding, compressed and not. What is counted
// is what they make it do; the longest block of the event loop is told by the form in full.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { gzipSync } from "node:zlib";
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  fromJson,
  getOption,
  type JsonObject,
  type JsonValue,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { field as fieldRules } from "../../../gen/buf/validate/validate_pb.js";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.js";
import { SearchQuerySchema } from "../../../gen/iam/user/v1/search_pb.js";
import { queryLimits } from "../../../src/api/user/query.ts";
import { requestLimits } from "../../../src/gateway/call/elements.ts";
import { fieldLimits } from "../../../src/gateway/call/fields.ts";
import { methods } from "../../harness/contract.ts";
import { isFull, sampled, turnOf } from "../../harness/extent.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { violationsOf } from "../../harness/violations.ts";
import { bodyFor, type DialectName, dialectNames, dialects, isFramed, send } from "../hostile.ts";
import type { RawAnswer } from "../raw.ts";
import { readRefusal } from "../refusal.ts";

const { elements: elementsMax, violations: violationsMax } = requestLimits;

let server: TestServer;
let blocks: ReturnType<typeof monitorEventLoopDelay>;

beforeAll(async () => {
  server = await startServer();
  blocks = monitorEventLoopDelay({ resolution: 5 });
  blocks.enable();
});

afterAll(async () => {
  blocks.disable();
  const longest = Math.round(blocks.max / 1e6);
  if (isFull) process.stdout.write(`The longest block of the event loop: ${longest} ms\n`);
  await server.close();
});

const rpcDialects = dialectNames.filter((name) => name !== "rest");
const unary = methods.filter(({ methodKind }) => methodKind === "unary");
const streams = [...methods, ...Health.methods, ...ServerReflection.methods].filter(
  ({ methodKind }) => methodKind !== "unary",
);

/** Methods with the dialects that each is tried in: in full all of both. */
function tried(some: readonly DescMethod[], names: readonly DialectName[]) {
  return sampled(some).map((method, index) => {
    const name = `${method.parent.typeName}/${method.name}`;
    return { method, name, in: isFull ? names : [turnOf(names, index)] };
  });
}

async function ask(
  { parent, name }: DescMethod,
  dialect: DialectName,
  message: Uint8Array,
  isCompressed: boolean,
) {
  const path = `/${parent.typeName}/${name}`;
  const field = isFramed(dialect) ? "grpc-encoding" : "content-encoding";
  const body = isCompressed ? bodyFor(dialect, gzipSync(message), 1) : bodyFor(dialect, message);
  const fields = isCompressed ? [[field, "gzip"] as const] : [];
  return { bytes: body.length, answer: await send(server, dialect, { path, body, fields }) };
}

function encoded(dialect: DialectName, input: DescMessage, json: JsonObject): Uint8Array {
  if (dialects[dialect].body === "json") return Buffer.from(JSON.stringify(json));
  return toBinary(input, fromJson(input, json));
}

const http2 = rpcDialects.filter((name) => dialects[name].http === 2);
const all = [
  ...tried(
    [...unary, ...Health.methods.filter(({ methodKind }) => methodKind === "unary")],
    rpcDialects,
  ),
  ...tried(streams, http2),
];

describe.each(all)("too many elements for $name", ({ method, in: names }) => {
  const tooMany = {
    json: Buffer.from(JSON.stringify({ a: Array(elementsMax).fill(0) })),
    proto: Buffer.concat(Array(elementsMax + 1).fill(Buffer.from([0xf8, 0x7f, 0]))),
  };
  test.each(names)("are refused over %s, compressed or not", async (dialect) => {
    for (const isCompressed of [true, false]) {
      const message = tooMany[dialects[dialect].body];
      const { bytes, answer } = await ask(method, dialect, message, isCompressed);
      const refused = { code: 3, reason: "TOO_MANY_ELEMENTS" };
      expect(readRefusal(dialect, answer)).toMatchObject(refused);
      if (isCompressed) expect(bytes).toBeLessThan(200);
    }
  });
});

/** Those whose answers are read without taking frames apart. */
const plain = rpcDialects.filter((name) => dialects[name].refusal !== "grpc-web");

describe.each(tried(unary, plain))("as much as may be for $name", ({ method, in: names }) => {
  const { input } = method;

  test.each(names)("is read over %s", async (dialect) => {
    const largest = filled(input);
    expect(await violationsOf(input, fromJson(input, largest))).toEqual([]);
    const { answer } = await ask(method, dialect, encoded(dialect, input, largest), true);
    if (isAnswered(dialect, answer)) return;
    const unread = ["TOO_MANY_ELEMENTS", "MALFORMED_REQUEST", "BODY_TOO_LARGE", "INTERNAL", "none"];
    const { reason } = readRefusal(dialect, answer) as { readonly reason: string };
    expect(unread).not.toContain(reason);
  });

  test.each(names)("is wrong with it, and not all is told over %s", async (dialect) => {
    const broken = hollow(input);
    const found = await violationsOf(input, fromJson(input, broken));
    expect(found.length).toBeLessThanOrEqual(violationsMax);
    const { answer } = await ask(method, dialect, encoded(dialect, input, broken), true);
    if (found.length === 0) return;
    expect(readRefusal(dialect, answer)).toMatchObject({ reason: "INVALID_FIELDS" });
  });
});

function isAnswered(dialect: DialectName, { status, trailers }: RawAnswer): boolean {
  return isFramed(dialect) ? trailers["grpc-status"] === "0" : status === 200;
}

/** A legal message with as many elements as its type allows, without itself in itself. */
function filled(input: DescMessage, outer: readonly DescMessage[] = [], at = 0): JsonObject {
  const inner = [...outer, input];
  const usable = input.fields.filter(
    (field) => !inner.some((one) => one === field.message) && !isNeverGiven(field),
  );
  const chosen = usable.filter(({ oneof }) => oneof === undefined);
  for (const oneof of input.oneofs) {
    const sized = usable
      .filter((field) => field.oneof === oneof)
      .map((field) => ({ field, size: JSON.stringify(wholeOf(field, inner, at)).length }));
    chosen.push(
      ...sized
        .sort((a, b) => b.size - a.size)
        .slice(0, 1)
        .map(({ field }) => field),
    );
  }
  return Object.fromEntries(chosen.map((field) => [field.jsonName, wholeOf(field, inner, at)]));
}

/** Whether the rule of the field is a sentence that says to leave it out, or another is for it. */
function isNeverGiven(field: DescField): boolean {
  const isOfPolicy = /PolicyRequest$/.test(field.parent.name);
  return (
    getOption(field, fieldRules).cel.length > 0 ||
    replaced.has(field.name) ||
    field.message?.typeName === FieldMaskSchema.typeName ||
    (isOfPolicy && effectless.test(field.name))
  );
}

/** Fields of policies that are refused where they say anything, and colours, of which pairs are. */
const effectless = RegExp(
  "^(?:hide_login_name_suffix|disable_.*|allow_domain_discovery|multi_factors|" +
    "force_mfa_local_only|default_redirect_uri|.*_(?:check|skip)_lifetime|.*_color(?:_dark)?)$",
);

/** Fields that may not be given together with a newer or a safer one, or hold what is no text. */
const replaced = new Set(["credential", "hashed_password", "public_key", "context_json"]);

const uri = "https://a.example";

/** Texts that the domain takes, of the fields that may not say anything. */
const texts: { readonly [field: string]: string } = {
  ...{ uri, redirect_uris: uri, post_logout_redirect_uris: uri, additional_origins: uri },
  ...{ jwt_endpoint: uri, keys_endpoint: uri, issuer: uri, metadata_url: uri },
  back_channel_logout_uri: uri,
  ...{ email: "a@b", phone: "+41446681800", preferred_language: "de", otp_code: "A".repeat(16) },
  password: "correct horse battery",
  ...{ tos_link: uri, privacy_link: uri, help_link: uri, docs_link: uri, custom_link: uri },
  support_email: "a@example.com",
  ...{ type: "2", flow_type: "2", trigger_type: "4" },
};

/** A role for the members of each level. */
const roleOf: { readonly [message: string]: string } = {
  AddIAMMemberRequest: "IAM_OWNER",
  AddOrgMemberRequest: "ORG_OWNER",
  AddProjectMemberRequest: "PROJECT_OWNER",
};

/** The value of a field in the message that stands in a list at this place. */
function wholeOf(field: DescField, outer: readonly DescMessage[], place: number): JsonValue {
  const { type } = getOption(field, fieldRules);
  if (field.fieldKind !== "list") return entryOf(field, type, outer, place);
  const stated = type.case === "repeated" ? Number(type.value.maxItems) : 0;
  const isCondition = field.message === SearchQuerySchema;
  const count = isCondition ? queryLimits.conditions : stated || fieldLimits.listEntries;
  const items = type.case === "repeated" ? type.value.items?.type : undefined;
  return Array.from({ length: count }, (_none, at) => entryOf(field, items, outer, at));
}

function entryOf(
  { name, parent, fieldKind, message, enum: values, scalar }: DescField,
  type: { readonly case?: string | undefined; readonly value?: unknown } | undefined,
  outer: readonly DescMessage[],
  at = 0,
): JsonValue {
  if (values?.typeName === secondFactor) return "SECOND_FACTOR_TYPE_OTP";
  if (name === "session_lifetime") return "300s";
  if (message) return wellKnown[message.typeName] ?? filled(message, outer, at);
  if (name === "register_domains") return `a${at}.example`;
  // A first type and a first grant belong together, and by SMS no password is reset.
  const isFirst = fieldKind === "list" || values?.typeName === resetType;
  if (values) return values.values.at(isFirst ? 0 : -1)!.name;
  if (scalar === ScalarType.BOOL) return true;
  if (scalar === ScalarType.BYTES) return "YQ==";
  if (scalar !== ScalarType.STRING) return 1;
  const { minLen = 0n } = (type?.value ?? {}) as { readonly minLen?: bigint };
  const known = name === "roles" ? roleOf[parent.name] : texts[name];
  return known ?? "a".repeat(Number(minLen) || 1) + (at || "");
}

const resetType = "iam.management.v1.SendHumanResetPasswordNotificationRequest.Type";

const secondFactor = "iam.policy.v1.SecondFactorType";

const wellKnown: { readonly [typeName: string]: JsonValue } = {
  "google.protobuf.Timestamp": "2100-01-01T00:00:00Z",
  "google.protobuf.Duration": "1s",
  "google.protobuf.Struct": { a: true },
};

/** A message whose lists are as long as there may be elements, with nothing in their entries. */
function hollow({ fields }: DescMessage): JsonObject {
  const lists = fields.filter(({ fieldKind }) => fieldKind === "list");
  const count = Math.floor((elementsMax - fields.length) / (lists.length || 1));
  return Object.fromEntries(
    lists.map(({ jsonName, message, enum: values }) => [
      jsonName,
      Array<JsonValue>(count).fill(message ? {} : values ? 0 : ""),
    ]),
  );
}
