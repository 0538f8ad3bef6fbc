import type { KeyObject } from "node:crypto";
import { ConfigError } from "../config/config.ts";
import { acceptHistory, log } from "../domain/log.ts";
import { operator } from "../domain/user/state/made.ts";
import { doneOr } from "../execute/done.ts";
import type { Execute } from "../execute/execute.ts";
import type { KnownEnd } from "../store/chain/chain.ts";
import { faultOf, isSealed, parseHead } from "../store/chain/head.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";
import { type HeadPlace, readPlace } from "./head-places.ts";
import type { LogPlace } from "./place.ts";

interface HistoryOptions {
  readonly log: { readonly id: string } & Pick<Store, "head" | "linkAt">;
  readonly place: Pick<LogPlace, "name" | "bringBack" | "isShared" | "isAt">;
  readonly key: KeyObject;
  readonly places: readonly HeadPlace[];
  /** Where it is told which place the log was not compared with. */
  readonly lines: { warn(members: object, line: string): void };
}

/**
 * Why the log does not continue the heads that were kept outside of it; undefined where it does so
 * with all of them. Where there is none at all, only a log that has just
 * begun is taken, or one that nodes join. A place that holds none, or cannot be read, is told of in
 * a line.
 */
export async function findFault({
  log: { id, head: readHead, linkAt },
  place: { isShared },
  key,
  places,
  lines,
}: HistoryOptions): Promise<string | undefined> {
  const missing = new Map<string, string>();
  for (const place of places) {
    // The head first: the log may go on meanwhile.
    const read = await readPlace(place);
    if ("why" in read) {
      missing.set(place.name, read.why);
      continue;
    }
    const { text } = read;
    const head = parseHead(text);
    if (head === undefined) return `${place.name} has no valid head`;
    const { position: end } = await readHead();
    const fault = faultOf(head, { id, end, link: await linkAt(head.position) });
    if (fault !== undefined) return `${fault} (${place.name})`;
    if (!isSealed(head, key)) return `the head in ${place.name} was not sealed with its key`;
  }
  if (missing.size === 0 || (await readHead()).position <= beginning) return undefined;
  if (missing.size === places.length && !isShared) {
    const nowhere = [...missing].map(([name, why]) => `${name} (${why})`);
    return `there is no head in ${nowhere.join(" or ")}`;
  }
  for (const [place, why] of missing) {
    lines.warn({ place, why }, "the log was not compared with the head there");
  }
  return undefined;
}

/** The position of the event with which a log begins. */
const beginning = 1n;

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
  { place, ...options }: HistoryOptions,
  given: Backup | undefined,
): Promise<AcceptedHistory | undefined> {
  const fault = await findFault({ place, ...options });
  if (fault === undefined) return undefined;
  if (given === undefined) {
    throw new ConfigError(
      `Refusing to start: the event log ${place.name} does not continue the log that this ` +
        `service last wrote: ${fault}. ${place.bringBack} If there is no newer copy, start ` +
        "once with --accept-history-from BACKUP: a copy, an export or a checkpoint that the " +
        "log continues. Later events are then lost, and the log records that. To accept the " +
        "clock as well, give both flags.",
    );
  }
  if (await place.isAt(given.path)) {
    throw new ConfigError(
      `The backup ${given.path} is the event log itself, which proves nothing: name another ` +
        "copy. If there is none, copy the log as it is now.",
    );
  }
  const backup = await given.read().catch((cause: Error) => {
    throw new ConfigError(`The backup is damaged: ${cause.message}`, { cause });
  });
  const { id, head, linkAt } = options.log;
  const { position: end } = await head();
  const link = await linkAt(backup.position);
  const other = faultOf({ ...backup, log: backup.id, timeMs: Date.now() }, { id, end, link });
  if (other !== undefined) {
    throw new ConfigError(
      `The event log ${place.name} does not continue the backup: name a copy of the log as ` +
        "it is now.",
    );
  }
  return { fault, backup };
}

/** A copy of the log that an operator has, and what reads all of it. */
export interface Backup {
  readonly path: string;
  read(): Promise<KnownEnd>;
}

/**
 * Records what the operator has decided. Rejects with a ConfigError where nothing is written
 * because the clock went back, which is another decision.
 */
export async function recordHistory(
  execute: Execute,
  id: string,
  { fault, backup }: AcceptedHistory,
): Promise<void> {
  const link = Buffer.from(backup.link).toString("hex");
  const payload = { position: String(backup.position), link, fault };
  const outcome = await execute({
    actor: operator,
    writes: { log: { noun: log, id } },
    decide: ({ log: state }) => acceptHistory(state, payload),
  }).catch((cause: unknown) => {
    const isOfClock = cause instanceof StoreUnavailable && cause.why === "clock-went-back";
    if (!isOfClock) throw cause;
    throw new ConfigError(
      `${cause.message} So the accepted history cannot be recorded. Set the clock, or if it ` +
        "is right, start once with both --accept-history-from and --accept-clock.",
      { cause },
    );
  });
  doneOr(outcome, "the accepted history could not be recorded");
}

/**
 * Rejects with a ConfigError where the file of a log has none, though there is a head of one: it
 * would begin as another. Look here before it is opened.
 */
export async function assertBegun(
  place: Pick<LogPlace, "name" | "isThere" | "readOwn">,
  heads: readonly HeadPlace[],
): Promise<void> {
  if (!(await place.isThere())) return;
  // Who cannot read it says so when it is opened.
  const own = await place.readOwn().catch(() => undefined);
  if (own?.id !== "") return;
  for (const head of heads) {
    if ("why" in (await readPlace(head))) continue;
    throw new ConfigError(
      `The event log ${place.name} is empty, but ${head.name} records a newer log: restore the ` +
        "newest copy of the log.",
    );
  }
}
