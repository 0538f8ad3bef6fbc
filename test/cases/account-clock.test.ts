import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { givenLink, made, refused, sendAll, type Way, ways, wrongCode } from "./accounts.ts";
import { callingOf } from "./phones.ts";

/** Codes, links and options as time goes by, on a clock that the test sets. */

const { beginPasskey, finishPasskey } = AccountService.method;

const hourMs = 3_600_000;
const minuteMs = 60_000;

let clock = 1_900_000_000_000;
let server: TestServer;
let clients: readonly TestClient[];

beforeAll(async () => {
  server = await startServer({ now: () => clock });
  clients = createClients(server.url);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.close();
});

const worldOf = (clientName: string) =>
  callingOf(server, clients.find(({ name }) => name === clientName)!);

const lifetimes: readonly (readonly [string, Way, number])[] = [
  ["CheckInitialization", ways.checkInitialization, 72 * hourMs],
  ["Initialize", ways.initialize, 72 * hourMs],
  ["BeginPasskey", ways.beginPasskey, hourMs],
  ["FinishPasskey", ways.finishPasskey, hourMs],
  ["VerifyEmail", ways.verifyEmail, 24 * hourMs],
  ["VerifyPhone", ways.verifyPhone, hourMs],
];

describe.each(shortened(clientNames.filter((name) => name !== "rest")))("over %s", (clientName) => {
  test.each(lifetimes)(
    "a code for %s is valid until just before its end",
    async (_, way, forMs) => {
      const world = worldOf(clientName);
      const given = await way.given(world);
      await sendAll(server, given.userId);
      clock += forMs - 1;
      const request = { ...given, ...(await way.more(world, given)) };
      expect(await world.call(way.method, request, "")).toMatchObject({ ok: true });
    },
  );

  test.each(lifetimes)("a code for %s is none at its end, and no miss", async (_, way, forMs) => {
    const world = worldOf(clientName);
    const given = await way.given(world);
    await sendAll(server, given.userId);
    // A browser may have been given options before.
    const request = { ...given, ...(await way.more(world, given)) };
    clock += forMs;
    const before = await server.head();
    const missed = { ...request, code: wrongCode(given) };
    for (const one of [request, missed]) {
      expect(await world.call(way.method, one, "")).toMatchObject({ ok: false, ...refused });
    }
    expect(await server.events(before)).toEqual([]);
  });

  test.each<readonly [string, Way, number]>([
    ["Initialize", ways.initialize, 72 * hourMs],
    ["VerifyEmail", ways.verifyEmail, 24 * hourMs],
  ])(
    "a code for %s that waits for its mail to leave is valid until then",
    async (_, way, forMs) => {
      const world = worldOf(clientName);
      const given = await way.given(world);
      clock += 1_000 * hourMs;
      await sendAll(server, given.userId);
      clock += forMs - 1;
      const request = { ...given, ...(await way.more(world, given)) };
      expect(await world.call(way.method, request, "")).toMatchObject({ ok: true });
    },
  );

  test.each([
    ["until just before their end", 5 * minuteMs - 1, { ok: true }],
    ["no longer at their end", 5 * minuteMs, { ok: false, code: 3, reason: "PASSKEY_INVALID" }],
    ["no longer later", 6 * minuteMs, { ok: false, code: 3, reason: "PASSKEY_INVALID" }],
  ])("options are good %s", async (_, afterMs, expected) => {
    const world = worldOf(clientName);
    const { request } = await made(world, await givenLink(world));
    clock += afterMs;
    expect(await world.call(finishPasskey, request, "")).toMatchObject(expected);
  });

  test("new options replace those that are over", async () => {
    const world = worldOf(clientName);
    const link = await givenLink(world);
    await made(world, link);
    clock += 5 * minuteMs;
    expect(await world.call(beginPasskey, link, "")).toMatchObject({ ok: true });
    const { request } = await made(world, link);
    expect(await world.call(finishPasskey, request, "")).toMatchObject({ ok: true });
  });
});
