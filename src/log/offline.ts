import { randomBytes as random } from "node:crypto";
import { resolve } from "node:path";
import { type Config, ConfigError } from "../config/config.ts";
import { createExecute, type Execute } from "../execute/execute.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { silent } from "../store/failure-log.ts";
import type { FileLock } from "../store/sqlite/file-lock.ts";
import type { Store } from "../store/store.ts";
import { beginTime, createClock, timedStore } from "./clock.ts";
import { findLog } from "./find.ts";
import { createIds } from "./ids.ts";
import { sealLogKey } from "./log-keys.ts";
import { orRefused } from "./maintain.ts";
import { openHistory } from "./open-history.ts";
import type { LogPlace } from "./place.ts";

/** The log of an instance, to be read and written by a command beside the service. */
export interface Offline {
  readonly store: Store;
  readonly execute: Execute;
  readonly keyring: Keyring;
  /** Unix milliseconds, never before the newest event. */
  readonly now: () => number;
  readonly newId: () => string;
  /** Does what only one of the processes on the directory may do at a time. */
  readonly alone: FileLock["alone"];
}

/**
 * Does the work with the log of the configuration, which must be there and be the one that there
 * was; its heads follow what is written. Rejects as the start of the service does.
 */
export async function withLog<T>(
  config: Pick<Config, "dataDir" | "databaseUrl" | "masterKeys" | "anchorUrl">,
  work: (offline: Offline) => Promise<T>,
): Promise<T> {
  const dataDir = resolve(config.dataDir);
  const place = await findLog(config);
  await assertThere(place);
  const clock = createClock();
  const newId = createIds(clock.now, random);
  const sources = { place, dataDir, now: clock.now, newId, random, logs: { log: silent } };
  const decided = { historyFrom: undefined, assertNewAllowed() {} };
  const opening = { ...config, processes: 1 };
  const history = await openHistory(opening, sources, {}, decided);
  const { log, keyring: find, begin, alone, close } = history;
  try {
    const store = timedStore(log, clock, silent);
    await beginTime(store, clock);
    const execute = createExecute(store, clock.now);
    await begin(execute);
    const keyring = await find({ isNew: false, keyIds: [] });
    await sealLogKey(keyring, execute, store.log);
    return await work({ store, execute, keyring, now: clock.now, newId, alone });
  } finally {
    await close();
  }
}

/** Rejects with a ConfigError where there is no log. */
async function assertThere({ name, isThere, readOwn }: LogPlace): Promise<void> {
  if (await isThere()) {
    const { id } = await orRefused(`${name} cannot be opened`, readOwn());
    if (id !== "") return;
  }
  throw new ConfigError(`There is no event log ${name}.`);
}
