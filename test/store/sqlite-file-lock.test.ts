import { stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { openFileLock } from "../../src/store/sqlite/file-lock.ts";
import { inDirectory } from "../harness/process.ts";

test("a lock is held by one at a time, no matter who asks, and comes free after a failure", () =>
  inDirectory(async (directory) => {
    const path = join(directory, "a.lock");
    const locks = [openFileLock(path), openFileLock(path)];
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await pause(2);
      inside -= 1;
      return "done";
    };
    const failing = locks.map((lock) => lock.alone(() => Promise.reject(new Error("no"))));
    const working = [0, 1, 0, 1].map((one) => locks[one]!.alone(work));
    for (const one of failing) await expect(one).rejects.toThrow(/^no$/);
    expect(await Promise.all(working)).toEqual(["done", "done", "done", "done"]);
    expect(most).toBe(1);
    expect((await stat(path)).size).toBe(0);
    for (const lock of locks) lock.close();
  }));

test("it can be opened and waited for while another has it", () =>
  inDirectory(async (directory) => {
    const path = join(directory, "a.lock");
    const first = openFileLock(path);
    const held = Promise.withResolvers<void>();
    const holding = first.alone(() => held.promise);
    await pause(1);
    const second = openFileLock(path);
    const waiting = second.alone(async () => "mine");
    await pause(1);
    held.resolve();
    await holding;
    expect(await waiting).toBe("mine");
    for (const lock of [first, second]) lock.close();
  }));
