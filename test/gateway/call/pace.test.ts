// No caller and no address makes calls faster than its rate, once that is set.

import { once } from "node:events";
import { create } from "@bufbuild/protobuf";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.js";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { createBuckets, takeToken } from "../../../src/gateway/call/pace.ts";
import { createPeers, loopback } from "../../../src/port/peer.ts";
import { clientNames, createClients } from "../../harness/clients.ts";
import { few, inFull } from "../../harness/in-full.ts";
import { givenUser, startServer, type TestServer } from "../../harness/server.ts";
import { connected } from "../flight.ts";

describe("a bucket", () => {
  const rate = { perSecond: 2, burst: 3 };

  test.each([
    ["that is full has its burst", 1_000, 1_000, { fullAtMs: 1_500, waitMs: 0 }],
    ["that was full long ago has no more", 0, 9_000, { fullAtMs: 9_500, waitMs: 0 }],
    ["gives its last token", 2_000, 1_000, { fullAtMs: 2_500, waitMs: 0 }],
    ["that is empty says when there is one", 2_500, 1_000, { fullAtMs: 2_500, waitMs: 500 }],
    ["has one again in time", 2_500, 1_500, { fullAtMs: 3_000, waitMs: 0 }],
  ])("%s", (_title, fullAtMs, nowMs, expected) => {
    expect(takeToken(fullAtMs, nowMs, rate)).toEqual(expected);
  });

  test.each([1, 3, 7, 60, 999, 5_000])(
    "of %i a second gives so many in the long run",
    (perSecond) => {
      const seconds = 10;
      let nowMs = 0;
      const buckets = createBuckets({ perSecond, burst: 5 }, 1, () => nowMs);
      let taken = 0;
      for (; nowMs < seconds * 1_000; nowMs += 0.125) if (buckets.take("a") === 0) taken += 1;
      expect(Math.abs(taken - perSecond * seconds)).toBeLessThanOrEqual(10);
    },
  );
});

describe("a caller that leaves the others no time: buckets", () => {
  test("are bucketsMax, and of more the half goes that was asked for the longest ago", () => {
    const bucketsMax = 6;
    const { take } = createBuckets({ perSecond: 1, burst: 1 }, bucketsMax, () => 0);
    const [isNew, isKnown] = [0, 1_000];
    expect(["a", "b", "c", "d", "e"].map(take)).toEqual(Array(5).fill(isNew));
    expect(["a", "b"].map(take)).toEqual([isKnown, isNew]);
    // Of five, "b" and "c" went as "a" was asked for again.
    expect(["e", "a", "c"].map(take)).toEqual([isKnown, isKnown, isNew]);
  });

  test("without a rate refuse nothing", () => {
    const { take } = createBuckets({ perSecond: Infinity, burst: 1 }, 1, () => 0);
    expect([take("a"), take("a")]).toEqual([0, 0]);
  });
});

const running: TestServer[] = [];

async function start(options: Parameters<typeof startServer>[0]): Promise<TestServer> {
  const server = await startServer(options);
  running.push(server);
  return server;
}

afterAll(() => Promise.all(running.map((server) => server.close())));

/** No test takes so long that there is another token. */
const perHour = 1 / 3_600;
const [callerBurst, addressBurst, siteAddresses] = [3, 3, 2];
const everybody = createPeers([], []);

const method = ManagementService.method.getMyOrg;
const request = create(method.input);

/** What a call is refused with past its rate, whatever the protocol. */
const refused = {
  ...{ ok: false, code: 8, reason: "TOO_MANY_CALLS", fields: [] },
  message: expect.stringMatching(
    /^The (?:caller|address) makes more calls than allowed: retry in /,
  ),
};

