import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import type Database from "better-sqlite3";
import {
  type Check,
  createCheck,
  createSeal,
  type LogIdentity,
  type Seal,
} from "../chain/chain.ts";
import { type BegunLog, type Found, type LogKeys, logStream } from "../chain/keys.ts";
import { firstLink } from "../chain/link.ts";
import { createStateMac, type StateMac } from "../chain/state.ts";
import type { StoreLog } from "../failure-log.ts";
import type { Projector } from "../projector.ts";
import { assertNoStrangers } from "../strangers.ts";
import { checksumOf } from "./checksum.ts";
import { retryWhileBusy } from "./connection.ts";
import { prepareEnd, prepareInsert } from "./end.ts";
import { foreignEvents, hasForeign, idIn, ownEvents, sourceOf } from "./id.ts";
import type { SqliteLimits } from "./limits.ts";
import { assertNotNewer, rebuild } from "./rebuild.ts";
import type { EventColumns } from "./row.ts";
import { eventColumns, prepareRows, toEvent } from "./row.ts";
import { hasTable, migrate } from "./schema.ts";
import { strangersIn } from "./tables.ts";

/** What is needed to open a log. */
export interface OpenOptions {
  readonly projector: Projector;
  readonly keys: LogKeys;
  /** For salts; `crypto.randomBytes` or a pool of it. */
  readonly random: (size: number) => Uint8Array;
  readonly limits: SqliteLimits;
  readonly log: StoreLog;
}

/** Transactions between two lines about how far the chaining of an older file has come. */
const piecesPerLine = 10;

/**
 * Brings the tables up to date, gives a log that has none its identity, and chains what lies there
 * unchained, in pieces: where a process dies meanwhile, the next goes on. Answers the identity.
 *
 * A file of before there were chains is first checked by its checksums, and what follows from it
 * made anew, all in the transaction that changes its tables: where any of that fails, the file is
 * as it was, and its own program can read on. So it does where somebody else has changed its
 * tables, or put a trigger or a constraint beside them.
 */
export async function openIdentity(
  db: Database.Database,
  { projector, keys, random, limits, log }: OpenOptions,
): Promise<LogIdentity & { readonly seal: Seal; readonly macOf: StateMac; readonly check: Check }> {
  const write = <T>(work: () => T) =>
    retryWhileBusy(limits, () => db.transaction(work).immediate());
  await retryWhileBusy(limits, () => assertNotNewer(db, projector));
  const known = await retryWhileBusy(limits, () => idIn(db));
  await retryWhileBusy(limits, () => assertChaining(db));
  const look = db.transaction(() => strangersIn(db));
  const strangers = await retryWhileBusy(limits, () => look());
  assertNoStrangers(strangers.map(({ said }) => said));
  const begun = known === undefined ? await keys.begin({ position: lastOf(db) }) : undefined;
  await write(() => {
    migrate(db);
    if (begun !== undefined && idIn(db) === undefined) begin(db, begun, projector, random);
  });
  const id = idIn(db);
  if (id === undefined) throw new Error(`${db.name} has no identity.`);
  assertChaining(db);
  const key = begun?.id === id ? begun.key : await keys.open(id, ownEvents(db, id));
  const seal = createSeal({ id, key }, random);
  const hasFound = (found: Found) => keys.hasFound(ownEvents(db, id), key, found);
  const chain = { seal, hasFound, events: limits.chainedEvents };
  for (let pieces = 1; await write(() => chainPiece(db, chain)); pieces += 1) {
    const position = String(lastOf(db));
    if (pieces % piecesPerLine === 0) log.info({ position }, "events of before are being chained");
    await turn();
  }
  return { id, key, seal, check: createCheck({ id, key }), macOf: createStateMac({ id, key }) };
}

function lastOf(db: Database.Database): bigint {
  if (!hasTable(db, "events")) return 0n;
  const last = prepareRows<[], { readonly last: bigint | null }>(
    db,
    "SELECT max(position) AS last FROM events",
  );
  return last.get()?.last ?? 0n;
}

