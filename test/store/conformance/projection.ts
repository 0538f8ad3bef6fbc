import { expect, it } from "@jest/globals";
import type { LeasedMessage } from "../../../src/store/message.ts";
import type { Projector } from "../../../src/store/projector.ts";
import type { Store } from "../../../src/store/store.ts";
import {
  claim,
  eventsOf,
  keysOf,
  lease,
  leaseMs,
  listed,
  live,
  readLog,
  record,
  things,
  timeMs,
} from "../fixture.ts";
import type { Open } from "./place.ts";

/** What follows from the log does so by the projector with which the store is opened. */
export function projectionCases(open: Open): void {
  it("makes the same objects and claims from the log as the appends did", async () => {
    const store = await open(things(1));
    await live(store);
    const before = await everything(store);
    await store.close();
    const rebuilt = await open(things(2));
    expect(await everything(rebuilt)).toEqual(before);
    const renamed = await record(rebuilt, "thing-3", [["renamed", { name: "Delta" }]]);
    expect(eventsOf(renamed)).toMatchObject([{ version: 6 }]);
    expect(await rebuilt.find(claim("gamma"))).toBeUndefined();
  });

  it("makes the same messages from the log as the appends did, due when they were", async () => {
    const store = await open(things(1));
    await live(store);
    const pending = await lease(store, timeMs + 100);
    expect(keysOf(pending)).toEqual(["14 code", "12 code"]);
    await store.postponeMessage(pending[1]!, timeMs + 10 * leaseMs);
    await store.close();
    const rebuilt = await open(things(2));
    const again = ({ attempts, ...message }: LeasedMessage) => {
      return { ...message, attempts: attempts + 1 };
    };
    expect(await lease(rebuilt, timeMs + 99 + leaseMs)).toEqual([]);
    expect(await lease(rebuilt, timeMs + 100 + leaseMs)).toEqual([again(pending[0]!)]);
    expect(await lease(rebuilt, timeMs + 10 * leaseMs)).toContainEqual(again(pending[1]!));
  });

  it("makes a message due at the time of its event", async () => {
    const store = await open(things(1));
    eventsOf(await record(store, "thing-1", [["added", { name: "Alpha" }]]));
    eventsOf(await record(store, "thing-1", [["asked", {}]]));
    eventsOf(await record(store, "thing-1", [["renamed", { name: "Beta" }]]));
    await store.close();
    const rebuilt = await open(things(2));
    expect(await lease(rebuilt, timeMs)).toEqual([]);
    expect(keysOf(await lease(rebuilt, timeMs + 1))).toEqual(["2 code"]);
  });

  it("makes other objects and claims when the projector is another one", async () => {
    const store = await open(things(1));
    await live(store);
    await store.close();
    const rebuilt = await open(shouting(2));
    const { objects } = await listed(rebuilt, { kind: "THING", offset: 0, limit: 10 });
    expect(objects.map(({ stream }) => stream)).toEqual(["thing-3", "thing-4"]);
    expect((await listed(rebuilt, { kind: "thing", offset: 0, limit: 10 })).total).toBe(0);
    expect(await rebuilt.find(claim("gamma"))).toBeUndefined();
    expect(await rebuilt.find(claim("GAMMA"))).toBe("thing-3");
  });

  it("leaves the log as it is", async () => {
    const store = await open(things(1));
    await live(store);
    const log = await readLog(store);
    await store.close();
    expect(await readLog(await open(shouting(2)))).toEqual(log);
  });

  it("does not project again at the same revision", async () => {
    const store = await open(things(1));
    await live(store);
    const before = await everything(store);
    await store.close();
    expect(await everything(await open(shouting(1)))).toEqual(before);
  });

  it("refuses a revision lower than the stored one and changes nothing", async () => {
    const store = await open(things(2));
    await live(store);
    const before = await everything(store);
    await store.close();
    await expect(open(shouting(1))).rejects.toThrow(
      /projection revision 2.*newer version of the program/,
    );
    expect(await everything(await open(things(2)))).toEqual(before);
  });
}

async function everything(store: Store) {
  const where = { kind: "text", field: "name", method: "contains", value: "AMM" } as const;
  const gammas = { kind: "thing", where: { ...where, ignoreCase: true }, offset: 0, limit: 10 };
  const names = ["alpha", "beta", "gamma", "epsilon"];
  const claims = ["org-1", "org-2"].flatMap((scope) => names.map((name) => claim(name, scope)));
  return {
    loaded: await store.load(["thing-1", "thing-2", "thing-3", "thing-4", "thing-5"]),
    listed: await listed(store, { kind: "thing", offset: 0, limit: 10 }),
    children: await listed(store, { kind: "thing", parents: ["p-1"], offset: 0, limit: 10 }),
    sorted: await listed(store, { kind: "thing", sortBy: "name", offset: 0, limit: 10 }),
    found: await listed(store, gammas),
    members: await store.holders({ kind: "name", scope: "org-1" }, 10),
    holders: await Promise.all(claims.map((each) => store.find(each))),
  };
}

function shouting(revision: number): Projector {
  return {
    revision,
    project: (events) => {
      const { state, row, claims, messages } = things().project(events);
      return {
        state,
        messages,
        row: row && { ...row, kind: row.kind.toUpperCase() },
        claims: claims.map((each) => ({ ...each, value: each.value.toUpperCase() })),
      };
    },
  };
}