describe("a caller that leaves the others no time: the calls of a caller", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start({ peers: everybody, limits: { callerRate: perHour, callerBurst } });
  });

  const owner = [{ scope: { level: "instance" as const }, roles: ["IAM_OWNER" as const] }];

  few(2).each(clientNames)("are callerBurst over %s, and the next one waits", async (name) => {
    const { token } = await givenUser(server, server.admin.organization, owner);
    const client = createClients(server.url).find((one) => one.name === name)!;
    const call = () => client.call(method, request, { authorization: `Bearer ${token}` });
    for (let calls = 0; calls < callerBurst; calls += 1) {
      expect(await call()).toMatchObject({ ok: true });
    }
    // By both wires.
    for (const answer of [await call(), await call(), await call()]) {
      expect(answer).toMatchObject(refused);
      const { retryMs } = answer as { readonly retryMs: number };
      expect(retryMs).toBeGreaterThan(0);
      expect(retryMs).toBeLessThanOrEqual(3_600_000);
    }
    client.close();
  });

  test("count whether they are refused or not, and begin anew on no other wire", async () => {
    const { token } = await givenUser(server, server.admin.organization, owner);
    const send = async (body: string) => {
      const response = await fetch(`${server.url}/${method.parent.typeName}/AddProject`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body,
      });
      return /"reason":"(\w+)"/.exec(await response.text())?.[1];
    };
    const reasons = [];
    for (let calls = 0; calls <= callerBurst; calls += 1) reasons.push(await send("{"));
    expect(reasons).toEqual([...Array(callerBurst).fill("MALFORMED_REQUEST"), "TOO_MANY_CALLS"]);
  });

  test("are refused before their body has come", async () => {
    const { token } = await givenUser(server, server.admin.organization, owner);
    const head = [
      `POST /${method.parent.typeName}/AddProject HTTP/1.1`,
      ...["host: localhost", "content-type: application/json", "content-length: 1000"],
      ...[`authorization: Bearer ${token}`, "", ""],
    ].join("\r\n");
    const sockets = await Promise.all(
      Array.from({ length: callerBurst + 1 }, () => connected(server.port)),
    );
    const [last, ...before] = sockets;
    for (const socket of before)
      socket.write(head.replace("content-length", "expect: 100-continue\r\ncontent-length"));
    await Promise.all(before.map((socket) => once(socket, "data")));
    last!.write(head);
    const [answer] = await once(last!, "data");
    expect(String(answer)).toMatch(/^HTTP\/1\.1 429 .*\r\nretry-after: \d+\r.*TOO_MANY_CALLS/is);
    for (const socket of sockets) socket.destroy();
  });
});

