import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { createGrpcWebTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { RetryInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { EventService } from "../../../gen/iam/event/v1/event_service_pb.js";
import { failure } from "../../../src/gateway/call/errors.ts";
import { type Reason, reasons } from "../../../src/reason.ts";
import { retryMsOf } from "../../harness/clients.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import { watching } from "../../harness/watches.ts";
import { refuseGrpcJs } from "../form/grpc-js.ts";

/** When callers are told to come back. */

function retryMsIn(error: ConnectError): number | undefined {
  const [info] = error.findDetails(RetryInfoSchema);
  return retryMsOf(info, error.metadata.get("retry-after"));
}

/** Reasons of which each refusal says by itself when to come back. */
const stated: ReadonlySet<string> = new Set([
  "CODE_TOO_SOON",
  "TOO_MANY_SMS",
  "TOO_MANY_MAILS",
  "TOO_MANY_DOWNLOADS",
  "TOO_MANY_UPLOADS",
  "TOO_MANY_CALLS",
]);

describe("a refusal", () => {
  test("says when to come back if that is known and helps, whatever the reason", () => {
    const names = Object.keys(reasons) as Reason[];
    const told = names.map((reason) => [reason, retryMsIn(failure({ reason, message: "" }))]);
    expect(Object.fromEntries(told.filter(([, retryMs]) => retryMs !== undefined))).toEqual({
      REQUESTS_UNANSWERED: 1_000,
      BODIES_OVERLOADED: 1_000,
      ANSWERS_OVERLOADED: 1_000,
      SEARCH_TOO_LONG: 10_000,
      LISTS_OVERLOADED: 1_000,
      HASHING_OVERLOADED: 1_000,
      KEYS_OVERLOADED: 1_000,
      TOO_MANY_OPEN_CALLS: 1_000,
      TOO_MANY_WATCHES: 10_000,
      SHUTTING_DOWN: 1_000,
      UNAVAILABLE: 5_000,
      HISTORY_CHANGED: 60_000,
      CLOCK_WENT_BACK: 60_000,
    });
  });

  test("says nothing where no time helps, and docs/calls.md says so", () => {
    const lasting = Object.entries(reasons).filter(([reason, [status]]) => {
      const isWait = status === "resource_exhausted" || status === "unavailable";
      const error = failure({ reason: reason as Reason, message: "" });
      return isWait && !stated.has(reason) && retryMsIn(error) === undefined;
    });
    const text = readFileSync(join(import.meta.dirname, "../../../docs/calls.md"), "utf8");
    const [, said = ""] = /Nothing is said of([^.]+)\./.exec(text) ?? [];
    const named = [...said.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(lasting.map(([reason]) => reason).sort());
  });

  test.each([
    [1, "1"],
    [1_000, "1"],
    [1_001, "2"],
  ])("to come back after %i ms says %s s in the header", (retryMs, seconds) => {
    const error = failure({ reason: "CODE_TOO_SOON", message: "", retryMs });
    expect(error.metadata.get("retry-after")).toBe(seconds);
    expect(retryMsIn(error)).toBe(retryMs);
  });
});

describe("one watch too many is told when to come back", () => {
  let server: TestServer;
  let first: ReturnType<typeof watching>;
  beforeAll(async () => {
    server = await startServer({ watchLimits: { watches: 1 } });
    first = watching("grpc", server.url, server.admin.token);
    await first.next();
  });
  afterAll(async () => {
    await first.leave();
    await server.close();
  });

  test.each([
    ["Connect", (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "1.1" })],
    ["gRPC", (baseUrl: string) => createGrpcTransport({ baseUrl })],
    ["gRPC-Web", (baseUrl: string) => createGrpcWebTransport({ baseUrl })],
  ])("over %s", async (_, transportTo) => {
    const client = createClient(EventService, transportTo(server.url));
    const headers = { authorization: `Bearer ${server.admin.token}` };
    const answers = client.watchEvents({}, { headers })[Symbol.asyncIterator]();
    const thrown = await answers.next().then(() => undefined, ConnectError.from);
    expect(retryMsIn(thrown!)).toBe(10_000);
  });

  test("over grpc-js", async () => {
    const answer = await refuseGrpcJs(server.port, {
      path: "/iam.event.v1.EventService/WatchEvents",
      metadata: [["authorization", `Bearer ${server.admin.token}`]],
    });
    expect(answer).toMatchObject({ code: 8, reason: "TOO_MANY_WATCHES", retryMs: 10_000 });
  });
});
