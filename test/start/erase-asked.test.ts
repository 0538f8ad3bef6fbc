import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { streamOf } from "../../src/domain/noun.ts";
import { org } from "../../src/domain/org.ts";
import { metadata } from "../../src/domain/user/metadata.ts";
import { erasureTimes } from "../../src/domain/user/state/asked-erasure.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { clockLimits, createClock } from "../../src/log/clock.ts";
import { createEraseAsked, eraseAskedLimits } from "../../src/start/erase-asked.ts";
import type { Work } from "../../src/start/periodic.ts";
import { change, givenHuman, happen } from "../cases/users.ts";
import { inFull } from "../harness/in-full.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";
import { run } from "./command.ts";

const { waitMs, announceMs } = erasureTimes;
const { settleMs } = clockLimits;
const requested = "user.erasure.requested";
const announced = "user.erasure.announced";
const given = { isSettled: () => true, newId: () => "unused" };
let nowMs: number;
let server: TestServer;
let step: Work;

beforeAll(async () => {
  nowMs = Date.now() - 400 * 24 * 60 * 60_000;
  server = await startServer({ now: () => nowMs });
  step = createEraseAsked({ ...server, ...given, now: () => nowMs });
});
afterAll(() => server.close());

/** What puts an erasure off, and what ends that. */
const puttingOff: readonly (readonly [
  what: string,
  begin: () => UserEvent,
  end: () => UserEvent,
])[] = [
  [
    "holds roles",
    () => ({ type: "user.membership.granted", payload: { ...managing(), roles: [role] } }),
    () => ({ type: "user.membership.removed", payload: managing() }),
  ],
  ["is locked", () => change("user.locked"), () => change("user.unlocked")],
  ["is deactivated", () => change("user.deactivated"), () => change("user.reactivated")],
];

const role = "ORG_USER_MANAGER";
const managing = () => ({
  scope: { level: "organization", organization: server.admin.organization } as const,
});

/** A person who has asked now. */
async function givenAsking(organization = server.admin.organization): Promise<string> {
  const id = await givenHuman(server, organization, {}, []);
  await happen(server, [{ type: requested, payload: { dueMs: nowMs + waitMs } }], { id });
  return id;
}

const eventsOf = (id: string) => server.store.readStream(streamOf(user, id), 0, 100);
const typesOf = async (id: string) => (await eventsOf(id)).map(({ type }) => type);

/** Takes an organization out of use. */
async function deactivate(id: string): Promise<void> {
  await server.execute({
    actor: "test",
    writes: { org: { noun: org, id } },
    decide: () => ({ events: { org: [{ type: "org.deactivated" as const, payload: {} }] } }),
  });
}

