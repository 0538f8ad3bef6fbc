import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  createPasswords,
  type Passwords,
  threadsFor,
} from "../../../src/secrets/passwords/passwords.ts";
import { isFull, shortened } from "../../harness/extent.ts";
import { few, inFull } from "../../harness/in-full.ts";
import { fc } from "../../harness/laws.ts";
import { vectors } from "./vectors.ts";

const md5Crypt = "$1$ssssssss$YgmLTApYTv12qgTwBoj8i/"; // of "s"
const phpassSlow = `$P$G${".".repeat(30)}`; // 2^18 rounds

/** Of every format, those that take a few milliseconds. */
const cheap = vectors.filter(([, hash]) =>
  /m=256,|\$2.\$0[45]|ln=(1|4|7),|^\$7\$|\$1212\$|=1000\$|^\$1\$|^\$.\$[67]/.test(hash),
);

let passwords: Passwords;
beforeAll(() => {
  passwords = createPasswords({ random: randomBytes });
});
afterAll(() => passwords.close());

describe("verifyPassword", () => {
  test.each(isFull ? vectors : cheap)("knows %j by its hash: %s", async (password, hash) => {
    expect(await passwords.verifyPassword(password, hash)).toBe(true);
  });

  test.each(cheap)("does not take another password for %j: %s", async (password, hash) => {
    // In front, where bcrypt looks too.
    expect(await passwords.verifyPassword(`x${password}`, hash)).toBe(false);
  });

  const dear = [
    ["scrypt with the least r", `$scrypt$ln=15,r=1,p=1$${base64(16)}$${base64(32)}`],
    ["Argon2", `$argon2id$v=19$m=131072,t=1,p=8$${base64(64)}$${base64(64)}`],
    ["scrypt by N", `$scrypt$ln=17,r=8,p=1$${base64(64)}$${base64(64)}`],
    ["scrypt by r", `$scrypt$ln=15,r=32,p=1$${base64(16)}$${base64(32)}`],
    ["scrypt by p", `$scrypt$ln=4,r=32,p=16$${base64(16)}$${base64(32)}`],
    ["phpass", phpassSlow],
  ] as const;
  test.each(shortened(dear))("can bear what %s costs at its caps", async (_, hash) => {
    expect(await passwords.verifyPassword("wrong", hash)).toBe(false);
  });

  test("bcrypt looks at 72 bytes of a password, the others at all", async () => {
    const prefix = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    const bcrypt = "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui";
    const argon2 = await passwords.hashPassword(`${prefix}one`);
    for (const end of ["", "one", "two"]) {
      expect(await passwords.verifyPassword(prefix + end, bcrypt)).toBe(true);
      expect(await passwords.verifyPassword(prefix + end, argon2)).toBe(end === "one");
    }
    expect(await passwords.verifyPassword(prefix.slice(0, -1), bcrypt)).toBe(false);
  });

  test("no character of a digest can be another one", async () => {
    const change = fc.record({
      vector: fc.constantFrom(...cheap),
      // Not the last one, of which bcrypt ignores some bits.
      fromEnd: fc.integer({ min: 2, max: 21 }),
      digit: fc.constantFrom(..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
    });
    const changed = change.filter(({ vector: [, hash], fromEnd, digit }) => {
      return hash.at(-fromEnd) !== digit && !hash.endsWith("=");
    });
    await fc.assert(
      fc.asyncProperty(changed, async ({ vector: [password, hash], fromEnd, digit }) => {
        const at = hash.length - fromEnd;
        const other = hash.slice(0, at) + digit + hash.slice(at + 1);
        expect(await passwords.verifyPassword(password, other)).toBe(false);
      }),
      { numRuns: isFull ? 100 : 20 },
    );
  });

  test("rejects a hash that it cannot verify, and does not repeat it", async () => {
    const verified = passwords.verifyPassword("S3cr3t", "$1$S3cr3tS3cr3t$S3cr3t");
    const error: unknown = await verified.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: "HashUnusable" });
    expect(String(error)).not.toContain("S3cr3t");
  });
});