function begin(
  db: Database.Database,
  { id, key, event }: BegunLog,
  projector: Projector,
  random: OpenOptions["random"],
): void {
  db.prepare("INSERT INTO head VALUES (?, 0, ?)").run(id, firstLink);
  const firstOf = (found?: Found) =>
    event && { ...event(found), stream: logStream(id), version: 1 };
  if (sourceOf(db) === "events") {
    const first = firstOf();
    const check = createCheck({ id, key });
    const end = prepareEnd(db, { seal: createSeal({ id, key }, random), check });
    if (first !== undefined) end.record(first);
    end.save();
    return;
  }
  checkUnchained(db);
  const found = foundIn(db, "unchained");
  const last = found.position;
  const first = firstOf(found);
  if (first !== undefined) {
    const { stream, version, type, owner, actor, timeMs, payload } = first;
    const said = [stream, version, type, owner, actor, timeMs, payload, checksumOf(first)];
    db.prepare("INSERT INTO unchained VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)").run(last + 1n, ...said);
  }
  rebuild(db, projector, createStateMac({ id, key }), { source: "unchained" });
}

/** Throws at the first event that is missing, or not as it was appended. */
function checkUnchained(db: Database.Database): void {
  const all = prepareRows<[], EventColumns & { readonly checksum: bigint | null }>(
    db,
    `SELECT ${eventColumns}, events.checksum FROM unchained AS events ORDER BY position`,
  );
  let last = 0n;
  for (const columns of all.iterate()) {
    const { position, checksum } = columns;
    const isNext = position === last + 1n;
    if (!isNext || checksum !== BigInt(checksumOf(toEvent(columns)))) {
      const what = isNext ? "is not what was appended (its checksum)" : "is missing";
      const where = `the event at position ${isNext ? position : last + 1n}`;
      throw new Error(`${where} ${what}: restore a backup of ${db.name}.`);
    }
    last = position;
  }
}

/** What a log has: the SHA-256 of its events as lines of JSON, up to one where that is given. */
function foundIn(
  db: Database.Database,
  table: "events" | "unchained",
  until: bigint = 2n ** 63n - 1n,
): Found {
  const all = prepareRows<[bigint], EventColumns>(
    db,
    `SELECT ${eventColumns} FROM ${table} AS events WHERE position <= ? ORDER BY position`,
  );
  const hash = createHash("sha256");
  let position = 0n;
  for (const columns of all.iterate(until)) {
    const { stream, version, type, owner, actor, timeMs, payload } = toEvent(columns);
    position = columns.position;
    const said = [String(position), stream, version, type, owner, actor, timeMs, payload];
    hash.update(`${JSON.stringify(said)}\n`);
  }
  return { position, hash: hash.digest() };
}

function assertChaining(db: Database.Database): void {
  // One moment: others may end with it meanwhile.
  if (db.transaction(() => hasForeign(db))()) throw new Error(forgedEvents(db));
}

function forgedEvents(db: Database.Database): string {
  return `${db.name} has ${foreignEvents}: restore a backup.`;
}

/** How events are chained. */
interface Chaining {
  readonly seal: Seal;
  hasFound(found: Found): boolean;
  /** So many at once. */
  readonly events: number;
}

/**
 * Chains the first events that are not; answers whether there are more. Throws where all are, and
 * they are not those that were found when the log began.
 */
function chainPiece(db: Database.Database, { seal, hasFound, events }: Chaining): boolean {
  if (!hasTable(db, "unchained")) return false;
  const next = prepareRows<[bigint], EventColumns>(
    db,
    `SELECT ${eventColumns} FROM unchained AS events
     WHERE position > ? ORDER BY position LIMIT 1`,
  );
  const head = prepareRows<[], { readonly position: bigint; readonly link: Uint8Array }>(
    db,
    "SELECT position, link FROM head",
  );
  const insert = prepareInsert(db);
  let { position, link } = head.get() ?? { position: 0n, link: firstLink };
  const until = position + BigInt(events);
  let columns = next.get(position);
  for (; columns !== undefined && columns.position <= until; columns = next.get(position)) {
    const event = toEvent(columns);
    const sealed = seal(event, link);
    insert(event, sealed);
    position = event.position;
    link = sealed.link;
  }
  db.prepare("DELETE FROM unchained WHERE position <= ?").run(position);
  db.prepare("UPDATE head SET position = ?, link = ?").run(position, link);
  if (columns !== undefined) return true;
  db.exec("DROP TABLE unchained");
  const id = idIn(db) ?? "";
  const [begun] = ownEvents(db, id);
  const found = foundIn(db, "events", (begun?.position ?? 1n) - 1n);
  if (begun !== undefined && !hasFound(found)) throw new Error(forgedEvents(db));
  return false;
}
