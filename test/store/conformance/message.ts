import { expect, it } from "@jest/globals";
import type { Change, Store } from "../../../src/store/store.ts";
import {
  append,
  asking,
  change,
  claim,
  eventsOf,
  keysOf,
  lease,
  leaseMs,
  timeMs,
} from "../fixture.ts";
import type { Open } from "./place.ts";

/** Messages that events ask for, and who gets them to deliver. */
export function messageCases(open: Open): void {
  it("leases what an event asks for, with the event, from the time of the event on", async () => {
    const store = await open();
    const events = [
      { type: "thing.added", payload: "{}" },
      { type: "thing.renamed", payload: '{"name":"two"}' },
    ];
    const messages = [{ event: 1, field: "code" }];
    const appended = await store.append(
      append([change("thing-1", 0, { events, messages }), change("thing-2", 0)]),
    );
    expect(await lease(store, timeMs - 1)).toEqual([]);
    expect(await lease(store, timeMs)).toEqual([
      { event: eventsOf(appended)[1], field: "code", attempts: 1, sinceMs: timeMs },
    ]);
  });

  it("leases the longest due first, and no more than asked for", async () => {
    const store = await open();
    const messages = [
      { event: 0, field: "b" },
      { event: 0, field: "a" },
    ];
    await store.append(append([asking("thing-1", 0)], { timeMs: timeMs + 2 }));
    await store.append(append([asking("thing-2", 0), change("thing-3", 0, { messages })]));
    await store.append(append([asking("thing-4", 0)], { timeMs: timeMs + 1 }));
    const batches = [];
    for (const limit of [2, 0, 2, 2]) {
      batches.push(keysOf(await lease(store, timeMs + 2, limit)));
    }
    expect(batches).toEqual([["2 code", "3 a"], [], ["3 b", "4 code"], ["1 code"]]);
  });

  /** Has owners ask for messages, each a millisecond later than the one before. */
  async function askInTurn(store: Store, ...owners: string[]): Promise<void> {
    for (const [nth, owner] of owners.entries()) {
      const asked = asking(`thing-${owner}-${nth}`, 0, { owner });
      eventsOf(await store.append(append([asked], { timeMs: timeMs + nth })));
    }
  }

  /** Whose messages are leased, one at a time, and at which positions. */
  async function turnsOf(stores: readonly Store[], count: number, nowMs = timeMs + 100) {
    const turns = [];
    for (let nth = 0; nth < count; nth += 1) {
      const [leased] = await lease(stores[nth % stores.length]!, nowMs, 1);
      turns.push(`${leased?.event.owner} ${leased?.event.position}`);
    }
    return turns;
  }

  it("gives owners turns, and each what has been due there for longest", async () => {
    const stores = [await open(), await open()];
    await askInTurn(stores[0]!, "a", "a", "a", "a", "b", "c", "c");
    const turns = ["a 1", "b 5", "c 6", "a 2", "c 7", "a 3", "a 4"];
    expect(await turnsOf(stores, turns.length)).toEqual(turns);
    expect(await lease(stores[0]!, timeMs + 100)).toEqual([]);
  });

  it("gives turns to owners in one lease as in several", async () => {
    const store = await open();
    await askInTurn(store, "a", "a", "a", "b", "b");
    const expected = ["1 code", "4 code", "2 code", "5 code", "3 code"];
    expect(keysOf(await lease(store, timeMs + 100))).toEqual(expected);
  });

  it("lets an owner wait for one message of each who waits, not for their lines", async () => {
    const store = await open();
    await askInTurn(store, "a", "a", "a", "a", "b", "b", "b");
    expect(await turnsOf([store], 3)).toEqual(["a 1", "b 5", "a 2"]);
    const late = append([asking("thing-late", 0, { owner: "c" })], { timeMs: timeMs + 101 });
    eventsOf(await store.append(late));
    const turns = ["b 6", "a 3", "c 8", "b 7", "a 4"];
    expect(await turnsOf([store], turns.length, timeMs + 101)).toEqual(turns);
  });

  it("passes over nobody for the sake of those who come later", async () => {
    const store = await open();
    await askInTurn(store, "a", "a");
    const served = [];
    for (let nth = 0; nth < 4; nth += 1) {
      const owner = `later-${nth}`;
      const made = append([asking(owner, 0, { owner })], { timeMs: timeMs + 100 + nth });
      eventsOf(await store.append(made));
      served.push(...(await turnsOf([store], 1, timeMs + 100 + nth)));
    }
    expect(served).toEqual(["a 1", "later-0 3", "a 2", "later-1 4"]);
  });

  it.each([
    ["was sent", (position: bigint) => ({ settles: [{ position, field: "code" }] })],
    ["is wanted no more", () => ({ state: undefined, row: undefined })],
  ])("lets nothing wait for a clock that was ahead, once what that leased %s", async (_, end) => {
    const store = await open();
    await askInTurn(store, "a", "a", "b");
    const aheadMs = timeMs + 7_200_000;
    expect(keysOf(await lease(store, aheadMs, 1))).toEqual(["1 code"]);
    const ended = change("thing-a-0", 1, { owner: "a", ...end(1n) });
    eventsOf(await store.append(append([ended], { timeMs: timeMs + 100 })));
    expect(await turnsOf([store], 2)).toEqual(["b 3", "a 2"]);
  });

  it("counts turns for the messages of each type of event apart", async () => {
    const store = await open();
    const asks = (owner: string, type: string, nth: number) =>
      asking(`thing-${owner}-${type}-${nth}`, 0, { owner, events: [{ type, payload: "{}" }] });
    const mails = [asks("a", "mail", 1), asks("a", "mail", 2), asks("b", "mail", 3)];
    await store.append(append([asks("a", "sms", 4), ...mails, asks("b", "sms", 5)]));
    const leased = async (type: string) =>
      keysOf(await store.leaseMessages({ types: [type], nowMs: timeMs, leaseMs, limit: 1 }));
    expect([await leased("mail"), await leased("sms")]).toEqual([["2 code"], ["1 code"]]);
    expect([await leased("sms"), await leased("mail")]).toEqual([["5 code"], ["4 code"]]);
    expect(await leased("mail")).toEqual(["3 code"]);
  });

  it("gives a turn to who has something due, whatever else the owner has or had", async () => {
    const store = await open();
    await askInTurn(store, "a", "a", "b");
    // What is settled, postponed and leased leaves the turn to what is due.
    const settles = [{ position: 1n, field: "code" }];
    eventsOf(await store.append(append([change("thing-a-0", 1, { owner: "a", settles })])));
    const [second] = await lease(store, timeMs + 100, 1);
    await store.postponeMessage(second!, timeMs + leaseMs * 9);
    expect(await turnsOf([store], 2)).toEqual(["b 3", "undefined undefined"]);
    expect(await turnsOf([store], 1, timeMs + leaseMs * 9)).toEqual(["b 3"]);
    expect(await turnsOf([store], 1, timeMs + leaseMs * 9)).toEqual(["a 2"]);
  });

  it("leases only what events of the wanted types ask for", async () => {
    const store = await open();
    const asks = (stream: string, type: string) =>
      asking(stream, 0, { events: [{ type, payload: "{}" }] });
    await store.append(append([asks("thing-1", "mail.asked"), asks("thing-2", "sms.asked")]));
    const query = { nowMs: timeMs, leaseMs, limit: 9 };
    expect(await store.leaseMessages({ ...query, types: [] })).toEqual([]);
    expect(await store.leaseMessages({ ...query, types: ["mail", "sms.asked.twice"] })).toEqual([]);
    expect(keysOf(await store.leaseMessages({ ...query, types: ["sms.asked"] }))).toEqual([
      "2 code",
    ]);
    expect(keysOf(await store.leaseMessages(query))).toEqual(["1 code"]);
  });

  it.each<[string, Change[]]>([
    ["at another version", [asking("thing-2", 0), asking("thing-1", 0)]],
    ["for a claim", [asking("thing-2", 0, { take: [claim("name")] })]],
  ])("neither makes nor settles a message when the append is refused %s", async (_, changes) => {
    const store = await open();
    const take = [claim("name")];
    const [first] = eventsOf(await store.append(append([asking("thing-1", 0, { take })])));
    const settles = [{ position: first!.position, field: "code" }];
    const refused = await store.append(append(changes.map((each) => ({ ...each, settles }))));
    expect(refused.kind).not.toBe("appended");
    expect(keysOf(await lease(store, timeMs))).toEqual(["1 code"]);
  });

  it.each([1, -1])("rejects to ask for the message of event %d of 1", async (event) => {
    const store = await open();
    const messages = [{ event, field: "code" }];
    const wrong = append([change("thing-1", 0), change("thing-2", 0, { messages })]);
    await expect(store.append(wrong)).rejects.toThrow("thing-2 has no event");
    expect(await lease(store, timeMs)).toEqual([]);
    expect(await store.readAll(0n, 10)).toEqual([]);
  });

  it("leases no message that was settled, be it leased or not", async () => {
    const store = await open();
    await store.append(append([asking("thing-1", 0), asking("thing-2", 0), asking("thing-3", 0)]));
    expect(keysOf(await lease(store, timeMs, 1))).toEqual(["1 code"]);
    const settle = (position: bigint, field: string) => ({ settles: [{ position, field }] });
    eventsOf(
      await store.append(
        append([
          change("thing-1", 1, settle(1n, "code")),
          change("thing-2", 1, settle(2n, "code")),
          change("thing-3", 1, settle(3n, "another field")),
        ]),
      ),
    );
    expect(keysOf(await lease(store, timeMs + leaseMs))).toEqual(["3 code"]);
  });

  it("settles again without harm", async () => {
    const store = await open();
    const settles = [{ position: 1n, field: "code" }];
    await store.append(append([asking("thing-1", 0)]));
    eventsOf(await store.append(append([change("thing-1", 1, { settles })])));
    eventsOf(await store.append(append([change("thing-1", 2, { settles })])));
    expect(await lease(store, timeMs)).toEqual([]);
  });

  it("leaves no message of a thing that was removed", async () => {
    const store = await open();
    await store.append(append([asking("thing-1", 0), asking("thing-2", 0)]));
    const removal = { state: undefined, row: undefined };
    eventsOf(await store.append(append([asking("thing-1", 1, removal)])));
    expect(keysOf(await lease(store, timeMs))).toEqual(["2 code"]);
  });

  it("leases a message to one at a time, in whichever store", async () => {
    const stores = [await open(), await open()];
    await stores[0]!.append(append([asking("thing-1", 0)]));
    expect(keysOf(await lease(stores[0]!, timeMs))).toEqual(["1 code"]);
    for (const nowMs of [timeMs, timeMs + leaseMs - 1]) {
      for (const store of stores) expect(await lease(store, nowMs)).toEqual([]);
    }
  });

  it("leases a message again when its lease is over, and counts that", async () => {
    const [store, other] = [await open(), await open()];
    await store.append(append([asking("thing-1", 0)]));
    const [first] = await lease(store, timeMs);
    const [second] = await lease(other, timeMs + leaseMs);
    expect(second).toEqual({ ...first, attempts: 2 });
    expect(await lease(store, timeMs + 2 * leaseMs - 1)).toEqual([]);
  });

  it("shares messages among stores that lease at once, each to one of them", async () => {
    const stores = [await open(), await open()];
    const made = Array.from({ length: 40 }, (_, i) => asking(`thing-${i}`, 0));
    await stores[0]!.append(append(made));
    const batches = await Promise.all(
      stores.flatMap((store) => Array.from({ length: 10 }, () => lease(store, timeMs, 3))),
    );
    const positions = batches.flat().map(({ event }) => Number(event.position));
    expect(positions.sort((a, b) => a - b)).toEqual(made.map((_, i) => i + 1));
  });

  it.each([
    ["earlier than its lease ends", leaseMs / 2],
    ["later than its lease ends", leaseMs * 2],
  ])("leases a postponed message when it is due again, %s", async (_, laterMs) => {
    const store = await open();
    await store.append(append([asking("thing-1", 0), asking("thing-2", 0)]));
    const [message] = await lease(store, timeMs, 1);
    await store.postponeMessage(message!, timeMs + laterMs);
    expect(keysOf(await lease(store, timeMs + laterMs - 1))).toEqual(["2 code"]);
    expect(await lease(store, timeMs + laterMs)).toContainEqual({ ...message, attempts: 2 });
  });

  it("leases the only message of a line postponed to before its lease ends", async () => {
    const store = await open();
    await store.append(append([asking("thing-1", 0)]));
    const [message] = await lease(store, timeMs);
    await store.postponeMessage(message!, timeMs + leaseMs / 2);
    expect(await lease(store, timeMs + leaseMs / 2 - 1)).toEqual([]);
    expect(await lease(store, timeMs + leaseMs / 2)).toEqual([{ ...message, attempts: 2 }]);
  });

  it("takes a message for due that was put off for longer than anybody puts one off", async () => {
    const store = await open();
    await store.append(append([asking("thing-1", 0), asking("thing-2", 0)]));
    const [first, second] = await lease(store, timeMs);
    const pauseMaxMs = 10 * leaseMs;
    await store.postponeMessage(first!, timeMs + pauseMaxMs);
    await store.postponeMessage(second!, timeMs + pauseMaxMs + 1);
    const query = { nowMs: timeMs, leaseMs, limit: 9, pauseMaxMs };
    expect(await store.leaseMessages(query)).toEqual([{ ...second, attempts: 2 }]);
    expect(await store.leaseMessages(query)).toEqual([]);
    const later = { ...query, nowMs: timeMs + pauseMaxMs };
    expect(keysOf(await store.leaseMessages(later))).toEqual(["2 code", "1 code"]);
  });

  it("does not let an outdated lease move a message, nor bring a settled one back", async () => {
    const store = await open();
    await store.append(append([asking("thing-1", 0)]));
    const [outdated] = await lease(store, timeMs);
    const [current] = await lease(store, timeMs + leaseMs);
    await store.postponeMessage(outdated!, timeMs);
    expect(await lease(store, timeMs + 2 * leaseMs - 1)).toEqual([]);
    const settles = [{ position: 1n, field: "code" }];
    eventsOf(await store.append(append([change("thing-1", 1, { settles })])));
    await store.postponeMessage(current!, timeMs);
    expect(await lease(store, timeMs + 9 * leaseMs)).toEqual([]);
  });
}
