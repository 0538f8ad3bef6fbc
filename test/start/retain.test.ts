import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { streamOf } from "../../src/domain/noun.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { clockLimits, createClock } from "../../src/log/clock.ts";
import { createTurns, type Work } from "../../src/start/periodic.ts";
import { createRetention, retainLimits, startRetaining } from "../../src/start/retain.ts";
import { isErased } from "../../src/store/erasure.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { change, givenHuman, happen, loggedIn } from "../cases/users.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { run } from "./command.ts";

const isSettled = () => true;
const { settleMs } = clockLimits;
const dayMs = 24 * 60 * 60_000;
const retainMs = 90 * dayMs;
const [old, young] = ["203.0.113.0/24", "198.51.100.0/24"];
let nowMs: number;
let server: TestServer;
let retain: Work;

/** How often nodes have looked into the log, and at the version of a user. */
const looked = { search: 0, versions: 0 };

/** Makes the function that does one piece of a node. */
const node = () => {
  const now = () => nowMs;
  const store: Pick<typeof server.store, "search" | "versions"> = {
    search: (query) => {
      looked.search += 1;
      return server.store.search(query);
    },
    versions: (streams) => {
      looked.versions += 1;
      return server.store.versions(streams);
    },
  };
  const work = createRetention({ ...server, store, now, isSettled, retainMs });
  return createTurns({ ...server, now, name: "retain", everyMs: retainLimits.everyMs }, work);
};

beforeEach(async () => {
  nowMs = Date.now() - 400 * dayMs;
  server = await startServer({ now: () => nowMs });
  retain = node();
});
afterEach(() => server.close());

const begun = (
  sessionId: string,
  network: string,
  counter: number,
  credentialId = "key",
): UserEvent => ({
  type: "user.human.session.begun",
  payload: {
    ...{ sessionId, clientId: "app", factors: ["passkey"], browser: sessionId, network },
    passkey: { credentialId, counter },
  },
});

/** A person with logins of now, of each kind. */
async function givenLogins(passkey = "key"): Promise<string> {
  const { organization } = server.admin;
  const id = await givenHuman(server, organization, {}, [
    ...loggedIn(passkey),
    { type: "user.human.login.failed", payload: { factor: "password", network: old } },
    { type: "user.human.locked", payload: { untilMs: nowMs + dayMs, network: old } },
    begun("first", old, 7, passkey),
    { type: "user.human.session.joined", payload: { sessionId: "first", clientId: "shop" } },
    { type: "user.human.otp.used", payload: { step: 5 } },
    { type: "user.human.consent.given", payload: { clientId: "app", consentId: "1" } },
    { type: "user.human.token.revoked", payload: { clientId: "app", grant: "00" } },
  ]);
  return id;
}

const eventsOf = (id: string) => server.store.readStream(streamOf(user, id), 0, 100);
const erasedOf = async (id: string) =>
  (await eventsOf(id)).filter(isErased).map(({ type }) => type.slice("user.human.".length));
const stateOf = async (id: string) => (await server.store.load([streamOf(user, id)]))[0]?.state;
const later = (days: number) => {
  nowMs += days * dayMs;
};
const ofLogins = [
  "session.begun",
  "login.failed",
  "locked",
  "session.begun",
  "session.joined",
  "otp.used",
];

/** Proves the log, and makes all that follows from it anew. */
async function prove(id: string): Promise<void> {
  const flags = [`--data-dir=${server.dataDir}`];
  const before = await stateOf(id);
  for (const command of ["verify", "rebuild", "verify"]) {
    const { code, stdout, stderr } = await run([command, ...flags]);
    expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
  }
  expect(await stateOf(id)).toBe(before);
}

