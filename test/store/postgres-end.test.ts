import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { createSeal } from "../../src/store/chain/chain.ts";
import { linkOf } from "../../src/store/chain/link.ts";
import { type PostgresLimits, postgresLimits } from "../../src/store/postgres/limits.ts";
import { createLooks } from "../../src/store/postgres/looks.ts";
import { createPool } from "../../src/store/postgres/pool.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { createSeen } from "../../src/store/postgres/seen.ts";
import { OutcomeUnknown, type Store } from "../../src/store/store.ts";
import { runOn } from "../harness/postgres-cluster.ts";
import { postgresProxy } from "../harness/postgres-proxy.ts";
import { append, change, eventsOf, expectGapless, things, timeMs } from "./fixture.ts";
import { identity, sealing } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

let place: PostgresPlace;
beforeEach(async () => {
  place = await postgresPlace();
});
afterEach(() => place.remove());

/** Forges an event behind the end, which says so of its MAC and link; answers its position. */
async function forge(how: string, store: Store): Promise<bigint> {
  const { position: end } = await store.head();
  const { skip = 0n, ...said } = forgeries[how]!((await store.linkAt(end)) ?? Buffer.alloc(32));
  const position = end + 1n + skip;
  const bytes = (hex: Uint8Array) => `decode('${Buffer.from(hex).toString("hex")}', 'hex')`;
  await runOn(
    place.url,
    `INSERT INTO iam.events
         (position, stream, version, type, owner, actor, time, payload, salt, mac, link)
       VALUES (${position}, 'thing-forged', 1, 'thing.added', 'org-1', 'user-1', ${timeMs}, '{}',
         ${bytes(said.salt)}, ${bytes(said.mac)}, ${bytes(said.link)})`,
  );
  return position;
}

const zeros = Buffer.alloc(32);
const salt = Buffer.alloc(16);
const forged = {
  ...{ position: 0n, stream: "thing-forged", version: 1, type: "thing.added", owner: "org-1" },
  ...{ actor: "user-1", timeMs, payload: "{}" },
};
/** What a forged event has, behind the link of the end. */
const forgeries: {
  readonly [how: string]: (link: Uint8Array) => {
    salt: Uint8Array;
    mac: Uint8Array;
    link: Uint8Array;
    skip?: bigint;
  };
} = {
  "a MAC and a link of zeros": () => ({ salt, mac: zeros, link: zeros }),
  "another MAC and a link that fits": (link) => ({
    ...{ salt, mac: zeros },
    link: linkOf(link, 1n, zeros, zeros),
  }),
  // As one has that was moved there.
  "the right MAC and another link": () => ({
    ...createSeal(identity, () => salt)(forged, zeros),
    link: zeros,
  }),
  "another position, behind a gap": (link) => ({
    ...createSeal(identity, () => salt)(forged, link),
    skip: 1n,
  }),
};

describeOnPostgres("an event that was put behind the end of a log that is served", () => {
  it.each(Object.keys(forgeries))("is not written on: %s", async (how) => {
    const store = await place.open();
    eventsOf(await store.append(append([change("thing-1", 0)])));
    const position = await forge(how, store);
    for (const expected of [1, 1]) {
      const refused = store.append(append([change("thing-1", expected)]));
      await expect(refused).rejects.toMatchObject({ why: "history-changed" });
    }
    expect(await store.head()).toMatchObject({ position });
    await expect(store.ready()).rejects.toMatchObject({ why: "history-changed" });
    expect(await store.load(["thing-1"])).toMatchObject([{ version: 1 }]);
  });

  it("is not written on by who has read it", async () => {
    const store = await place.open();
    eventsOf(await store.append(append([change("thing-1", 0)])));
    const position = await forge("a MAC and a link of zeros", store);
    await expect(store.readAll(0n, 9)).rejects.toThrow(
      "not what was appended (its MAC and its link)",
    );
    const refused = store.append(append([change("thing-1", 1)]));
    await expect(refused).rejects.toMatchObject({ why: "history-changed" });
    expect(await store.head()).toMatchObject({ position });
  });

  it("is told to operators once, with its position", async () => {
    const lines: string[] = [];
    const log = {
      error() {},
      warn() {},
      info() {},
      fatal: (_: object, text: string) => void lines.push(text),
    };
    const store = await openPostgres({ url: place.url, projector: things(), log, ...sealing });
    const position = await forge("another MAC and a link that fits", store);
    for (const _ of [1, 2, 3]) {
      await expect(store.append(append([change("thing-1", 0)]))).rejects.toThrow(`${position}`);
    }
    await store.close();
    expect(lines).toEqual([
      expect.stringContaining(`the event at position ${position}, of thing-forged, is not`),
      expect.stringContaining("nothing is written: The event log is not"),
    ]);
  });

  it("is told of by a node that only looks", async () => {
    const damages: string[] = [];
    const found = (damage: string) => void damages.push(damage);
    const store = await openPostgres({ url: place.url, projector: things(), found, ...sealing });
    const position = await forge("a MAC and a link of zeros", store);
    const lookAgain = async () => {
      for (;;) {
        await store.ready();
        await setTimeout(5);
      }
    };
    await expect(lookAgain()).rejects.toMatchObject({ why: "history-changed" });
    const damage = `the event at position ${position}, of thing-forged, is not`;
    expect(damages).toEqual([expect.stringContaining(damage)]);
    await store.close();
  });

  it("leaves what is written behind it at the same time unanswered", async () => {
    const damages: string[] = [];
    const found = (damage: string) => void damages.push(damage);
    const other = await place.open();
    const store = await openPostgres({ url: place.url, projector: things(), found, ...sealing });
    eventsOf(await other.append(append([change("thing-2", 0)])));
    // From here on it takes the other for one that writes all the time.
    eventsOf(await store.append(append([change("thing-1", 0)])));
    await forge("a MAC and a link of zeros", store);
    const written = store.append(append([change("thing-1", 1)]));
    await expect(written).rejects.toThrow(OutcomeUnknown);
    const { position } = await store.head();
    const refused = store.append(append([change("thing-1", 2)]));
    await expect(refused).rejects.toMatchObject({ why: "history-changed" });
    expect(await store.head()).toMatchObject({ position });
    await store.close();
    expect(damages).toEqual([expect.stringContaining("of thing-forged, is not what was appended")]);
  });
});

