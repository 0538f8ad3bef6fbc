import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { v7 } from "uuid";
import { keyringFinder } from "../../src/log/find-keyring.ts";
import { fileOfHead, headFile } from "../../src/log/head-places.ts";
import { keepHeads } from "../../src/log/heads.ts";
import { createLogKeys } from "../../src/log/log-keys.ts";
import type { RandomBytes } from "../../src/secrets/tokens.ts";
import { logStream } from "../../src/store/chain/keys.ts";
import type { Store } from "../../src/store/store.ts";

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

/** The lock of who is alone with a log. */
export const unlocked = { alone: <T>(work: () => Promise<T>) => work() };

/** Leaves the head of a log in its data directory, as a service does that has served there. */
export async function leaveHead(dataDir: string, log: Store): Promise<void> {
  const { keys, random } = sealingIn(dataDir);
  const key = await keys.open(log.log, await log.readStream(logStream(log.log), 0, 100));
  const places = [fileOfHead(join(dataDir, headFile), headFile, random)];
  const lines = { error: () => {}, info: () => {} };
  const heads = keepHeads({ log, key, places, lock: unlocked, now: Date.now, lines });
  await heads.begin(false);
  await heads.close();
}
