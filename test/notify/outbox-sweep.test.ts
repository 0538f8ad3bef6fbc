import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { registerLimits } from "../../src/domain/registration/pending.ts";
import { outboxKeptMs, startSweeping } from "../../src/notify/channel/outbox-sweep.ts";
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
      const type = after === 21n ? "registration.requested" : event.type;
      return after < 30n ? [{ ...event, type, position: after + 1n, payload }] : [];
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
    "13-code.d1.sms.txt": old,
    "14-code.d1.eml.0123456789abcdef": old,
    "15-code.d1.eml": outboxKeptMs,
    "16-code.eml": 0,
    "17-code.eml": -old,
    "notes.txt": old,
  };
  const left = ["15-code.d1.eml", "16-code.eml", "17-code.eml", "notes.txt"];
  expect(await swept(files)).toEqual({ left, lines: [] });
});

test("what was for somebody who was erased is removed at the next look", async () => {
  const files = { "20-code.eml": 0, "21-code.eml": 0, "21-code.d1.sms.txt": 0, "31-code.eml": 0 };
  expect((await swept(files)).left).toEqual(["20-code.eml", "31-code.eml"]);
});

test("the mail of a registration is removed once its code is no longer valid", async () => {
  const { codeMs } = registerLimits;
  const mails = { "22-mail.d1.eml": codeMs, "22-mail.d2.eml": codeMs + 1_000 };
  const old = { ...mails, "23-code.eml": codeMs + 1_000 };
  expect((await swept(old)).left).toEqual(["22-mail.d1.eml", "23-code.eml"]);
});

test("where nothing was ever written, nothing is said", async () => {
  expect(await swept({}, "elsewhere")).toEqual({ left: [], lines: [] });
});

test("what cannot be read is said, and stops nothing", async () => {
  const { lines } = await swept({ outbox: 0 }, ".");
  expect(lines).toEqual(["the outbox cannot be cleaned up"]);
});

test("each erasure causes a look, and all during a look cause one more", async () => {
  await inDirectory(async (directory) => {
    const erased = new Set<bigint>();
    let looked: (position: bigint) => void = () => {};
    let reads = 0;
    const readAll = async (after: bigint) => {
      const position = after + 1n;
      const found = { ...event, position, payload: erased.has(position) ? "" : "{}" };
      reads += 1;
      looked(position);
      return [found];
    };
    let heard: () => unknown = () => {};
    const listen = (hears: () => void) => {
      heard = hears;
    };
    const names = ["7-code.eml", "8-code.eml", "9-code.eml"];
    for (const name of names) await writeFile(join(directory, name), "a code");
    const log = { warn: () => {} };
    const sweeping = { outbox: directory, store: { readAll }, listen, now: () => Date.now(), log };
    const stop = await startSweeping(sweeping);
    expect(reads).toBe(3);
    erased.add(7n);
    await heard();
    expect((await readdir(directory)).sort()).toEqual(["8-code.eml", "9-code.eml"]);

    // Erased just after the look has passed, by who asks for another one.
    reads = 0;
    looked = (position) => {
      looked = () => {};
      erased.add(position);
      for (let asked = 0; asked < 5; asked += 1) heard();
    };
    await heard();
    expect(await readdir(directory)).toHaveLength(1);
    expect(reads).toBe(4);
    erased.add(8n).add(9n);
    heard();
    await stop();
    expect(await readdir(directory)).toEqual([]);
  });
});
