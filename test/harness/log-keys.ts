import { randomBytes } from "node:crypto";
import { v7 } from "uuid";
import { keyringFinder } from "../../src/start/find-keyring.ts";
import { createLogKeys } from "../../src/start/log-keys.ts";

/** How the log in a data directory is opened, by the keys that lie there. */
export function sealingIn(dataDir: string, now: () => number = Date.now) {
  const random = randomBytes;
  const keyring = keyringFinder({ masterKeys: undefined, dataDir, random });
  const keys = createLogKeys({ keyring, newId: () => v7(), now, random });
  return { keys, random };
}
