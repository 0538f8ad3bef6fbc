import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import type { RandomBytes } from "../../src/secrets/tokens.ts";
import { keyringFinder } from "../../src/start/find-keyring.ts";
import { createLogKeys } from "../../src/start/log-keys.ts";

interface Sources {
  readonly random: RandomBytes;
  readonly newId: () => string;
  readonly now: () => number;
}

/** How the log in a data directory is opened, by the keys that lie there or are made of these. */
export function sealingIn(dataDir: string, sources: Partial<Sources> = {}) {
  const { random, newId, now } = { random: randomBytes, newId: v7, now: Date.now, ...sources };
  const keyring = keyringFinder({ masterKeys: undefined, dataDir, random });
  const keys = createLogKeys({ keyring, newId: () => newId(), now, random });
  // Salts come when a batch is written, which may be earlier or later.
  return { keys, random: randomBytes };
}
