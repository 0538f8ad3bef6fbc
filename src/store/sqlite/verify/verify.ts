import type Database from "better-sqlite3";
import { createCheck } from "../../chain/chain.ts";
import type { LogKeys } from "../../chain/keys.ts";
import type { LogCounts } from "../../log-counts.ts";
import { idIn, ownEvents } from "../id.ts";
import { type SqliteLimits, sqliteLimits } from "../limits.ts";
import { createSteps } from "../progress.ts";
import type { SqliteOptions } from "../sqlite.ts";
import { lastIn, type NamedHead, walkChain } from "./chain.ts";
import { checkFile, checkRevision, checkTables, isCorrupt } from "./file.ts";
import { type Pieces, readAll, readInPieces } from "./pieces.ts";
import { checkSeals, type SealsIdentity, sealsOf } from "./sealed.ts";
import { openUnchanged } from "./snapshot.ts";
import { checkStreams } from "./streams.ts";
import type { Report } from "./text.ts";
import { startSealsThread } from "./thread.ts";

/** What was looked at. */
export interface Verified extends LogCounts {
  /** What was not checked, as a sentence that says why; undefined when everything was. */
  readonly unchecked: string | undefined;
}

/**
 * Proves that a file is whole, without changing anything: the file itself, the log up to where it
 * ended when this began, and that everything derived is what the projector makes of the log.
 * Reports each damage as one line without anything that payloads and states hold; values of claims
 * are named. Others may append meanwhile: no read keeps the WAL for longer than `pieceMs`, besides
 * SQLite's own check of one table. It holds the events of one stream in memory at a time, and four
 * bytes for each event.
 *
 * Where events are damaged, what should follow from them cannot be known: the rows of such a stream
 * are not compared. Rows of another projection revision are reported once, and not compared either,
 * except for what they say of versions, owners, positions and times.
 *
 * Rejects with an `Error` when there is no file, or SQLite cannot read it as a database.
 */
export async function verifySqlite(options: VerifyOptions, report: Report): Promise<Verified> {
  const limits = { ...sqliteLimits, ...options.limits };
  const db = openUnchanged(options.path, limits);
  try {
    return await verify({ ...options, db, limits, pieces: readInPieces(db, limits) }, report);
  } finally {
    db.close();
  }
}

const nothing = { events: 0, streams: 0, objects: 0, claims: 0, fields: 0, messages: 0 };

/** The file, the projector of its objects, and who knows its keys. */
export type VerifyOptions = Pick<SqliteOptions, "path" | "projector" | "limits" | "progress"> & {
  /** Left out, only who changes the file and cannot compute hashes is noticed. */
  readonly keys?: Pick<LogKeys, "open"> | undefined;
  /** Where the log once ended, as others have kept it. */
  readonly heads?: readonly NamedHead[];
};

interface Verifying extends Omit<VerifyOptions, "limits"> {
  readonly db: Database.Database;
  readonly limits: SqliteLimits;
  readonly pieces: Pieces;
}

async function verify(verifying: Verifying, report: Report): Promise<Verified> {
  const { db, pieces, projector, keys } = verifying;
  const isWhole = await checkFile(db, pieces, report);
  if (!(await pieces(() => checkTables(db, report)))) {
    return { ...nothing, unchecked: "Nothing else was checked: its tables are not as expected." };
  }
  const { id, own } = await pieces(() => ownIn(db));
  if (!isWhole) {
    const unchecked = "Streams and what follows from them were not checked: the file is damaged.";
    return { ...nothing, events: await checkReadable(db, pieces, id, report), unchecked };
  }
  if (id === undefined) {
    report("log: its head, which names it, is gone: put the backup in its place");
    return { ...nothing, unchecked: "Nothing else was checked: without its id nothing can be." };
  }
  const key = await keys?.open(id, own);
  const isCurrent = await pieces(() => checkRevision(db, projector, report));
  const identity = { id, ...(key === undefined ? {} : { key }) };
  const counts = await checkAll({ ...verifying, identity, isCurrent }, report);
  const unchecked = [
    ...(isCurrent ? [] : [uncompared]),
    ...(key === undefined ? [withoutKey] : []),
  ].join("\n");
  return { ...counts, unchecked: unchecked || undefined };
}

const uncompared = "What follows from the events was not compared: it is of another revision.";
const withoutKey =
  "MACs were not checked, for want of the master key: who can write the file can make links anew.";

function ownIn(db: Database.Database) {
  const id = idIn(db);
  return { id, own: id === undefined ? [] : ownEvents(db, id) };
}

interface CheckingAll extends Verifying {
  readonly identity: SealsIdentity;
  readonly isCurrent: boolean;
}

/**
 * Checks what is sealed, and what follows from it. In a large log both at the same time, in two
 * threads, as if no event were damaged; where some are, what follows is compared once more.
 */
async function checkAll(
  { db, pieces, path, limits, progress, heads = [], ...known }: CheckingAll,
  report: Report,
): Promise<LogCounts> {
  const { identity, projector, isCurrent } = known;
  const newSteps = () => createSteps(limits.progressSteps, progress);
  const compare = (damaged: ReadonlySet<bigint>, to: Report) =>
    checkStreams(db, pieces, { projector, isCurrent, damaged, steps: newSteps() }, to);
  const sealing = { identity, heads, limits };
  if ((await pieces(() => lastIn(db))) < limits.threadEvents) {
    const seals = { ...sealsOf(identity), heads, steps: newSteps() };
    const { events, objects, damaged } = await checkSeals(db, pieces, seals, report);
    return { events, objects, ...(await compare(damaged, report)) };
  }
  const thread = startSealsThread({ path, ...sealing }, { report, progress });
  const lines: string[] = [];
  try {
    const found = await compare(new Set(), (line) => lines.push(line));
    const { events, objects, damaged } = await thread.checked;
    if (damaged.size > 0) return { events, objects, ...(await compare(damaged, report)) };
    for (const line of lines) report(line);
    return { events, objects, ...found };
  } finally {
    await thread.stop();
  }
}

/** The log as far as SQLite can read it. */
async function checkReadable(
  db: Database.Database,
  pieces: Pieces,
  id: string | undefined,
  report: Report,
): Promise<number> {
  try {
    const chain = await pieces(() => walkChain(db, createCheck({ id: id ?? "" }), report));
    await readAll(pieces, chain.next);
    return chain.end().events;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    report("log: SQLite cannot read it to its end");
    return 0;
  }
}
