import { createSecretKey, randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { readEntries, readEntriesLimits } from "../../src/log/read-entries.ts";
import { createEntrySeal } from "../../src/store/chain/erasure-entry.ts";

const log = "of-the-test";
const own = createEntrySeal(createSecretKey(randomBytes(32)));
const strange = createEntrySeal(createSecretKey(randomBytes(32)));
const entry = { log, user: "1", position: 7n, timeMs: 1_800_000_000_000 };
const [sealed, forged] = [own.seal(entry), strange.seal(entry)];
const ofOther = own.seal({ ...entry, log: "another" });

/** What is read of lines, and what is told meanwhile. */
async function read(lines: readonly string[], of: { log?: string; seal?: typeof own } = {}) {
  const told: string[] = [];
  const progress = (line: string) => void told.push(line);
  const { entries, forged: found } = await readEntries(lines.join("\n"), {
    ...{ log: of.log, seal: of.seal, progress },
  });
  return { users: entries.map(({ log: ofLog, user }) => `${ofLog} ${user}`), forged: found, told };
}

test("entries that the key of the log sealed are read, and equal lines once", async () => {
  const lines = [sealed, forged, forged, ofOther, "{}", "", sealed, sealed.slice(0, 90)];
  const seal = own;
  expect(await read(lines, { log, seal })).toEqual({ users: [`${log} 1`], forged: 1, told: [] });
  expect(await read([sealed, ofOther], { seal })).toMatchObject({
    users: [`${log} 1`, "another 1"],
  });
  const unproved = await read([sealed, forged], { log });
  expect(unproved).toMatchObject({ users: [`${log} 1`, `${log} 1`], forged: 0 });
});

test("a long list is told of as it is read", async () => {
  const { toldEvery } = readEntriesLimits;
  const linesOf = (count: number) => Array.from({ length: count }, () => "no entry");
  expect((await read(linesOf(toldEvery - 1))).told).toEqual([]);
  const what = `reading ${toldEvery} lines of the list of erasures`;
  expect((await read(linesOf(toldEvery))).told).toEqual([what]);
  const longer = `reading ${toldEvery + 1} lines of the list of erasures`;
  expect((await read(linesOf(toldEvery + 1))).told).toEqual([longer, `${longer}: ${toldEvery}`]);
});

test("others have their turn after so many lines", async () => {
  const { atOnce } = readEntriesLimits;
  for (const count of [atOnce - 1, atOnce]) {
    let turns = 0;
    setImmediate(() => {
      turns += 1;
    });
    await read(Array.from({ length: count }, () => sealed));
    expect(turns).toBe(count < atOnce ? 0 : 1);
  }
});
