import { createSecretKey, randomBytes } from "node:crypto";
import type { LogKeys } from "../../src/store/chain/keys.ts";

/** The identity of every log of these tests. */
export const identity = { id: "of-tests", key: createSecretKey(Buffer.alloc(32, 7)) };

const keys: LogKeys = {
  begin: async () => identity,
  open: async () => identity.key,
};

/** How stores of these tests are opened: the log has no event of its own. */
export const sealing = { keys, random: randomBytes };
