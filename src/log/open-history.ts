import { join } from "node:path";
import { type Config, ConfigError } from "../config/config.ts";
import { instance, instanceId } from "../domain/instance.ts";
import { streamOf } from "../domain/noun.ts";
import type { Execute } from "../execute/execute.ts";
import { FileUnusable } from "../file.ts";
import { KeyringInvalid } from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { LogIdentity } from "../store/chain/chain.ts";
import type { StoreLog } from "../store/failure-log.ts";
import type { Admit } from "../store/opening.ts";
import { openFileLock } from "../store/sqlite/file-lock.ts";
import type { Store } from "../store/store.ts";
import { createAudit } from "./audit.ts";
import { erasurePlacesOf } from "./erasure-places.ts";
import { keepErasures } from "./erasures.ts";
import { keyringFinder } from "./find-keyring.ts";
import { headLockFile, headPlacesOf } from "./head-places.ts";
import { headLimits, keepHeads } from "./heads.ts";
import { type AcceptedHistory, assertBegun, checkHistory, recordHistory } from "./history.ts";
import { readKnownEnd } from "./known-end.ts";
import { createLogKeys } from "./log-keys.ts";
import type { LogPlace, Opening } from "./place.ts";

/** What a log is opened with. */
export interface Sources {
  readonly place: LogPlace;
  readonly dataDir: string;
  readonly now: () => number;
  readonly newId: () => string;
  readonly random: RandomBytes;
  readonly logs: { readonly log: StoreLog };
}

/** A log that is to be served. */
interface Admitted {
  readonly identity: LogIdentity;
  /** What the operator has decided of it. */
  readonly accepted: AcceptedHistory | undefined;
}

/** Opens the log, if it is the one that there was or the operator accepts it, and its heads. */
export async function openHistory(
  config: Pick<Config, "masterKeys" | "anchorUrl" | "processes">,
  { place, dataDir, now, newId, random, logs }: Sources,
  storage: Pick<Opening, "limits" | "log" | "lost" | "committed">,
  {
    historyFrom,
    assertNewAllowed,
  }: { readonly historyFrom: string | undefined; assertNewAllowed(): void },
) {
  const keyring = keyringFinder({ masterKeys: config.masterKeys, dataDir, random });
  const keys = createLogKeys({ keyring, newId, now, random });
  const places = headPlacesOf(config.anchorUrl, dataDir, random);
  await assertBegun(place, places);
  const audit = createAudit({ place, lines: logs.log });
  const { fault, report: found } = audit;
  const { promise: admitted, resolve } = Promise.withResolvers<Admitted>();
  const admit: Admit = async (identity, ends) => {
    const { id, key } = identity;
    const known = { log: { id, ...ends }, key, place, places, lines: logs.log };
    const backup = historyFrom && {
      path: historyFrom,
      read: () => readKnownEnd(historyFrom, { identity, keys }),
    };
    resolve({ identity, accepted: await checkHistory(known, backup || undefined) });
  };
  const opened = await openLog(place, { keys, random, admit, ...storage, fault, found });
  try {
    if (await isNew(opened)) assertNewAllowed();
    const { identity, accepted } = await admitted;
    const { key } = identity;
    const lock = openFileLock(join(dataDir, headLockFile));
    const limits = { events: Math.ceil(headLimits.events / config.processes) };
    const log = {
      ...opened,
      condition: async (nowMs: number) => audit.tell(await opened.condition(nowMs)),
    };
    const heads = keepHeads({ log, key, places, lock, now, lines: logs.log, limits });
    const erasures = keepErasures({
      ...{ log: heads.log, key, newId, lines: logs.log, isShared: place.isShared },
      places: erasurePlacesOf(config.anchorUrl, dataDir),
    });
    const begin = async (execute: Execute) => {
      if (accepted !== undefined) await recordHistory(execute, opened.log, accepted);
      await erasures.begin(execute);
      await heads.begin(accepted !== undefined);
    };
    const close = async () => {
      await erasures.close();
      await heads.close();
      lock.close();
      await audit.close();
      await opened.close();
    };
    const check = () => {
      audit.begin(identity);
      erasures.follow();
    };
    const begun = { ...audit, begin: check };
    const { log: listed, listen } = erasures;
    return { log: listed, keyring, begin, listen, alone: lock.alone, close, audit: begun };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

/** Whether the log has no instance yet. */
export async function isNew(log: Pick<Store, "load">): Promise<boolean> {
  const [existing] = await log.load([streamOf(instance, instanceId)]);
  return existing?.version === 0;
}

/** What says by itself what to do. */
const sentences = [ConfigError, KeyringInvalid, FileUnusable] as const;

async function openLog(place: LogPlace, opening: Opening): Promise<Store> {
  try {
    return await place.open(opening);
  } catch (cause) {
    if (sentences.some((one) => cause instanceof one)) throw cause;
    throw new ConfigError(`The event log ${place.name} cannot be opened: ${messagesOf(cause)}`, {
      cause,
    });
  }
}

/** The message of an error and of what caused it. */
function messagesOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  return cause instanceof Error ? `${message} ${messagesOf(cause)}` : message;
}
