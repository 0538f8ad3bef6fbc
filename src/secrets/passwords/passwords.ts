import { availableParallelism } from "node:os";
import { createShares } from "../../slots.ts";
import type { RandomBytes } from "../tokens.ts";
import { freshSalt } from "./argon2.ts";
import { checkHash, type ParsedHash } from "./encoded.ts";
import { createThreads, HashingOverloaded, type Waits } from "./threads.ts";

/** 256 characters of four bytes each. Longer texts cost more to hash than anyone types. */
export const passwordBytesMax = 1_024;

/** How many passwords may wait for each of the two groups of threads that hash. */
export const passwordsWaitingMax = 200;

/** How many wait for another with the same code, which sets a password. */
export const sameCodeWaitingMax = 2;

const threadsMax = 16;

/** Makes and verifies password hashes off the event loop, a bounded number at once. */
export interface Passwords {
  /**
   * A fresh Argon2id hash (19 MiB, 2 passes, 1 lane) in PHC form. Rejects with PasswordUnusable,
   * with HashingOverloaded when too many wait already, and with the signal's reason when that
   * aborts while the password waits: it is not hashed then. How strangers wait: see `Waits`.
   */
  hashPassword(password: string, waits?: Waits): Promise<string>;
  /**
   * Whether the hash is one of the password. A password that `hashPassword` would refuse is never
   * right. Rejects with HashUnusable where `checkHash` refuses the hash, and as `hashPassword`
   * where too many wait.
   */
  verifyPassword(password: string, encodedHash: string, waits?: Waits): Promise<boolean>;
  /**
   * Does what sets a password by a code: in this process one at a time for each key, since the
   * first uses the code up. The work has to look at the code before it hashes. Rejects as the work
   * does, and as `hashPassword` where too many wait or the signal aborts while it waits.
   */
  byCode<Result>(key: string, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /** How many passwords wait for a thread. */
  waiting(): number;
  /** Ends the threads; what they have not done rejects. */
  close(): Promise<void>;
}

/** A password that is not hashed, for the reason that its message gives. */
export class PasswordUnusable extends Error {
  override readonly name = "PasswordUnusable";

  constructor() {
    super(`a password has at most ${passwordBytesMax} bytes of UTF-8 and no U+0000`);
  }
}

/** A stored or imported hash that `checkHash` refuses; the message is its reason. */
export class HashUnusable extends Error {
  override readonly name = "HashUnusable";
}

interface PasswordOptions {
  readonly random: RandomBytes;
  /** How many threads derive what native code derives. */
  readonly concurrency?: number;
  readonly waitingMax?: number;
}

/**
 * The threads are our own, not libuv's: there they would stand before files and host names, and
 * could not give way to the event loop. There are two groups, so that slow hashes of
 * one kind do not hold up the other: a thread for each core derives what native code derives, one
 * more what is JavaScript.
 */
export function createPasswords({
  random,
  concurrency = threadsFor(availableParallelism()),
  waitingMax = passwordsWaitingMax,
}: PasswordOptions): Passwords {
  const native = createThreads(concurrency, waitingMax);
  const script = createThreads(1, waitingMax);
  const codes = createShares({
    ...{ concurrentMax: 1, waitingMax: sameCodeWaitingMax },
    overloaded: () => new HashingOverloaded(),
  });

  return {
    async hashPassword(password, waits) {
      const bytes = bytesOf(password);
      if (bytes === undefined) throw new PasswordUnusable();
      return await native.hash({ password: bytes, salt: freshSalt(random) }, waits);
    },
    async verifyPassword(password, encodedHash, waits) {
      const reading = checkHash(encodedHash);
      if (!reading.ok) throw new HashUnusable(reading.reason);
      const bytes = bytesOf(password);
      if (bytes === undefined) return false;
      const { hash } = reading;
      return await (isScript(hash) ? script : native).verify({ password: bytes, hash }, waits);
    },
    byCode: codes.run,
    waiting: () => native.waiting() + script.waiting(),
    async close() {
      await Promise.all([native.close(), script.close()]);
    },
  };
}

/** How many threads derive what native code derives: more than cores would gain nothing. */
export function threadsFor(cores: number): number {
  return Math.min(cores, threadsMax);
}

function isScript({ family }: ParsedHash): boolean {
  return family === "md5-crypt" || family === "phpass" || family === "sha-crypt";
}

/**
 * The bytes that are hashed: UTF-8 of the text as it was given, without any normalization, because
 * an imported hash was made of such bytes. U+0000 ends a password for some of the algorithms and
 * not for others, and half a surrogate pair has no UTF-8: neither is a password.
 */
function bytesOf(password: string): Uint8Array | undefined {
  if (password.includes("\0") || !password.isWellFormed()) return undefined;
  const bytes = Buffer.from(password);
  return bytes.length <= passwordBytesMax ? bytes : undefined;
}
