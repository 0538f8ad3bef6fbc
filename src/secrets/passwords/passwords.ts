import { availableParallelism } from "node:os";
import type { RandomBytes } from "../tokens.ts";
import { deriveArgon2, hashArgon2 } from "./argon2.ts";
import { deriveBcrypt } from "./bcrypt.ts";
import { isSame } from "./check.ts";
import { checkHash, type PoolRecipe, type Recipe, type ThreadRecipe } from "./encoded.ts";
import { derivePbkdf2 } from "./pbkdf2.ts";
import { createQueue } from "./queue.ts";
import { deriveScrypt } from "./scrypt.ts";
import { createThread } from "./thread.ts";

/** 256 characters of four bytes each. Longer texts cost more to hash than anyone types. */
export const passwordBytesMax = 1_024;

/** How many passwords may wait for each of the two places where hashing happens. */
const waitingMaxDefault = 200;

/** Makes and verifies password hashes off the event loop, a bounded number at once. */
export interface Passwords {
  /**
   * A fresh Argon2id hash (19 MiB, 2 passes, 1 lane) in PHC form. Rejects with PasswordUnusable,
   * and with HashingOverloaded when too many wait already.
   */
  hashPassword(password: string): Promise<string>;
  /**
   * Whether the hash is one of the password. A password that `hashPassword` would refuse is never
   * right. Rejects with HashUnusable where `checkHash` refuses the hash, with HashingOverloaded
   * when too many wait already.
   */
  verifyPassword(password: string, encodedHash: string): Promise<boolean>;
  /** Ends the worker thread; what it has not done rejects. */
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
  /** How many derivations share libuv's pool of threads at once. */
  readonly concurrency?: number;
  readonly waitingMax?: number;
}

/**
 * There are two queues, so that slow hashes of one kind do not hold up the other: libuv's pool does
 * what node and @node-rs derive, one worker thread of ours what is synchronous.
 */
export function createPasswords({
  random,
  concurrency = poolConcurrency(availableParallelism(), process.env.UV_THREADPOOL_SIZE),
  waitingMax = waitingMaxDefault,
}: PasswordOptions): Passwords {
  const pool = createQueue({ concurrency, waitingMax });
  const single = createQueue({ concurrency: 1, waitingMax });
  const thread = createThread();

  const derive = (recipe: Recipe, password: Uint8Array) =>
    isThreadRecipe(recipe)
      ? single.run(() => thread.derive(recipe, password))
      : pool.run(() => deriveInPool(recipe, password));

  return {
    async hashPassword(password) {
      const bytes = bytesOf(password);
      if (bytes === undefined) throw new PasswordUnusable();
      return await pool.run(() => hashArgon2(bytes, random));
    },
    async verifyPassword(password, encodedHash) {
      const hash = checkHash(encodedHash);
      if (!hash.ok) throw new HashUnusable(hash.reason);
      const bytes = bytesOf(password);
      return bytes !== undefined && isSame(await derive(hash.recipe, bytes), hash.expected);
    },
    close: thread.close,
  };
}

/**
 * As many derivations at once as there are cores, but always one thread of libuv's pool less, so
 * that files and host names are not looked up behind passwords. libuv has 4 threads unless
 * UV_THREADPOOL_SIZE says otherwise.
 */
export function poolConcurrency(cores: number, poolSize: string | undefined): number {
  const threads = Number.parseInt(poolSize ?? "4", 10) || 1;
  return Math.max(1, Math.min(cores, threads - 1));
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

function isThreadRecipe(recipe: Recipe): recipe is ThreadRecipe {
  return (
    recipe.family === "md5-crypt" || recipe.family === "phpass" || recipe.family === "sha-crypt"
  );
}

function deriveInPool(recipe: PoolRecipe, password: Uint8Array): Promise<Uint8Array> {
  switch (recipe.family) {
    case "argon2":
      return deriveArgon2(recipe, password);
    case "bcrypt":
      return deriveBcrypt(recipe, password);
    case "scrypt":
      return deriveScrypt(recipe, password);
    case "pbkdf2":
      return derivePbkdf2(recipe, password);
  }
}
