import { randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createExecute, type Execute } from "../execute/execute.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { openSqlite } from "../store/sqlite/sqlite.ts";
import type { Store } from "../store/store.ts";
import { beginTime, createClock, timedStore } from "./clock.ts";
import { type Config, ConfigError } from "./config.ts";
import { keyringFinder } from "./find-keyring.ts";
import { createIds } from "./ids.ts";
import { createLogKeys, sealLogKey } from "./log-keys.ts";
import { logIn } from "./log-path.ts";
import { projector } from "./projector.ts";

/** The log of an instance, to be read and written by a command beside the service. */
export interface Offline {
  readonly store: Store;
  readonly execute: Execute;
  readonly keyring: Keyring;
  /** Unix milliseconds, never before the newest event. */
  readonly now: () => number;
  readonly newId: () => string;
}

/**
 * Does the work with the log in the data directory, which must be there. Rejects as the start of
 * the service does where it cannot be opened.
 */
export async function withLog<T>(
  { dataDir: given, masterKeys }: Pick<Config, "dataDir" | "masterKeys">,
  work: (offline: Offline) => Promise<T>,
): Promise<T> {
  const dataDir = resolve(given);
  const path = logIn(dataDir);
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  if (size === 0) throw new ConfigError(`There is no event log ${path}.`);
  const random = randomBytes;
  const clock = createClock();
  const newId = createIds(clock.now, random);
  const find = keyringFinder({ masterKeys, dataDir, random });
  const keys = createLogKeys({ keyring: find, newId, now: clock.now, random });
  const opened = await openSqlite({ path, projector, keys, random });
  try {
    const store = timedStore(opened, clock, { error() {}, info() {} });
    await beginTime(store, clock);
    const execute = createExecute(store, clock.now);
    const keyring = await find({ isNew: false, keyIds: [] });
    await sealLogKey(keyring, execute, store.log);
    return await work({ store, execute, keyring, now: clock.now, newId });
  } finally {
    await opened.close();
  }
}
