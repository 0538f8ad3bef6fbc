import type * as heads from "../src/log/heads.ts";
import type * as chain from "../src/store/chain/chain.ts";
import type * as state from "../src/store/chain/state.ts";

// What `unchained.ts` puts in the place of these parts: all that they have, but for what hashes.

// biome-ignore-start lint/performance: it stands for three modules, whatever they come to have.
export * from "../src/log/heads.ts";
export * from "../src/store/chain/chain.ts";
export * from "../src/store/chain/state.ts";

// biome-ignore-end lint/performance: what follows is its own.

const salt = Buffer.alloc(16, 1);
const hash = Buffer.alloc(32, 1);
const sealed = { salt, mac: hash, link: hash };

/** Hashes nothing. */
export const createSeal: typeof chain.createSeal = () => () => sealed;

/** Finds nothing. */
export const createCheck: typeof chain.createCheck = () => () => [];

/** Hashes nothing. */
export const createStateMac: typeof state.createStateMac = () => () => hash;

/** Takes every object for the one that was written. */
export const assertObject: typeof state.assertObject = () => {};

/** Writes no head. */
export const keepHeads: typeof heads.keepHeads = ({ log }) => ({
  log,
  begin: async () => {},
  close: async () => {},
});