describe("a caller that leaves the others no time: what an address sends", () => {
  let server: TestServer;
  beforeAll(async () => {
    const limits = { addressRate: perHour, addressBurst, siteAddresses };
    server = await start({ peers: createPeers(loopback, []), limits });
  });

  /** The status and the text of each answer to requests of an address that has sent none. */
  async function ask(address: string, path: string, init: RequestInit = {}) {
    const answers = [];
    for (let requests = 0; requests <= addressBurst; requests += 1) {
      const headers = { ...init.headers, "x-forwarded-for": address };
      const response = await fetch(server.url + path, { ...init, headers, redirect: "manual" });
      const [status, text] = [response.status, await response.text()];
      answers.push({ status, text, retryAfter: Number(response.headers.get("retry-after")) });
    }
    return { within: answers.slice(0, addressBurst), past: answers[addressBurst]! };
  }

  let asked = 0;
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const json = { "content-type": "application/json" };
  const post = (headers: typeof form | typeof json, body: string) => ({
    method: "POST",
    headers,
    body,
  });
  const call = `/${method.parent.typeName}/GetMyOrg`;

  few(3).each([
    ["a call without a valid token", call, post(json, "{}"), 401],
    ["a call that needs none", "/iam.account.v1.AccountService/VerifyPhone", post(json, "{}"), 400],
    ["a page", "/device", {}, 200],
    ["a form of a page", "/device", post(form, "user_code=A"), 400],
    ["a request for tokens", "/oauth/v2/token", post(form, "grant_type=a"), 400],
    ["what applications look up", "/oidc/v1/userinfo", {}, 401],
    ["the style of a page", "/ui/brand/instance/0/style.css", {}, 200],
    ["what describes the service", "/events.schema.json", {}, 200],
    ["a path of nothing", "/nothing", {}, 404],
    ["a page that does not exist", "/ui/nothing", {}, 404],
    ["a path that cannot be decoded", "/ui/%zz", {}, 400],
    ["a verb that a path does not have", "/management/v1/projects", { method: "PUT" }, 405],
    ["a verb that a path of logins does not have", "/oauth/v2/token", {}, 405],
    ["a call of another type", call, post(form, "a"), 415],
    ["a call of another type by REST", "/management/v1/projects", post(form, "a"), 415],
    ["a page that is sent another type", "/device", post(json, "{}"), 415],
  ] as const)(
    "is addressBurst of %s, and the next one waits",
    async (_title, path, init, status) => {
      asked += 1;
      const { within, past } = await ask(`198.51.100.${asked}`, path, init);
      expect(within.map((one) => one.status)).toEqual(Array(addressBurst).fill(status));
      expect(past.status).toBe(429);
      expect(past.retryAfter).toBeGreaterThan(0);
    },
  );

  const of = (site: string, subnet: number) => `${site}:${subnet.toString(16)}::1`;

  test("is bounded for siteAddresses of a /48, whichever of its /64 they have", async () => {
    const ask = async (address: string) => {
      const headers = { "x-forwarded-for": address };
      return (await fetch(`${server.url}/nothing`, { headers })).text();
    };
    const all = addressBurst * siteAddresses;
    for (let sent = 0; sent < all; sent += 1) {
      expect(await ask(of("2001:db8:1", sent))).toContain("UNKNOWN_PATH");
    }
    expect(await ask(of("2001:db8:1", all))).toContain(
      "The network of the address makes more calls",
    );
    expect(await ask(of("2001:db8:2", 0))).toContain("UNKNOWN_PATH");
  });

  test("counts for all kinds together, and for nobody else", async () => {
    const { past } = await ask("203.0.113.1", "/device");
    const token = await ask("203.0.113.1", "/oauth/v2/token", { method: "POST", headers: form });
    expect([past.status, ...token.within.map(({ status }) => status)]).toEqual([
      429, 429, 429, 429,
    ]);
    expect(JSON.parse(token.past.text)).toMatchObject({ error: "temporarily_unavailable" });
    expect((await ask("203.0.113.2", "/device")).within[0]!.status).toBe(200);
  });

  test("is bounded for the messages of a stream, too", async () => {
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl: server.url }));
    const messageRequest = { case: "listServices", value: "" } as const;
    async function* asks() {
      for (let sent = 0; sent <= addressBurst; sent += 1) yield { host: "any", messageRequest };
    }
    const headers = { "x-forwarded-for": "203.0.113.5" };
    let answered = 0;
    const reading = async () => {
      for await (const _ of client.serverReflectionInfo(asks(), { headers })) answered += 1;
    };
    await expect(reading()).rejects.toMatchObject({ code: Code.ResourceExhausted });
    // The call itself is one of the burst.
    expect(answered).toBe(addressBurst - 1);
  });

  test("is not bounded for probes", async () => {
    const { past } = await ask("203.0.113.3", "/readyz");
    expect(past.status).toBe(200);
    const init = post(json, "{}");
    expect((await ask("203.0.113.4", "/grpc.health.v1.Health/Check", init)).past.status).toBe(200);
  });
});

describe("a caller that leaves the others no time: this machine", () => {
  const limits = { callerRate: perHour, callerBurst: 1, addressRate: perHour, addressBurst: 2 };

  async function statuses({ url, admin }: TestServer, headers = {}) {
    const told = [];
    for (let calls = 0; calls < 4; calls += 1) {
      const response = await fetch(`${url}/${method.parent.typeName}/GetMyOrg`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${admin.token}`,
          "content-type": "application/json",
          ...headers,
        },
        body: "{}",
      });
      await response.text();
      told.push(response.status);
    }
    return told;
  }

  test("is not bounded, but those are for whom a proxy on it calls that is not named", async () => {
    const server = await start({ limits });
    expect(await statuses(server)).toEqual([200, 200, 200, 200]);
    const forwarded = { "x-forwarded-for": "198.51.100.1" };
    expect(await statuses(server, forwarded)).toEqual([200, 429, 429, 429]);
    expect(await statuses(server)).toEqual([200, 200, 200, 200]);
  });

  inFull("is bounded by nothing before a rate is set", async () => {
    const server = await start({ peers: everybody });
    expect(await statuses(server)).toEqual([200, 200, 200, 200]);
  });
});
