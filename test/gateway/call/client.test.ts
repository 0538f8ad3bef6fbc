import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import {
  proxyRequestIdCharactersMax,
  userAgentCharactersMax,
} from "../../../src/gateway/call/client.ts";
import { createPeers, loopback, unreadableAddress } from "../../../src/port/peer.ts";
import { few } from "../../harness/in-full.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

// Where requests come from, as the lines about them say.

let behind: TestServer;
let alone: TestServer;

beforeAll(async () => {
  behind = await startServer({ peers: createPeers(loopback) });
  alone = await startServer();
});
afterAll(async () => {
  await behind.close();
  await alone.close();
});

interface Line {
  readonly msg: string;
  readonly [member: string]: unknown;
}

/** The lines about requests that a request leaves, with its own id. */
async function linesOf(
  server: TestServer,
  path: string,
  { method = "GET", headers = {}, body }: RequestInit & { readonly body?: string },
): Promise<{ readonly lines: readonly Line[]; readonly requestId: string | null }> {
  const before = server.logged().length;
  const answer = await fetch(server.url + path, {
    ...{ method, redirect: "manual", headers },
    ...(body === undefined ? {} : { body }),
  });
  await answer.arrayBuffer();
  // It comes when the answer is out; where none comes, the test fails by itself.
  for (let turn = 0; turn < 10_000 && server.logged().length === before; turn += 1) {
    await new Promise(setImmediate);
  }
  const lines = server.logged().slice(before);
  const requestId = answer.headers.get("x-request-id");
  return { lines: lines.map((line) => JSON.parse(line) as Line), requestId };
}

/** What of a line joins it with those of a proxy. */
const joiningOf = ({ requestId, traceparent, proxyRequestId }: Line) => {
  return { requestId, traceparent, proxyRequestId };
};

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const program = { "user-agent": "a program/1.0" };

/** One request of each way that lines come from. */
const ways: {
  readonly [way: string]: readonly [
    msg: string,
    path: string,
    init: { readonly method?: string; readonly headers?: object; readonly body?: string },
  ];
} = {
  "a call": [
    "call",
    "/iam.management.v1.ManagementService/ListProjects",
    { method: "POST", headers: json, body: "{}" },
  ],
  "a call in a form that is unusual": [
    "call",
    "/iam.management.v1.ManagementService/ListProjects",
    { method: "POST", headers: { ...json, "connect-timeout-ms": "0" }, body: "{}" },
  ],
  "a request that reaches no method": ["refused", "/nothing", {}],
  "a path that cannot be decoded": ["refused", "/%zz", {}],
  "a page": ["call", `/ui/initialize?userID=x&code=${"0".repeat(32)}`, {}],
  "a page of a login": ["openid", "/ui/login/x", {}],
  "a form of a login": [
    "openid",
    "/ui/login/x",
    { method: "POST", headers: { ...form, "sec-fetch-site": "same-origin" }, body: "step=cancel" },
  ],
  "the own sessions": ["openid", "/account/sessions", {}],
  "a page that is not there": ["refused", "/ui/nothing", {}],
  "the library": [
    "openid",
    "/oauth/v2/token",
    { method: "POST", headers: form, body: "grant_type=authorization_code" },
  ],
  "a login that is refused": ["openid", "/oauth/v2/authorize?client_id=nobody", {}],
  "the library's own paths": ["openid", "/.well-known/openid-configuration", {}],
  introspection: [
    "openid",
    "/oauth/v2/introspect",
    { method: "POST", headers: form, body: "token=x" },
  ],
  userinfo: ["openid", "/oidc/v1/userinfo", {}],
};