describe("a person who has asked to be erased", () => {
  test("is told a day before, and is erased a day later, with all that is kept", async () => {
    const id = await givenAsking();
    const key = { userId: id, key: "shoe", value: "44" };
    await server.execute({
      actor: "test",
      writes: {
        metadata: {
          ...{ noun: metadata, id: `${id}-shoe` },
          owner: server.admin.organization,
        },
      },
      relies: {},
      decide: () => ({
        events: { metadata: [{ type: "user.metadata.set" as const, payload: key }] },
      }),
    });
    nowMs += waitMs - announceMs - 1;
    await step();
    expect((await typesOf(id)).at(-1)).toBe(requested);
    nowMs += 1;
    await step();
    await step();
    expect((await typesOf(id)).slice(-2)).toEqual([requested, announced]);
    nowMs += announceMs - 1;
    await step();
    expect((await typesOf(id)).at(-1)).toBe(announced);
    nowMs += 1;
    await step();
    await step();
    const [removed, erased] = (await eventsOf(id)).slice(-2);
    expect(removed).toMatchObject({ type: "user.removed", actor: "erasure" });
    expect(erased).toMatchObject({
      ...{ type: "user.erased", actor: "erasure" },
      payload: expect.stringMatching(/^\{"reason":"The person asked for it, on \d{4}-.*Z\."\}$/),
    });
    const kept = await server.kept();
    expect(kept).not.toContain('"shoe"');
    const { code, stderr } = await run(["verify", `--data-dir=${server.dataDir}`]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("has a day left, however late that is told", async () => {
    const id = await givenAsking();
    nowMs += waitMs + 3 * announceMs;
    await step();
    const [event] = (await eventsOf(id)).slice(-1);
    const payload = JSON.stringify({ dueMs: nowMs + announceMs });
    expect(event).toMatchObject({ type: announced, payload });
    nowMs += announceMs - 1;
    await step();
    expect((await typesOf(id)).at(-1)).toBe(announced);
    nowMs += 1;
    await step();
    expect((await typesOf(id)).at(-1)).toBe("user.erased");
  });

  test("stays who took it back, in time or a day before", async () => {
    const withdrawn = { type: "user.erasure.withdrawn", payload: {} } as const;
    const [early, late] = [await givenAsking(), await givenAsking()];
    await happen(server, [withdrawn], { id: early });
    nowMs += waitMs - announceMs;
    await step();
    await happen(server, [withdrawn], { id: late });
    nowMs += 2 * announceMs;
    await step();
    for (const id of [early, late]) expect((await typesOf(id)).at(-1)).toBe(withdrawn.type);
  });

  describe.each(puttingOff)("who %s", (_what, begin, end) => {
    test("stays for as long as that is so", async () => {
      const id = await givenAsking();
      await happen(server, [begin()], { id });
      nowMs += waitMs + announceMs;
      await step();
      expect((await typesOf(id)).at(-1)).toBe(begin().type);
      await happen(server, [end()], { id });
      await step();
      expect((await typesOf(id)).at(-1)).toBe(announced);
      nowMs += announceMs;
      await step();
      expect((await typesOf(id)).at(-1)).toBe("user.erased");
    });

    test("is told anew where that came between, however long it was so", async () => {
      const id = await givenAsking();
      nowMs += waitMs - announceMs;
      await step();
      await happen(server, [begin()], { id });
      nowMs += 2 * announceMs;
      await step();
      await happen(server, [end()], { id });
      await step();
      const [event] = (await eventsOf(id)).slice(-1);
      const told = JSON.stringify({ dueMs: nowMs + announceMs });
      expect(event).toMatchObject({ type: announced, payload: told });
      nowMs += announceMs;
      await step();
      expect((await typesOf(id)).at(-1)).toBe("user.erased");
    });
  });

  test.each([
    ["is not told", 0, [requested, "user.locked"]],
    ["stays", announceMs, [requested, announced, "user.locked"]],
  ])("%s where a lock comes between the look and that", async (_what, laterMs, types) => {
    const id = await givenAsking();
    nowMs += waitMs - announceMs;
    if (laterMs > 0) await step();
    nowMs += laterMs;
    const list: typeof server.store.list = async (query) => {
      const page = await server.store.list(query);
      await happen(server, [change("user.locked")], { id });
      return page;
    };
    const late = { execute: server.execute, store: { list }, now: () => nowMs };
    await createEraseAsked({ ...given, ...late })();
    expect((await typesOf(id)).slice(1)).toEqual(types);
  });

  test("stays while the clock of the machine has just been set", async () => {
    const id = await givenAsking();
    nowMs += waitMs - announceMs;
    await step();
    let evenMs = 0;
    const clock = createClock(
      () => nowMs,
      () => evenMs,
    );
    const settle = () => {
      nowMs += settleMs;
      evenMs += settleMs;
    };
    settle();
    /** As if it were set while a piece is done. */
    const list: typeof server.store.list = async (query) => {
      const page = await server.store.list(query);
      if (evenMs === settleMs) nowMs += announceMs;
      return page;
    };
    const erase = createEraseAsked({
      ...given,
      ...clock,
      execute: server.execute,
      store: { list },
    });
    await erase();
    expect((await typesOf(id)).at(-1)).toBe(announced);
    settle();
    await erase();
    expect((await typesOf(id)).at(-1)).toBe("user.erased");
  });

  test("stays until the next piece where the service ends before it is come to", async () => {
    const ids = [await givenAsking(), await givenAsking()];
    nowMs += waitMs - announceMs;
    const ending = new AbortController();
    const now = () => {
      ending.abort();
      return nowMs;
    };
    const work = createEraseAsked({ ...server, ...given, now });
    const told = async () =>
      (await Promise.all(ids.map(typesOf))).filter((types) => types.at(-1) === announced).length;
    await work(ending.signal);
    expect(await told()).toBe(1);
    await work();
    expect(await told()).toBe(2);
  });

  test("goes though its organization is out of use", async () => {
    const organization = await givenOrganization(server);
    const id = await givenAsking(organization);
    await deactivate(organization);
    nowMs += waitMs - announceMs;
    await step();
    nowMs += announceMs;
    await step();
    expect((await typesOf(id)).at(-1)).toBe("user.erased");
  });

  inFull("is one of as many as a piece has, and of more the rest has the next", async () => {
    const { people } = eraseAskedLimits;
    const all: string[] = [];
    for (let i = 0; i <= people; i += 1) all.push(await givenAsking());
    nowMs += waitMs - announceMs;
    await step();
    const told = async () =>
      (await Promise.all(all.map(typesOf))).filter((types) => types.at(-1) === announced).length;
    expect(await told()).toBe(people);
    await step();
    expect(await told()).toBe(people + 1);
  });
});
