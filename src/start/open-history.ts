import { join } from "node:path";
import { instance, instanceId } from "../domain/instance.ts";
import { streamOf } from "../domain/noun.ts";
import type { Execute } from "../execute/execute.ts";
import { FileUnusable } from "../file.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import { logStream } from "../store/chain/keys.ts";
import { readWhole } from "../store/sqlite/chain-file.ts";
import type { StoreLog } from "../store/sqlite/failure-log.ts";
import { openFileLock } from "../store/sqlite/file-lock.ts";
import { openSqlite, type SqliteOptions } from "../store/sqlite/sqlite.ts";
import type { Store } from "../store/store.ts";
import { createAudit } from "./audit.ts";
import { type Config, ConfigError } from "./config.ts";
import { keyringFinder } from "./find-keyring.ts";
import { anchorOf, fileOfHead, headFile, headLockFile } from "./head-places.ts";
import { headLimits, keepHeads } from "./heads.ts";
import { assertBegun, checkHistory, recordHistory } from "./history.ts";
import { createLogKeys } from "./log-keys.ts";
import { logIn } from "./log-path.ts";
import { projector } from "./projector.ts";

/** What a log is opened with. */
export interface Sources {
  readonly dataDir: string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly random: RandomBytes;
  readonly logs: { readonly log: StoreLog };
}

/** Opens the log, if it is the one that there was or the operator accepts it, and its heads. */
export async function openHistory(
  config: Pick<Config, "masterKeys" | "anchorUrl" | "processes">,
  { dataDir, now, newId, random, logs }: Sources,
  storage: Pick<SqliteOptions, "limits" | "log" | "lost">,
  {
    historyFrom,
    assertNewAllowed,
  }: { readonly historyFrom: string | undefined; assertNewAllowed(): void },
) {
  const path = logIn(dataDir);
  const keyring = keyringFinder({ masterKeys: config.masterKeys, dataDir, random });
  const keys = createLogKeys({ keyring, newId, now, random });
  const places = placesOf(config, dataDir, random);
  await assertBegun(path, places);
  const audit = createAudit({ path, limits: storage.limits, lines: logs.log });
  const opened = await openLog(path, { keys, random, ...storage, fault: audit.fault });
  try {
    if (await isNew(opened)) assertNewAllowed();
    const own = await opened.readStream(logStream(opened.log), 0, ownEventsMax);
    const key = await keys.open(opened.log, own);
    const backup = historyFrom && {
      path: historyFrom,
      read: () => readWhole({ path: historyFrom, keys }),
    };
    const store = { store: opened, path, key, places, lines: logs.log };
    const accepted = await checkHistory(store, backup || undefined);
    const lock = openFileLock(join(dataDir, headLockFile));
    const limits = { events: Math.ceil(headLimits.events / config.processes) };
    const log = {
      ...opened,
      condition: async (nowMs: number) => audit.tell(await opened.condition(nowMs)),
    };
    const heads = keepHeads({ log, key, places, lock, now, lines: logs.log, limits });
    const begin = async (execute: Execute) => {
      if (accepted !== undefined) await recordHistory(execute, opened.log, accepted);
      await heads.begin(accepted !== undefined);
    };
    const close = async () => {
      lock.close();
      await audit.close();
      await opened.close();
    };
    const check = () => audit.begin({ id: opened.log, key });
    const begun = { ...audit, begin: check };
    return { heads, keyring, begin, alone: lock.alone, close, audit: begun };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** More than a log says of itself: an event for each new master key and accepted history. */
const ownEventsMax = 100_000;

/** Where heads of the log are kept. */
function placesOf({ anchorUrl }: Pick<Config, "anchorUrl">, dataDir: string, random: RandomBytes) {
  const file = fileOfHead(join(dataDir, headFile), headFile, random);
  return anchorUrl === "" ? [file] : [file, anchorOf(anchorUrl, random)];
}

/** Whether the log has no instance yet. */
export async function isNew(log: Pick<Store, "load">): Promise<boolean> {
  const [existing] = await log.load([streamOf(instance, instanceId)]);
  return existing?.version === 0;
}

async function openLog(
  path: string,
  options: Omit<SqliteOptions, "path" | "projector">,
): Promise<Store> {
  try {
    return await openSqlite({ path, projector, ...options });
  } catch (cause) {
    if (cause instanceof KeyringInvalid || cause instanceof FileUnusable) throw cause;
    throw new ConfigError(`The event log ${path} cannot be opened: ${messagesOf(cause)}`, {
      cause,
    });
  }
}

/** The message of an error and of what caused it. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} ${messagesOf(error.cause)}`;
}
