import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import type { Store } from "../../src/store/store.ts";
import { inOrderMax, inTurns } from "../../src/store/turns.ts";

/** Reads of a store that only notes them. */
function noted() {
  const reads: string[] = [];
  const list = async ({ kind }: { readonly kind: string }) => void reads.push(kind);
  const search = async ({ after }: { readonly after: bigint }) => void reads.push(String(after));
  return { reads, store: inTurns({ list, search } as unknown as Store) };
}

const page = (kind: string) => ({ kind }) as Parameters<Store["list"]>[0];
const events = (after: bigint, more = {}) => ({ after, ...more }) as Parameters<Store["search"]>[0];

test("a page is read at once, and those that come with it one in each turn", async () => {
  const { reads, store } = noted();
  const all = [
    ...["a", "b"].map((kind) => store.list(page(kind))),
    store.search(events(1n)),
    store.list(page("c")),
  ];
  const seen: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    await Promise.resolve();
    seen.push(reads.length);
    await nextTurn();
  }
  expect(seen).toEqual([1, 2, 3, 4, 4, 4]);
  expect(reads).toEqual(["a", "b", "1", "c"]);
  await Promise.all(all);
  await store.list(page("d"));
  expect(reads.at(-1)).toBe("d");
});

test("a page of events that is small by what is asked for waits for nobody", async () => {
  const { reads, store } = noted();
  const all = [1n, 2n, 3n].map((after) => store.search(events(after, { payloadBytes: 100 })));
  await Promise.all(all);
  expect(reads).toHaveLength(3);
});

test("pages of several askers are read in turn, and none that nobody waits for", async () => {
  const { reads, store } = noted();
  const over = new AbortController();
  const ask = (name: string, kind: string, { signal } = new AbortController()) =>
    store.list({ ...page(kind), asker: { name, signal } });
  const many = ["1", "2", "3"].map((nth) => ask("many", nth));
  const gone = [ask("gone", "4", over), ask("gone", "5", over)];
  const few = [ask("few", "6"), ask("few", "7")];
  over.abort(new Error("gone"));
  expect((await Promise.allSettled(gone)).map(({ status }) => status)).toEqual([
    "rejected",
    "rejected",
  ]);
  await Promise.all([...many, ...few]);
  expect(reads).toEqual(["1", "2", "6", "3", "7"]);
});

test.each([
  [inOrderMax + 1, "first"],
  [inOrderMax + 2, "last"],
])("of %i pages, one of them being read, the %s is next", async (count, next) => {
  const { reads, store } = noted();
  const all = Array.from({ length: count }, (_, nth) => store.list(page(String(nth))));
  await nextTurn();
  await Promise.resolve();
  expect(reads).toEqual(["0", next === "first" ? "1" : String(count - 1)]);
  await Promise.all(all);
});
