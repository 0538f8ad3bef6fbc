import { expect, it } from "@jest/globals";
import type { Claim, ClaimGroup } from "../../../src/event.ts";
import type { Append, Store } from "../../../src/store/store.ts";
import { append, change, claim, eventsOf } from "../fixture.ts";
import type { Open } from "./place.ts";

const group: ClaimGroup = { kind: "role", scope: "org-1" };
const role = (value: string, rest: Partial<Claim> = {}) => ({ ...group, value, ...rest });

/** An append of a stream that takes a role, relying on how many streams have one. */
function joining(stream: string, total: number, rest: Partial<Append> = {}): Append {
  const take = [role(stream)];
  return append([change(stream, 0, { take })], { tallies: [{ ...group, total }], ...rest });
}

/** Who holds claims of a group, and appends that rely on how many these are. */
export function tallyCases(open: Open): void {
  /** Three streams hold roles of the group, one of them two; others hold what is close to it. */
  async function fill(store: Store): Promise<void> {
    const made = [
      change("thing-c", 0, { take: [role("owner"), role("reader"), role("x", { scope: "org" })] }),
      change("thing-a", 0, { take: [role("writer")] }),
      change("thing-B", 0, { take: [role("tester"), role("y", { kind: "ROLE" })] }),
      change("thing-d", 0, { take: [role("owner", { scope: "org-2" })] }),
      change("thing-e", 0, { take: [role("owner", { kind: "name" })] }),
    ];
    eventsOf(await store.append(append(made)));
  }

  it("says how many streams hold claims of a group, and names the first", async () => {
    const store = await open();
    expect(await store.holders(group, 9)).toEqual({ total: 0, streams: [] });
    await fill(store);
    const streams = ["thing-c", "thing-a", "thing-B"];
    for (const limit of [0, 1, 2, 3, 4]) {
      const expected = { total: 3, streams: streams.slice(0, limit) };
      expect(await store.holders(group, limit)).toEqual(expected);
    }
    const other = { ...group, scope: "org-2" };
    expect(await store.holders(other, 9)).toEqual({ total: 1, streams: ["thing-d"] });
    expect(await store.holders({ ...group, scope: "" }, 9)).toEqual({ total: 0, streams: [] });
  });

  it.each<[prefix: string, streams: string[]]>([
    ["", ["thing-c", "thing-a", "thing-B"]],
    ["r", ["thing-c"]],
    ["reader", ["thing-c"]],
    ["readers", []],
    ["W", []],
    ["w", ["thing-a"]],
    ["%", []],
    ["\u{10ffff}", ["thing-a"]],
    ["a".repeat(200), ["thing-c", "thing-B"]],
    ["a".repeat(201), ["thing-B"]],
    [`${"a".repeat(201)}\n`, ["thing-B"]],
    ["\0", ["thing-a"]],
  ])("says who holds those that begin with %j", async (prefix, streams) => {
    const store = await open();
    await fill(store);
    const more = [
      change("thing-c", 1, { take: [role("a".repeat(200))] }),
      change("thing-B", 1, { take: [role(`${"a".repeat(201)}\n`)] }),
      change("thing-a", 1, { take: [role("\u{10ffff}\u{10ffff}"), role("\0a")] }),
    ];
    eventsOf(await store.append(append(more)));
    const holders = { total: streams.length, streams };
    expect(await store.holders({ ...group, prefix }, 9)).toEqual(holders);
    expect((await store.holders({ ...group, prefix }, 0)).total).toBe(streams.length);
  });

  it("forgets a stream with the last claim that it released", async () => {
    const store = await open();
    await fill(store);
    await store.append(append([change("thing-c", 1, { release: [role("owner")] })]));
    expect((await store.holders(group, 9)).total).toBe(3);
    await store.append(append([change("thing-c", 2, { release: [role("reader")] })]));
    expect(await store.holders(group, 9)).toEqual({ total: 2, streams: ["thing-a", "thing-B"] });
  });

  it("appends when as many streams hold claims as it relied on", async () => {
    const store = await open();
    await fill(store);
    eventsOf(await store.append(joining("thing-1", 3)));
    eventsOf(await store.append(joining("thing-2", 4)));
    const tallies = [
      { ...group, total: 5 },
      { kind: "role", scope: "org-2", total: 1 },
      { kind: "none", scope: "", total: 0 },
    ];
    eventsOf(await store.append(append([change("thing-3", 0)], { tallies })));
  });

  it.each([0, 2, 4])("refuses when %d were relied on and there are 3", async (total) => {
    const store = await open();
    await fill(store);
    const tallies = [
      { kind: "role", scope: "org-2", total: 1 },
      { ...group, total },
    ];
    const refused = await store.append(joining("thing-1", 3, { tallies }));
    expect(refused).toEqual({ kind: "tally-conflict", group });
    expect(await store.find(role("thing-1"))).toBeUndefined();
    expect(await store.load(["thing-1"])).toMatchObject([{ version: 0 }]);
    expect(await store.readAll(5n, 9)).toEqual([]);
  });

  it("counts before the append takes and releases", async () => {
    const store = await open();
    await fill(store);
    const changes = [
      change("thing-a", 1, { release: [role("writer")] }),
      change("thing-B", 1, { release: [role("tester")] }),
    ];
    const made = (total: number) => append(changes, { tallies: [{ ...group, total }] });
    expect(await store.append(made(1))).toEqual({ kind: "tally-conflict", group });
    eventsOf(await store.append(made(3)));
    expect((await store.holders(group, 9)).total).toBe(1);
  });

  it("answers with the version first, then with the tally, then with the claim", async () => {
    const store = await open();
    await fill(store);
    const take = [role("owner")];
    const made = (expected: number, total: number) =>
      append([change("thing-a", expected, { take })], { tallies: [{ ...group, total }] });
    expect((await store.append(made(0, 9))).kind).toBe("version-conflict");
    expect((await store.append(made(1, 9))).kind).toBe("tally-conflict");
    expect((await store.append(made(1, 3))).kind).toBe("claim-taken");
  });

  it("sees what another append of the same turn took", async () => {
    const store = await open();
    await fill(store);
    const [first, second, third] = await Promise.all([
      store.append(joining("thing-1", 3)),
      store.append(joining("thing-2", 3)),
      store.append(joining("thing-3", 4)),
    ]);
    eventsOf(first);
    expect(second).toEqual({ kind: "tally-conflict", group });
    eventsOf(third);
  });

  it("lets the last of several holders stay, no matter who leaves at the same time", async () => {
    const stores = [await open(), await open()];
    const members = Array.from({ length: 8 }, (_, i) => `thing-${i}`);
    const made = members.map((stream) => change(stream, 0, { take: [role(stream)] }));
    await stores[0]!.append(append([...made, change("thing-8", 0, { take: [claim("free")] })]));
    const leave = async (stream: string, store: Store): Promise<string> => {
      for (;;) {
        const { total } = await store.holders(group, 0);
        if (total === 1) return "stayed";
        const release = [role(stream)];
        const tallies = [{ ...group, total }];
        const result = await store.append(append([change(stream, 1, { release })], { tallies }));
        if (result.kind === "appended") return "left";
      }
    };
    const ends = await Promise.all(members.map((stream, i) => leave(stream, stores[i % 2]!)));
    expect(ends.filter((end) => end === "stayed")).toHaveLength(1);
    expect((await stores[0]!.holders(group, 9)).total).toBe(1);
  });
}