describe("addresses made up in the log: a line about", () => {
  test.each(Object.keys(ways))("%s has the id of its answer, address and program", async (way) => {
    const [msg, path, init] = ways[way] ?? [];
    const headers = { ...init?.headers, ...program, "x-forwarded-for": "192.0.2.7, 198.51.100.9" };
    const { lines, requestId } = await linesOf(behind, String(path), { ...init, headers });
    const about = { msg, requestId, address: "198.51.100.9", userAgent: "a program/1.0" };
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(lines).toMatchObject([about]);
    const direct = await linesOf(alone, String(path), { ...init, headers });
    expect(direct.lines).toMatchObject([
      { ...about, requestId: direct.requestId, address: "127.0.0.1" },
    ]);
  });

  test.each([
    ["2001:db8:1:2:3::4", "2001:db8:1:2:3::4"],
    ["[2001:db8::1]:4711", "2001:db8::1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["unknown", undefined],
    ['198.51.100.9", "code": "OK', undefined],
  ])("a request that a trusted proxy says to be of %s", async (said, address) => {
    const headers = { ...program, "x-forwarded-for": said };
    const { lines } = await linesOf(behind, "/nothing", { headers });
    expect(lines.map((line) => line.address)).toEqual([address]);
  });

  const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const longest = "x".repeat(proxyRequestIdCharactersMax);

  few().each<[what: string, said: { traceparent?: string; "x-request-id"?: string }]>([
    ["both", { traceparent: trace, "x-request-id": "Root=1-67891233-abcdef" }],
    ["a trace of a later version", { traceparent: trace.replace("00-", "cc-") }],
    ["an id as long as may be", { "x-request-id": longest }],
  ])("what a trusted proxy says to join lines: %s", async (_what, said) => {
    const [traceparent, proxyRequestId] = [said.traceparent, said["x-request-id"]];
    for (const [, path, init] of Object.values(ways)) {
      const headers = { ...init.headers, ...said };
      const { lines, requestId } = await linesOf(behind, path, { ...init, headers });
      const joined = { requestId, traceparent, proxyRequestId };
      expect([path, lines.map(joiningOf)]).toEqual([path, [joined]]);
      const direct = await linesOf(alone, path, { ...init, headers });
      expect([path, direct.lines.map(joiningOf)]).toEqual([
        path,
        [{ requestId: direct.requestId }],
      ]);
    }
  });

  test.each([
    ["traceparent", ""],
    ["traceparent", trace.toUpperCase()],
    ["traceparent", `${trace}-more`],
    ["traceparent", trace.replace("00-", "ff-")],
    ["traceparent", `00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    ["traceparent", `00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`],
    ["x-request-id", ""],
    ["x-request-id", `${longest}x`],
    ["x-request-id", 'a","code":"OK'],
    ["x-request-id", "a b"],
  ])("%s that does not have its form is left out: %s", async (name, text) => {
    const { lines } = await linesOf(behind, "/nothing", { headers: { [name]: text } });
    expect(lines.map(joiningOf)).toEqual([{ requestId: expect.any(String) }]);
  });

  test("a request over gRPC", async () => {
    const before = alone.logged().length;
    await createClient(Health, createGrpcTransport({ baseUrl: alone.url })).check({});
    expect(
      alone
        .logged()
        .slice(before)
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { msg: "call", address: "127.0.0.1", userAgent: expect.stringContaining("connect-es") },
    ]);
  });

  test.each([
    ["as long as may be", "x".repeat(userAgentCharactersMax), "x".repeat(userAgentCharactersMax)],
    ["a character longer", `${"x".repeat(userAgentCharactersMax)}y`, "x".repeat(256)],
    ["with what is not seen", "a\u0085b\tc\u00add", "abcd"],
    ["with nothing to be seen", "\u0085", undefined],
  ])("a program that calls itself something %s", async (_what, given, shown) => {
    const { lines } = await linesOf(alone, "/nothing", { headers: { "user-agent": given } });
    expect(lines.map(({ userAgent }) => userAgent)).toEqual([shown]);
  });
});

describe("a caller that leaves the others no time: what requests count for over time", () => {
  const peers = createPeers([["10.0.0.0", 8]]);

  test.each([
    ["127.0.0.1", undefined, undefined],
    ["::1", undefined, undefined],
    ["::ffff:127.0.0.1", undefined, undefined],
    // Somebody has forwarded it who is not believed.
    ["127.0.0.1", "198.51.100.7", unreadableAddress],
    ["127.0.0.1", "", unreadableAddress],
    ["192.0.2.1", undefined, "192.0.2.1"],
    ["192.0.2.1", "127.0.0.1", "192.0.2.1"],
    ["2001:db8::1", undefined, "2001:db8:0:0::/64"],
    ["10.0.0.1", "127.0.0.1, 198.51.100.7", "198.51.100.7"],
    ["10.0.0.1", "127.0.0.1", unreadableAddress],
    ["10.0.0.1", "unknown", unreadableAddress],
    ["10.0.0.1", "10.0.0.3", unreadableAddress],
    ["10.0.0.1", undefined, "10.0.0.1"],
    [undefined, undefined, unreadableAddress],
  ])("from %s for %s is %s", (remote, forwarded, expected) => {
    expect(peers.pacedAs(remote, forwarded)).toBe(expected);
  });
});
