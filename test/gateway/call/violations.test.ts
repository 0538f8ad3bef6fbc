import { create, toBinary } from "@bufbuild/protobuf";
import type { ConnectError } from "@connectrpc/connect";
import { setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { describe, expect, test } from "@jest/globals";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import {
  AddOIDCAppRequestSchema,
  AddSAMLAppRequestSchema,
} from "../../../gen/iam/management/v1/app_pb.js";
import { failure, refusalLimits } from "../../../src/gateway/call/errors.ts";
import { withMarks } from "../../../src/gateway/form/grpc.ts";
import { bodyFor, dialectNames, dialects, hostileServer, isFramed, send } from "../hostile.ts";
import { fieldsOf, readRefusal, toldOver } from "../refusal.ts";

/** The fields that gRPC makes of a refusal. */
function trailersOf(message: string, count: number, description = "must not be blank") {
  const violations = Array.from({ length: count }, (_none, index) => ({
    field: `redirect_uris[${index}]`,
    description,
  }));
  const error = failure({ reason: "INVALID_FIELDS", message, violations });
  const trailer = new Headers();
  setTrailerStatus(trailer, error);
  withMarks(trailer);
  const text = ["grpc-message", "grpc-status-details-bin"].map((name) => trailer.get(name) ?? "");
  return { error, bytes: text.join("").length };
}

function toldBy(error: ConnectError) {
  const told = error.findDetails(BadRequestSchema)[0]?.fieldViolations.length ?? 0;
  const left = error.findDetails(ErrorInfoSchema)[0]?.metadata.violations_left_out;
  return { told, left };
}

describe("the violations of a refusal", () => {
  const fits = 200;
  const counts = Array.from({ length: fits }, (_none, index) => index + 1);
  /** The most that are told when there are no more of them. */
  const limit = counts.findLast((count) => toldBy(trailersOf("a", count).error).told === count)!;

  test("are told as long as gRPC has room for them, and one more is counted", () => {
    expect(limit).toBeGreaterThan(50);
    expect(limit).toBeLessThan(fits);
    expect(toldBy(trailersOf("a", limit).error)).toEqual({ told: limit, left: undefined });
    expect(toldBy(trailersOf("a", limit + 1).error)).toEqual({ told: limit, left: "1" });
    expect(toldBy(trailersOf("a", 1_000).error)).toEqual({
      told: limit,
      left: String(1_000 - limit),
    });
    const { bytes } = trailersOf("a", limit + 1);
    expect(bytes).toBeLessThanOrEqual(refusalLimits.encodedBytes);
    // There is no room for one more, whose bytes are encoded as four thirds.
    expect(bytes).toBeGreaterThan(refusalLimits.encodedBytes - 400);
  });

  test.each([
    { name: "ASCII", message: "m".repeat(5_000), description: "short" },
    { name: "marks that are encoded", message: "%".repeat(5_000), description: "short" },
    {
      name: "characters of three bytes",
      message: "語".repeat(5_000),
      description: "語".repeat(50),
    },
    { name: "characters of four bytes", message: "𝒳".repeat(5_000), description: "𝒳".repeat(50) },
    { name: "half characters", message: "\ud835".repeat(5_000), description: "\ud835" },
  ])("leave room for the message, of $name, and it for them", ({ message, description }) => {
    const { error, bytes } = trailersOf(message, 1_000, description);
    expect(bytes).toBeLessThanOrEqual(refusalLimits.encodedBytes);
    const { told, left } = toldBy(error);
    expect(told).toBeGreaterThan(0);
    expect(Number(left)).toBe(1_000 - told);
    expect(error.rawMessage.length).toBeGreaterThan(200);
    expect(error.rawMessage.isWellFormed()).toBe(true);
  });

  test("that have no room at all are counted", () => {
    expect(toldBy(trailersOf("a", 2, "x".repeat(5_000)).error)).toEqual({ told: 0, left: "2" });
  });
});

describe("a message", () => {
  test.each([
    { bytes: refusalLimits.messageBytes, ends: "x" },
    { bytes: refusalLimits.messageBytes + 1, ends: "…" },
  ])("of $bytes bytes ends with $ends", ({ bytes, ends }) => {
    const message = `${"é".repeat(10)}${"x".repeat(bytes - 20)}`;
    const { error } = trailersOf(message, 0);
    expect(error.rawMessage.at(-1)).toBe(ends);
    expect(error.rawMessage.slice(0, -1)).toBe(message.slice(0, -1));
  });
});

describe("100 violations", () => {
  const server = hostileServer();
  const path = "/iam.management.v1.ManagementService/AddOIDCApp";
  const request = { projectId: "p", name: "n", redirectUris: Array(100).fill("\0") as string[] };
  const proto = toBinary(AddOIDCAppRequestSchema, create(AddOIDCAppRequestSchema, request));
  const dialectsOfRpc = dialectNames.filter((dialect) => dialect !== "rest");

  test.each(dialectsOfRpc)("are cut alike over %s", async (dialect) => {
    const message = dialects[dialect].body === "json" ? JSON.stringify(request) : proto;
    const answer = await send(server(), dialect, { path, body: bodyFor(dialect, message) });
    const refusal = readRefusal(dialect, answer);
    expect(refusal).toMatchObject({ code: 3, reason: "INVALID_FIELDS" });
    const { told } = toldBy(
      failure({
        reason: "INVALID_FIELDS",
        message: String(refusal.message),
        violations: Array.from({ length: 100 }, (_none, index) => ({
          field: `redirect_uris[${index}]`,
          description: "must not contain the character U+0000",
        })),
      }),
    );
    const fields = Array.from({ length: told }, (_none, index) => `redirect_uris[${index}]`);
    expect(refusal.fields).toEqual(toldOver(dialect, fields));
    const sent = Object.entries(fieldsOf(dialect, answer)).flat().join("").length;
    expect(sent).toBeLessThan(isFramed(dialect) ? 7_000 : 500);
  });
});

describe("a sentence", () => {
  const server = hostileServer();
  const path = "/iam.management.v1.ManagementService/AddSAMLApp";
  const request = { projectId: "p", name: "n" };
  const proto = toBinary(AddSAMLAppRequestSchema, create(AddSAMLAppRequestSchema, request));

  test.each(dialectNames.filter((dialect) => dialect !== "rest"))(
    "has the names of fields that its reader writes over %s",
    async (dialect) => {
      const isJson = dialects[dialect].body === "json";
      const body = bodyFor(dialect, isJson ? JSON.stringify(request) : proto);
      const { message } = readRefusal(dialect, await send(server(), dialect, { path, body }));
      const either = isJson ? "metadataXml or metadataUrl" : "metadata_xml or metadata_url";
      expect(message).toBe(`metadata: give ${either}`);
    },
  );
});
