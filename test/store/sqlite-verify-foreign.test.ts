import { readFile, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { things } from "./fixture.ts";
import { sealing } from "./keys.ts";
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

  test.each([
    ["loss", "loss"],
    ["a name; with \u0007", '"a name; with \\u0007"'],
  ])("a trigger, which may change what is written: %j", async (name, told) => {
    const [quoted, what] = [`"${name}"`, `the trigger ${told} is not of this service`];
    damage(path, `CREATE TRIGGER ${quoted} BEFORE INSERT ON events BEGIN SELECT 1; END`);
    const before = await readFile(path);
    expect((await verified(path)).lines).toEqual([`file: ${what}: it may change what is written`]);
    for (const opening of [opened(), rebuilt(path)]) await expect(opening).rejects.toThrow(what);
    expect(await readFile(path)).toEqual(before);
    damage(path, `DROP TRIGGER ${quoted}`);
    await (await opened()).close();
  });

  test.each([
    [10, "t10 is not of this service: it may change what is written. Find out who did"],
    [11, "t10 is not of this service: it may change what is written; and 1 more. Find out"],
  ])("%d triggers, of which ten are named", async (count, told) => {
    const numbers = Array.from({ length: count }, (_, i) => i + 1);
    const trigger = (number: number) =>
      `CREATE TRIGGER t${number} AFTER DELETE ON claims BEGIN SELECT 1; END`;
    damage(path, numbers.map(trigger).join(";"));
    await expect(opened()).rejects.toThrow(told);
  });
});

const opened = () => openSqlite({ path, projector: things(), ...sealing });
