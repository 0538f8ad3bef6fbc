import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { ParsedHash } from "../../../src/secrets/passwords/encoded.ts";
import { createThreads, type Threads } from "../../../src/secrets/passwords/threads.ts";
import { inFull } from "../../harness/in-full.ts";

const password = Buffer.from("s");
/** The digest of "s" with the salt of `right`. */
const expected = Buffer.from("YgmLTApYTv12qgTwBoj8i/");
const right: ParsedHash = { family: "md5-crypt", salt: "ssssssss", expected };
/** A hash function that does not exist: what is thrown quotes it. */
const deadly: ParsedHash = JSON.parse(
  '{ "family": "sha-crypt", "hash": "S3cr3t", "rounds": 1, "salt": "" }',
);

let threads: Threads;
beforeEach(() => {
  threads = createThreads(1, 20);
});
afterEach(() => threads.close());

describe("hashing threads", () => {
  inFull("answer each of many with its own hash", async () => {
    const salts = Array.from({ length: 20 }, (_, index) => Buffer.alloc(16, index));
    const hash = (salt: Uint8Array) => threads.hash({ password, salt });
    const together = await Promise.all(salts.map(hash));
    expect(new Set(together).size).toBe(20);
    const apart: string[] = [];
    for (const salt of salts) apart.push(await hash(salt));
    expect(together).toEqual(apart);
  });

  test("reject what cannot be derived, without quoting it, and go on with the next", async () => {
    for (let round = 0; round < 2; round += 1) {
      const error: unknown = await threads
        .verify({ password, hash: deadly })
        .catch((reason) => reason);
      expect(String(error)).toBe("Error: a hashing thread ended: Error");
      expect(await threads.verify({ password, hash: right })).toBe(true);
    }
  });

  inFull("reject what they have not done when they are closed, and everything after", async () => {
    const slow: ParsedHash = { family: "phpass", roundsLog2: 18, salt: "saltsalt", expected };
    const pending = expect(threads.verify({ password, hash: slow })).rejects.toThrow(
      "ended: closed",
    );
    await threads.close();
    await pending;
    await expect(threads.verify({ password, hash: right })).rejects.toThrow(
      "the hashing threads are closed",
    );
    await threads.close();
  });

  inFull("give way to the event loop, whose own priority stays", async () => {
    const before = getPriority();
    await threads.verify({ password, hash: right });
    expect(getPriority()).toBe(before);
    const isLinux = process.platform === "linux";
    const lowered = 19;
    expect(prioritiesOfThreads().includes(lowered)).toBe(isLinux);
  });

  inFull("keep a process alive while they work, and no longer", async () => {
    const child = join(import.meta.dirname, "threads-child.ts");
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