describe("logins past their age", () => {
  test("are erased, and what follows from them stays", async () => {
    const id = await givenLogins();
    nowMs += 90 * dayMs - 1;
    await happen(server, [begun("second", young, 9)], { id });
    const before = JSON.parse((await stateOf(id)) ?? "");
    await retain();
    expect(await erasedOf(id)).toEqual([]);
    nowMs += 60_000;
    await retain();
    expect(await erasedOf(id)).toEqual(ofLogins);
    expect(JSON.parse((await stateOf(id)) ?? "")).toEqual(before);
    expect(before.human).toMatchObject({
      passkeys: [{ credentialId: "key", counter: 9 }],
      login: { browsers: ["b", "first", "second"], otpStep: 5, consents: [{ clientId: "app" }] },
    });
    const kept = await server.kept();
    expect([kept.includes(old), kept.includes(young)]).toEqual([false, true]);
    const [last] = (await eventsOf(id)).slice(-1);
    expect(last).toMatchObject({ type: "user.human.logins.forgotten", actor: "retention" });
    await prove(id);
  });

  test("are erased again as time goes on, and so is what was known of them before", async () => {
    const id = await givenLogins();
    later(91);
    await happen(server, [begun("second", old, 9)], { id });
    await retain();
    later(91);
    await happen(server, [begun("third", young, 10)], { id });
    await retain();
    expect(await erasedOf(id)).toEqual([...ofLogins, "session.begun", "logins.forgotten"]);
    expect((await server.kept()).includes(old)).toBe(false);
    await prove(id);
    const head = await server.head();
    looked.versions = 0;
    later(1);
    await retain();
    later(1);
    await node()();
    expect(await server.head()).toBe(head);
    expect(looked.versions).toBe(0);
  });

  test("are erased of who was removed; of who was erased there is nothing more", async () => {
    const [removed, erased] = [await givenLogins(), await givenLogins("other")];
    for (const id of [removed, erased]) await happen(server, [change("user.removed")], { id });
    await happen(server, [{ type: "user.erased", payload: { reason: "" } }], { id: erased });
    const before = (await eventsOf(erased)).length;
    later(91);
    await retain();
    expect(await erasedOf(removed)).toEqual(ofLogins);
    expect(await stateOf(removed)).toBeUndefined();
    expect((await eventsOf(erased)).length).toBe(before);
    expect((await server.kept()).includes(old)).toBe(false);
    await prove(removed);
  });

  test("are erased no less than another node, whose clock is ahead, does meanwhile", async () => {
    const id = await givenLogins();
    later(20);
    await happen(server, [begun("second", young, 8)], { id });
    later(80);
    const parts = { ...server, isSettled, retainMs };
    const ahead = createRetention({ ...parts, now: () => nowMs + 30 * dayMs });
    let isAsked = false;
    const store: typeof server.store = {
      ...server.store,
      search: async (query) => {
        const page = await server.store.search(query);
        if (query.descending && !isAsked) {
          isAsked = true;
          await ahead();
        }
        return page;
      },
    };
    await createRetention({ ...parts, store, now: () => nowMs })();
    expect(isAsked).toBe(true);
    expect(await erasedOf(id)).toEqual([...ofLogins, "session.begun"]);
    await prove(id);
  });

  test("stay while the clock of the machine has just been set", async () => {
    const id = await givenLogins();
    let evenMs = 0;
    const clock = createClock(
      () => nowMs,
      () => evenMs,
    );
    const work = createRetention({ ...server, ...clock, retainMs });
    const settle = () => {
      nowMs += settleMs;
      evenMs += settleMs;
    };
    settle();
    await work();
    later(91);
    await work();
    expect(await erasedOf(id)).toEqual([]);
    settle();
    await work();
    expect(await erasedOf(id)).toEqual(ofLogins);
  });

  test("stay of those who have not been come to when the service ends", async () => {
    const ids = [await givenLogins(), await givenLogins("other")];
    later(91);
    const ending = new AbortController();
    const versions: typeof server.store.versions = (streams) => {
      ending.abort();
      return server.store.versions(streams);
    };
    const store = { ...server.store, versions };
    const work = createRetention({ ...server, store, isSettled, now: () => nowMs, retainMs });
    const left = async () => (await Promise.all(ids.map(erasedOf))).map(({ length }) => length);
    await work(ending.signal);
    expect(await left()).toEqual([ofLogins.length, 0]);
    await work();
    expect(await left()).toEqual([ofLogins.length, ofLogins.length]);
  });

  test("are looked for no further when the service ends", async () => {
    const ending = new AbortController();
    let searches = 0;
    const search: typeof server.store.search = async (query) => {
      searches += 1;
      if (searches === 2) ending.abort();
      return { ...(await server.store.search(query)), isEnd: false };
    };
    const store = { ...server.store, search };
    const parts = { ...server, store, isSettled, now: () => nowMs };
    await createRetention({ ...parts, retainMs: 0 })(ending.signal);
    expect(searches).toBe(2);
  });

  test("are erased by one node in a minute, and by another in the next", async () => {
    const id = await givenLogins();
    later(1);
    await retain();
    later(91);
    await retain();
    const more = await givenLogins("other");
    later(91);
    await Promise.all([retain(), node()()]);
    looked.search = 0;
    await node()();
    expect(looked.search).toBe(0);
    for (const one of [id, more]) {
      const types = (await eventsOf(one)).map(({ type }) => type);
      expect(types.filter((type) => type === "user.human.logins.forgotten").length).toBe(1);
    }
  });
});

test("a node whose clock is not settled takes nobody's turn", async () => {
  const done: string[] = [];
  const turnsOf = (name: string, mayBegin: () => boolean) => {
    const turns = { ...server, now: () => nowMs, mayBegin, name: "retain", everyMs: 60_000 };
    return createTurns(turns, async () => void done.push(name));
  };
  const [jumped, settled] = [turnsOf("jumped", () => false), turnsOf("settled", () => true)];
  await jumped();
  await settled();
  await settled();
  expect(done).toEqual(["settled"]);
});

test("retention is off where no days are given, and tells of a store that fails", async () => {
  const told: unknown[] = [];
  const { promise: twice, resolve } = Promise.withResolvers<void>();
  const write = () => Promise.reject(new StoreUnavailable("not now"));
  const warn = (fields: unknown) => {
    if (told.push(fields) === 2) resolve();
  };
  const { execute, store } = server;
  const parts = { store: { ...store, artifacts: { write } }, execute, isSettled, now: () => nowMs };
  const off = startRetaining({ retainLogins: undefined }, { ...parts, log: { warn }, everyMs: 1 });
  await pause(5);
  await off();
  expect(told).toEqual([]);
  const end = startRetaining({ retainLogins: 1 }, { ...parts, log: { warn }, everyMs: 1 });
  await twice;
  await end();
});
