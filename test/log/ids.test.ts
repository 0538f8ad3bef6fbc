import { expect, test } from "@jest/globals";
import { validate, version } from "uuid";
import { createIds } from "../../src/log/ids.ts";

/** Ids at these times, with the same random bytes for each. */
function idsAt(times: readonly number[], byte: number): readonly string[] {
  const clock = times.values();
  const newId = createIds(
    () => clock.next().value!,
    (size) => new Uint8Array(size).fill(byte),
  );
  return times.map(newId);
}

test.each<[string, readonly number[], number]>([
  ["at different times", [5, 6, 900], 7],
  ["in one millisecond", Array.from({ length: 1_000 }, () => 5), 0],
  ["in one millisecond, from the highest number", Array.from({ length: 1_000 }, () => 5), 255],
  ["while the clock is set back", [1_000, 1_000, 10, 10, 999, 1_000, 1_001], 127],
])("each id sorts after those before it: %s", (_, times, byte) => {
  const ids = idsAt(times, byte);
  expect(ids).toEqual([...new Set(ids)].sort());
  for (const id of ids) expect([validate(id), version(id)]).toEqual([true, 7]);
});

test("the first id of a millisecond says when it was made", () => {
  const [id = ""] = idsAt([1_700_000_000_123], 9);
  expect(Number.parseInt(id.replace("-", "").slice(0, 12), 16)).toBe(1_700_000_000_123);
});
