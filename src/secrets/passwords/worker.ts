import { parentPort } from "node:worker_threads";
import type { ThreadRecipe } from "./encoded.ts";
import { deriveMd5Crypt } from "./md5-crypt.ts";
import { derivePhpass } from "./phpass.ts";
import { deriveShaCrypt } from "./sha-crypt.ts";

/** What runs in the worker thread: one digest after another. An exception ends the thread. */

export interface Job {
  readonly number: number;
  readonly recipe: ThreadRecipe;
  readonly password: Uint8Array;
}

export interface Done {
  readonly number: number;
  readonly digest: Uint8Array;
}

parentPort?.on("message", ({ number, recipe, password }: Job) => {
  const done: Done = { number, digest: derive(recipe, password) };
  parentPort?.postMessage(done);
});

function derive(recipe: ThreadRecipe, password: Uint8Array): Uint8Array {
  switch (recipe.family) {
    case "md5-crypt":
      return deriveMd5Crypt(recipe, password);
    case "phpass":
      return derivePhpass(recipe, password);
    case "sha-crypt":
      return deriveShaCrypt(recipe, password);
  }
}
