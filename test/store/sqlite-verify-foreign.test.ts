import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";

let place: DamagePlace;
let path: string;

beforeEach(async () => {
  place = await damagePlace();
  path = await place.copy();
});
afterEach(() => place.remove());

describe("what others made is told apart from an event log, and left as it is:", () => {
  test.each([
    ["an empty file", ""],
    ["somebody else's database", "CREATE TABLE customers (name TEXT)"],
    ["one with a number", "CREATE TABLE customers (name TEXT); PRAGMA user_version = 1"],
  ])("%s, which verify names", async (_, sql) => {
    await writeFile(path, "");
    damage(path, sql);
    const before = await readFile(path);
    const { lines } = await verified(path);
    expect(lines).toEqual([expect.stringContaining("it is no event log of this service")]);
    await expect(rebuilt(path)).rejects.toThrow("is no event log");
    expect(await readFile(path)).toEqual(before);
  });

  test("a trigger, which may change what is written", async () => {
    damage(path, "CREATE TRIGGER loss AFTER INSERT ON claims BEGIN DELETE FROM claims; END");
    expect((await verified(path)).lines).toEqual([expect.stringContaining("trigger loss")]);
  });
});
