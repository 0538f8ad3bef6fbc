import { constants, getPriority, setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { deriveArgon2 } from "./argon2.ts";
import { deriveBcrypt } from "./bcrypt.ts";
import type { Recipe } from "./encoded.ts";
import { deriveMd5Crypt } from "./md5-crypt.ts";
import { derivePbkdf2 } from "./pbkdf2.ts";
import { derivePhpass } from "./phpass.ts";
import { deriveScrypt } from "./scrypt.ts";
import { deriveShaCrypt } from "./sha-crypt.ts";

/** What runs in a hashing thread: one digest after another. An exception ends the thread. */

export interface Job {
  readonly number: number;
  readonly recipe: Recipe;
  readonly password: Uint8Array;
}

export interface Done {
  readonly number: number;
  readonly digest: Uint8Array;
}

giveWay();
parentPort?.on("message", ({ number, recipe, password }: Job) => {
  const done: Done = { number, digest: derive(recipe, password) };
  parentPort?.postMessage(done);
});

/**
 * Lets the event loop go first where both want the same core: it works for a moment and others wait
 * for it, while a digest keeps a core busy for long. On Linux a priority is a thread's, here the
 * calling one's; elsewhere it would be that of the whole process. Lowering needs no privilege.
 */
function giveWay(): void {
  if (process.platform !== "linux") return;
  const { PRIORITY_BELOW_NORMAL: step, PRIORITY_LOW: lowest } = constants.priority;
  setPriority(Math.min(getPriority() + step, lowest));
}

function derive(recipe: Recipe, password: Uint8Array): Uint8Array {
  switch (recipe.family) {
    case "argon2":
      return deriveArgon2(recipe, password);
    case "bcrypt":
      return deriveBcrypt(recipe, password);
    case "scrypt":
      return deriveScrypt(recipe, password);
    case "pbkdf2":
      return derivePbkdf2(recipe, password);
    case "md5-crypt":
      return deriveMd5Crypt(recipe, password);
    case "phpass":
      return derivePhpass(recipe, password);
    case "sha-crypt":
      return deriveShaCrypt(recipe, password);
  }
}
