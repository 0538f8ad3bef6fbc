import type { KeyObject } from "node:crypto";
import { acceptHistory, log } from "../domain/log.ts";
import type { Execute } from "../execute/execute.ts";
import { faultOf, isSealed, parseHead } from "../store/chain/head.ts";
import { logStream } from "../store/chain/keys.ts";
import type { KnownEnd } from "../store/sqlite/chain-file.ts";
import type { Store } from "../store/store.ts";
import { ConfigError } from "./config.ts";
import type { HeadPlace } from "./head-places.ts";

interface HistoryOptions {
  readonly store: Store;
  /** The file of the log. */
  readonly path: string;
  readonly key: KeyObject;
  readonly places: readonly HeadPlace[];
}

/**
 * Why the log is not taken for the one that there was, by the heads that were kept outside of it;
 * undefined where it goes on from all of them. Where there is none at all, only a log that has just
 * begun is taken.
 */
export async function findFault({
  store,
  key,
  places,
}: Omit<HistoryOptions, "path">): Promise<string | undefined> {
  const { log: id } = store;
  let found = 0;
  for (const place of places) {
    // The head first: the log may go on meanwhile.
    const text = await place.read();
    if (text === undefined) continue;
    found += 1;
    const head = parseHead(text);
    if (head === undefined) return `what is in ${place.name} is no head of a log`;
    const { position: end } = await store.head();
    const fault = faultOf(head, { id, end, link: await store.linkAt(head.position) });
    if (fault !== undefined) return `${fault} (${place.name})`;
    if (!isSealed(head, key)) return `the head in ${place.name} was not sealed with its key`;
  }
  return found === 0 && !(await isFresh(store))
    ? `there is no head of it in ${places.map(({ name }) => name).join(" or ")}`
    : undefined;
}

/** Whether nothing has been appended since the log began, or was chained. */
async function isFresh(store: Store): Promise<boolean> {
  const { position } = await store.head();
  const [last] = await store.readAll(position - 1n, 1);
  return last === undefined || (last.stream === logStream(store.log) && last.version === 1);
}

/** A decision of the operator that is to be recorded. */
export interface AcceptedHistory {
  readonly fault: string;
  readonly backup: KnownEnd;
}

/**
 * Sees to it that the log is the one that there was. Rejects with a ConfigError that says what to
 * do where it is not, unless the operator accepts it as what goes on from a backup, which has to be
 * whole; that is then to be recorded.
 */
export async function checkHistory(
  { path, ...options }: HistoryOptions,
  readBackup: (() => Promise<KnownEnd>) | undefined,
): Promise<AcceptedHistory | undefined> {
  const fault = await findFault(options);
  if (fault === undefined) return undefined;
  if (readBackup === undefined) {
    throw new ConfigError(
      `The event log ${path} is not taken for the one that there was: ${fault}. Put the newest ` +
        "copy of it in its place, with the head that lay beside it. Where none is better, " +
        "start once with --accept-history-from BACKUP, which names the copy that the log goes on " +
        "from: what came after that is gone, and that is recorded.",
    );
  }
  const backup = await readBackup().catch((cause: Error) => {
    throw new ConfigError(`The backup is not whole: ${cause.message}`, { cause });
  });
  const { log: id } = options.store;
  const { position: end } = await options.store.head();
  const link = await options.store.linkAt(backup.position);
  const other = faultOf({ ...backup, log: backup.id, timeMs: Date.now() }, { id, end, link });
  if (other !== undefined) {
    throw new ConfigError(
      `The event log ${path} does not go on from the backup: name the copy that lies there now.`,
    );
  }
  return { fault, backup };
}

/** Records what the operator has decided. */
export async function recordHistory(
  execute: Execute,
  id: string,
  { fault, backup }: AcceptedHistory,
): Promise<void> {
  const link = Buffer.from(backup.link).toString("hex");
  const payload = { position: String(backup.position), link, fault };
  await execute({
    actor: "start",
    writes: { log: { noun: log, id } },
    decide: ({ log: state }) => acceptHistory(state, payload),
  });
}
