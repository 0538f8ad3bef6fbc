import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Recipe } from "../../../src/secrets/passwords/encoded.ts";
import { createThread, type Thread } from "../../../src/secrets/passwords/thread.ts";

const password = Buffer.from("s");
const digest = "YgmLTApYTv12qgTwBoj8i/";
const recipe: Recipe = { family: "md5-crypt", salt: "ssssssss" };
/** A hash function that does not exist: the thread dies of it, with an error that quotes it. */
const deadly: Recipe = JSON.parse(
  '{ "family": "sha-crypt", "hash": "S3cr3t", "rounds": 1, "salt": "" }',
);

let thread: Thread;
beforeEach(() => {
  thread = createThread();
});
afterEach(() => thread.close());

describe("the hashing thread", () => {
  test("answers each of many with its own digest", async () => {
    const salts = Array.from({ length: 20 }, (_, index) => String(index));
    const derive = async (salt: string) =>
      text(await thread.derive({ family: "md5-crypt", salt }, password));
    const together = await Promise.all(salts.map(derive));
    expect(new Set(together).size).toBe(20);
    const apart: string[] = [];
    for (const salt of salts) apart.push(await derive(salt));
    expect(together).toEqual(apart);
  });

  test("rejects what it dies of, without quoting it, and starts again for the next", async () => {
    for (let round = 0; round < 2; round += 1) {
      const error: unknown = await thread.derive(deadly, password).catch((reason) => reason);
      expect(String(error)).toBe("Error: the hashing thread ended: Error");
      expect(text(await thread.derive(recipe, password))).toBe(digest);
    }
  });

  test("rejects what it has not done when it is closed, and everything after", async () => {
    const slow: Recipe = { family: "phpass", roundsLog2: 18, salt: "saltsalt" };
    const pending = expect(thread.derive(slow, password)).rejects.toThrow("ended: closed");
    await thread.close();
    await pending;
    await expect(thread.derive(recipe, password)).rejects.toThrow("the hashing thread is closed");
    await thread.close();
  });

  test("gives way to the event loop, whose own priority stays", async () => {
    const before = getPriority();
    await thread.derive(recipe, password);
    expect(getPriority()).toBe(before);
    const isLinux = process.platform === "linux";
    const lowered = Math.min(before + 10, 19);
    expect(prioritiesOfThreads().includes(lowered)).toBe(isLinux);
  });

  test("keeps a process alive while it works, and no longer", async () => {
    const child = join(import.meta.dirname, "thread-child.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [child]);
    expect(stdout).toBe("true");
  });
});

/** The nice values of this process's threads, as Linux says them (proc(5)). */
function prioritiesOfThreads(): readonly number[] {
  if (process.platform !== "linux") return [];
  const nice = (id: string) => {
    const stat = readFileSync(`/proc/self/task/${id}/stat`, "utf8");
    // The second field, in parentheses, may have spaces; nice is the 19th.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
  };
  return readdirSync("/proc/self/task").map(nice);
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
