import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { outboxKeptMs, startSweeping } from "../../src/notify/sweep.ts";
import { inDirectory } from "../harness/process.ts";

const nowMs = 1_800_000_000_000;

const event = {
  ...{ stream: "user-1", version: 1, type: "user.human.initialization.code.added" },
  ...{ owner: "o", actor: "a", timeMs: 0, link: new Uint8Array(32) },
};

/** What lies there after a look, of files by name and age, and what was logged. */
function swept(files: Readonly<Record<string, number>>, folder = "outbox") {
  return inDirectory(async (parent) => {
    const directory = join(parent, "outbox");
    await mkdir(join(parent, folder), { recursive: true });
    for (const [name, ageMs] of Object.entries(files)) {
      const path = join(parent, folder, name);
      await writeFile(path, "a code");
      await utimes(path, new Date(nowMs - ageMs), new Date(nowMs - ageMs));
    }
    const lines: string[] = [];
    const log = { warn: (_: object, message: string) => void lines.push(message) };
    // The event at position 21 was erased, and behind 30 there is none.
    const readAll = async (after: bigint) => {
      const { payload } = { payload: after === 20n ? "" : "{}" };
      return after < 30n ? [{ ...event, position: after + 1n, payload }] : [];
    };
    const listen = () => {};
    const now = () => nowMs;
    const stop = await startSweeping({ outbox: directory, store: { readAll }, listen, now, log });
    await stop();
    return { left: (await readdir(join(parent, folder))).sort(), lines };
  });
}

test("what was written more than a week ago is removed, and nothing else", async () => {
  const old = outboxKeptMs + 1_000;
  const files = {
    "12-code.eml": old,
    "13-code.sms.txt": old,
    "14-code.eml.0123456789abcdef": old,
    "15-code.eml": outboxKeptMs,
    "16-code.eml": 0,
    "17-code.eml": -old,
    "notes.txt": old,
  };
  const left = ["15-code.eml", "16-code.eml", "17-code.eml", "notes.txt"];
  expect(await swept(files)).toEqual({ left, lines: [] });
});

test("what was for somebody who was erased is removed at the next look", async () => {
  const files = { "20-code.eml": 0, "21-code.eml": 0, "21-code.sms.txt": 0, "31-code.eml": 0 };
  expect((await swept(files)).left).toEqual(["20-code.eml", "31-code.eml"]);
});

test("where nothing was ever written, nothing is said", async () => {
  expect(await swept({}, "elsewhere")).toEqual({ left: [], lines: [] });
});

test("what cannot be read is said, and stops nothing", async () => {
  const { lines } = await swept({ outbox: 0 }, ".");
  expect(lines).toEqual(["the outbox cannot be cleaned up"]);
});

test("whenever somebody is erased, one look follows those that were asked for before", async () => {
  await inDirectory(async (directory) => {
    const erased = new Set<bigint>();
    let reads = 0;
    const readAll = async (after: bigint) => {
      reads += 1;
      return [{ ...event, position: after + 1n, payload: erased.has(after + 1n) ? "" : "{}" }];
    };
    const put = (name: string) => writeFile(join(directory, name), "a code");
    let heard: () => unknown = () => {};
    const listen = (hears: () => void) => {
      heard = hears;
    };
    await Promise.all(["7-code.eml", "8-code.eml", "9-code.eml"].map(put));
    const log = { warn: () => {} };
    const sweeping = { outbox: directory, store: { readAll }, listen, now: () => Date.now(), log };
    const stop = await startSweeping(sweeping);
    expect(reads).toBe(3);
    erased.add(7n);
    await heard();
    expect(await readdir(directory)).toEqual(["8-code.eml", "9-code.eml"]);
    reads = 0;
    const looking = [heard(), heard(), heard()];
    erased.add(8n);
    heard();
    await Promise.all(looking);
    expect(await readdir(directory)).toEqual(["9-code.eml"]);
    expect(reads).toBeLessThanOrEqual(3);
    erased.add(9n);
    heard();
    await stop();
    expect(await readdir(directory)).toEqual([]);
  });
});
