import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  acceptTime,
  type Clock,
  clockLimits,
  createClock,
  timedStore,
} from "../../src/log/clock.ts";
import { shortened } from "../harness/extent.ts";
import { leaveHead } from "../harness/log-keys.ts";
import { givenOrganization, givenUser, startServer, type TestServer } from "../harness/server.ts";
import { start } from "../start/command.ts";

/** A service whose machine is set to another time while it runs. */

const { behindMaxMs, settleMs } = clockLimits;
const hourMs = 3_600_000;
const silent = { error: () => {}, info: () => {} };

let systemMs: number;
let evenMs: number;
let clock: Clock;
let server: TestServer;

const newClock = () =>
  createClock(
    () => systemMs,
    () => evenMs,
  );
const pass = (ms: number) => {
  systemMs += ms;
  evenMs += ms;
};

beforeEach(async () => {
  systemMs = Date.parse("2026-11-22T00:00:00Z");
  evenMs = 0;
  clock = newClock();
  server = await startServer({ clock });
});
afterEach(() => server.close());

interface Answer {
  readonly details: { readonly creationDate: string } & readonly { readonly reason: string }[];
}

async function ask(verb: string, path: string, token: string, body?: object, url = server.url) {
  const response = await fetch(url + path, {
    method: verb,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { details } = (await response.json()) as Answer;
  return { status: response.status, reason: details?.[0]?.reason, details };
}

let names = 0;
const create = (token = server.admin.token, url = server.url) => {
  names += 1;
  return ask("POST", "/management/v1/projects", token, { name: `Project ${names}` }, url);
};
const read = (token = server.admin.token) =>
  ask("GET", `/management/v1/projects/${server.project}`, token);
const ready = (url = server.url) => ask("GET", "/readyz", "", undefined, url);
const wentBack = { status: 503, reason: "CLOCK_WENT_BACK" };
const fine = { status: 200 };

describe("a clock that goes back", () => {
  test("by little leaves the dates in their order", async () => {
    const before = await create();
    systemMs -= behindMaxMs;
    const after = await create();
    expect(after).toMatchObject(fine);
    expect(after.details.creationDate >= before.details.creationDate).toBe(true);
    expect(await ready()).toMatchObject(fine);
  });

  test("by more lets nothing be written until it has caught up", async () => {
    await create();
    systemMs -= hourMs;
    const before = await server.head();
    expect(await create()).toMatchObject(wentBack);
    expect(await ready()).toMatchObject(wentBack);
    expect(await read()).toMatchObject(fine);
    expect(await server.head()).toBe(before);
    pass(hourMs - behindMaxMs);
    expect(await ready()).toMatchObject(fine);
    expect(await create()).toMatchObject(fine);
    const said = server.logged().map((line) => JSON.parse(line));
    const about = said.filter(({ msg }) => /clock/.test(msg)).map(({ level }) => level);
    expect(about).toEqual([50, 30]);
  });

  test("brings back no token that was over", async () => {
    const expirationMs = systemMs + settleMs + hourMs;
    const { token } = await givenUser(
      server,
      server.admin.organization,
      [{ scope: { level: "instance" }, roles: ["IAM_OWNER"] }],
      { expirationMs },
    );
    pass(settleMs);
    expect(await read(token)).toMatchObject(fine);
    pass(hourMs);
    expect(await read(token)).toMatchObject({ status: 401 });
    systemMs -= hourMs;
    expect(await read(token)).toMatchObject({ status: 401 });
  });
});

describe.each(shortened([100, 1]))("a visit of %i h to the future", (hours) => {
  const farMs = hours * hourMs;

  test("of which nothing is recorded leaves no trace", async () => {
    systemMs += farMs;
    expect(await read()).toMatchObject(fine);
    pass(3_000);
    systemMs -= farMs;
    const { status, details } = await create();
    expect([status, Date.parse(details.creationDate)]).toEqual([200, systemMs]);
  });

  test("of which something is recorded stops writes until it is accepted", async () => {
    const owner = [{ scope: { level: "instance" }, roles: ["IAM_OWNER"] }] as const;
    const over = { expirationMs: systemMs + farMs };
    const old = await givenUser(server, server.admin.organization, owner, over);
    systemMs += farMs;
    const seenMs = systemMs;
    const short = { expirationMs: seenMs + hourMs };
    const young = await givenUser(server, server.admin.organization, owner, short);
    systemMs -= farMs;
    expect(await create()).toMatchObject(wentBack);
    const elsewhere = newClock();
    const store = timedStore(server.store, elsewhere, silent);
    await store.head();
    await expect(store.ready()).rejects.toMatchObject({ why: "clock-went-back" });

    await acceptTime(server.execute, clock, silent);
    // Who serves the same log learns of it.
    await store.ready();
    expect(elsewhere.now()).toBe(seenMs);
    const { status, details } = await create();
    expect([status, Date.parse(details.creationDate)]).toEqual([200, seenMs]);
    const accepted = (await server.events()).filter(
      ({ type }) => type === "instance.clock.accepted",
    );
    expect(accepted).toMatchObject([{ actor: "operator" }]);
    // What was over stays so, and what was not has as long as it was to have.
    expect(await read(old.token)).toMatchObject({ status: 401 });
    pass(hourMs - 1);
    expect(await read(young.token)).toMatchObject(fine);
    pass(1);
    expect(await read(young.token)).toMatchObject({ status: 401 });
  });
});

test("a start with --accept-clock records it, and those after it know", async () => {
  systemMs = Date.now() + 100 * hourMs;
  await givenOrganization(server);
  await leaveHead(server.dataDir, server.store);
  const begin = async (acceptsClock: boolean) => {
    return await start([`--data-dir=${server.dataDir}`, "--port=0"], {}, { acceptsClock });
  };
  const token = server.admin.token;
  for (const [acceptsClock, expected] of [
    [false, wentBack],
    [true, fine],
    [false, fine],
  ] as const) {
    const running = await begin(acceptsClock);
    try {
      expect(await ready(running.url)).toMatchObject(expected);
      expect(await create(token, running.url)).toMatchObject(expected);
    } finally {
      await running.close();
    }
  }
});