describe("hashPassword", () => {
  test("makes Argon2id hashes of its own salt that verify", async () => {
    const password = "correct horse battery staple 😀";
    const [one, other] = await Promise.all([
      passwords.hashPassword(password),
      passwords.hashPassword(password),
    ]);
    const form = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/;
    expect(one).toMatch(form);
    expect(other).toMatch(form);
    expect(other).not.toBe(one);
    expect(await passwords.verifyPassword(password, one)).toBe(true);
    expect(await passwords.verifyPassword("correct horse battery staple", one)).toBe(false);
  });

  test("takes its salt from the source of randomness that it was given", async () => {
    const fixed = createPasswords({ random: (size) => Buffer.alloc(size, "somesalt") });
    const hash = await fixed.hashPassword("password");
    expect(hash.split("$")[4]).toBe("c29tZXNhbHRzb21lc2FsdA");
    expect(await fixed.hashPassword("password")).toBe(hash);
    await fixed.close();
  });

  test("is not made for a caller who has gone while others were before", async () => {
    const bounded = createPasswords({ random: randomBytes, concurrency: 1, waitingMax: 2 });
    const call = new AbortController();
    const before = [bounded.hashPassword("first"), bounded.hashPassword("next to the thread")];
    const gone = bounded.hashPassword("gone", { signal: call.signal });
    const why = new Error("the caller has gone");
    call.abort(why);
    await expect(gone).rejects.toBe(why);
    // The place in the queue is free.
    const after = bounded.hashPassword("after");
    for (const hash of await Promise.all([...before, after])) expect(hash).toContain("$argon2id$");
    await bounded.close();
  });

  test("does not normalize: what looks the same need not be", async () => {
    const hash = await passwords.hashPassword("\u00fc");
    expect(await passwords.verifyPassword("\u00fc", hash)).toBe(true);
    expect(await passwords.verifyPassword("u\u0308", hash)).toBe(false);
  });
});

describe("what is no password", () => {
  test("1,024 bytes are one", async () => {
    for (const password of ["x".repeat(1_024), "😀".repeat(256)]) {
      const hash = await passwords.hashPassword(password);
      expect(await passwords.verifyPassword(password, hash)).toBe(true);
    }
  });

  test.each([
    ["1,025 bytes", "x".repeat(1_025)],
    ["1,025 bytes in fewer characters", `${"😀".repeat(256)}x`],
    ["U+0000", "s\0"],
    ["half a surrogate pair", "s\ud83d"],
  ])("%s: it is not hashed and never right", async (_, password) => {
    const error: unknown = await passwords.hashPassword(password).catch((reason) => reason);
    expect(error).toMatchObject({ name: "PasswordUnusable" });
    expect(String(error)).not.toContain(password);
    expect(await passwords.verifyPassword(password, md5Crypt)).toBe(false);
  });
});

describe("bounds", () => {
  few().each([
    ["native code", (bounded: Passwords) => bounded.hashPassword("password")],
    ["JavaScript", (bounded: Passwords) => bounded.verifyPassword("s", md5Crypt)],
  ])("%s takes what may run and wait, refuses one more, and recovers", async (_, work) => {
    const bounded = createPasswords({ random: randomBytes, concurrency: 1, waitingMax: 2 });
    const taken = [work(bounded), work(bounded), work(bounded)];
    await expect(work(bounded)).rejects.toMatchObject({ name: "HashingOverloaded" });
    expect((await Promise.all(taken)).every(Boolean)).toBe(true);
    expect(await work(bounded)).toBeTruthy();
    await bounded.close();
  });

  inFull("as many are derived at once as there are threads", async () => {
    const bounded = createPasswords({ random: randomBytes, concurrency: 3, waitingMax: 0 });
    const work = () => bounded.hashPassword("password");
    for (let round = 0; round < 2; round += 1) {
      const taken = [work(), work(), work()];
      await expect(work()).rejects.toMatchObject({ name: "HashingOverloaded" });
      expect(new Set(await Promise.all(taken)).size).toBe(3);
    }
    await bounded.close();
  });

  test("what is not done when it closes rejects, and everything after", async () => {
    const closed = createPasswords({ random: randomBytes, concurrency: 1 });
    const pending = [closed.hashPassword("password"), closed.hashPassword("password")];
    const rejected = Promise.all(pending.map((one) => expect(one).rejects.toThrow("thread")));
    await closed.close();
    await rejected;
    await expect(closed.hashPassword("password")).rejects.toThrow("the hashing threads are closed");
  });

  test.each([
    [1, 1],
    [2, 2],
    [16, 16],
    [17, 16],
  ])("%i cores have %i threads", (cores, expected) => {
    expect(threadsFor(cores)).toBe(expected);
  });

  inFull("a slow hash in JavaScript does not keep native code from working", async () => {
    const bounded = createPasswords({ random: randomBytes, concurrency: 1, waitingMax: 0 });
    const slow = bounded.verifyPassword("wrong", phpassSlow);
    expect(await bounded.hashPassword("password")).toContain("$argon2id$");
    expect(await slow).toBe(false);
    await bounded.close();
  });

  test("the event loop goes on while a thread works", async () => {
    let isOver = false;
    const slow = passwords.verifyPassword("wrong", phpassSlow).finally(() => {
      isOver = true;
    });
    let turns = 0;
    for (; !isOver; turns += 1) await pause(1);
    expect(await slow).toBe(false);
    expect(turns).toBeGreaterThan(10);
  });
});

function base64(bytes: number): string {
  return Buffer.alloc(bytes, 7).toString("base64").replace(/=+$/, "");
}
