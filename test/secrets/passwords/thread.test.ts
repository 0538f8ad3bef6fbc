import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ThreadRecipe } from "../../../src/secrets/passwords/encoded.ts";
import { createThread, type Thread } from "../../../src/secrets/passwords/thread.ts";

const password = Buffer.from("s");
const digest = "YgmLTApYTv12qgTwBoj8i/";
const recipe: ThreadRecipe = { family: "md5-crypt", salt: "ssssssss" };
/** A hash function that does not exist: the thread dies of it, with an error that quotes it. */
const deadly: ThreadRecipe = JSON.parse(
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
    const slow: ThreadRecipe = { family: "phpass", roundsLog2: 18, salt: "saltsalt" };
    const pending = expect(thread.derive(slow, password)).rejects.toThrow("ended: closed");
    await thread.close();
    await pending;
    await expect(thread.derive(recipe, password)).rejects.toThrow("the hashing thread is closed");
    await thread.close();
  });

  test("keeps a process alive while it works, and no longer", async () => {
    const child = join(import.meta.dirname, "thread-child.ts");
    const { stdout } = await promisify(execFile)(process.execPath, [child]);
    expect(stdout).toBe("true");
  });
});

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}