describeOnPostgres("what others append", () => {
  /** A store whose calls are counted. */
  async function counted(limits: Partial<PostgresLimits> = {}) {
    const proxy = await postgresProxy(place.url);
    const store = await openPostgres({ url: proxy.url, projector: things(), limits, ...sealing });
    const close = async () => {
      await store.close();
      await proxy.close();
    };
    return { store, close, appends: proxy.appends };
  }

  it.each([
    ["who found others writing just now", { besideMs: 60_000 }, 1],
    ["the same in small pieces", { besideMs: 60_000, eventsAtOnce: 1 }, 1],
    ["who found none for long", { besideMs: 0 }, 2],
  ])("is checked before it is written on, by %s", async (_, limits, tries) => {
    const other = await place.open();
    const { store, close, appends } = await counted(limits);
    for (let i = 0; i < 3; i += 1) {
      for (let j = 0; j < 3; j += 1)
        eventsOf(await other.append(append([change(`a-${i}-${j}`, 0)])));
      const before = appends();
      eventsOf(await store.append(append([change(`b-${i}`, 0)])));
      // Where others write, too, one call is enough.
      expect(appends() - before).toBe(i === 0 ? 2 : tries);
    }
    expect(await expectGapless(store)).toBe(12);
    await close();
  });

  it("is checked by a node that only reads, before it comes to write", async () => {
    const other = await place.open();
    const limits = { besideMs: 0, eventsAtOnce: 2 };
    const { store, close, appends } = await counted(limits);
    for (let i = 0; i < 5 * limits.eventsAtOnce; i += 1) {
      eventsOf(await other.append(append([change(`a-${i}`, 0)])));
    }
    await store.ready();
    // The check goes on beside it; what is read in the meantime is not taken for checked.
    await setTimeout(500);
    eventsOf(await store.append(append([change("b", 0)])));
    // Another call would be needed behind what it has not checked.
    expect(appends()).toBe(1);
    await close();
  });

  it("is checked beside all else, once, and not by a node that appends", async () => {
    const store = await place.open();
    eventsOf(await store.append(append([change("a", 0)])));
    const link = (await store.linkAt(1n)) ?? Buffer.alloc(32);
    const pool = createPool(place.url, postgresLimits);
    const [seen, checking] = [createSeen({ position: 1n, link }), Promise.withResolvers<void>()];
    const asked: bigint[] = [];
    const looks = createLooks(pool, {
      ...{ log: identity.id, revision: things().revision, seen, fault: () => undefined },
      ...{ limits: { ...postgresLimits, readyMs: 0 }, random: (size) => new Uint8Array(size) },
      follow: (through) => {
        asked.push(through);
        return checking.promise;
      },
      note: () => {},
    });
    const look = async () => {
      looks.doubt();
      await looks.look();
      return asked.length;
    };
    expect([await look(), await look()]).toEqual([1, 1]);
    checking.resolve();
    await checking.promise;
    eventsOf(await store.append(append([change("b", 0)])));
    seen.note({ position: 2n, link: (await store.linkAt(2n)) ?? link });
    // It has appended since the last look; by the next one it has not.
    expect([await look(), await look()]).toEqual([1, 2]);
    expect(asked).toEqual([1n, 2n]);
    await pool.close();
  });

  it("costs nobody who writes alone a call", async () => {
    const { store, close, appends } = await counted();
    for (let i = 0; i < 5; i += 1) eventsOf(await store.append(append([change(`a-${i}`, 0)])));
    expect(appends()).toBe(5);
    await close();
  });

  it("lets two who write all the time keep their batches", async () => {
    const limits = { besideMs: 60_000 };
    const nodes = [await counted(limits), await counted(limits)];
    const work = nodes.map(async ({ store }, node) => {
      for (let round = 0; round < 10; round += 1) {
        const streams = Array.from({ length: 20 }, (_, i) => `thing-${node}-${round}-${i}`);
        const results = streams.map((stream) => store.append(append([change(stream, 0)])));
        for (const result of await Promise.all(results)) eventsOf(result);
      }
    });
    await Promise.all(work);
    // A call for each round, and one for what the other had written before the first.
    for (const { appends } of nodes) expect(appends()).toBeLessThanOrEqual(11);
    expect(await expectGapless(nodes[0]!.store)).toBe(400);
    for (const { close } of nodes) await close();
  });
});
