import type Database from "better-sqlite3";
import { createCheck } from "../../chain/chain.ts";
import type { LogCounts } from "../../log-counts.ts";
import { createSteps } from "../../progress.ts";
import { checkSeals, type SealsIdentity, sealsOf } from "../../verify/sealed.ts";
import { checkStreams } from "../../verify/streams.ts";
import type { Report } from "../../verify/text.ts";
import {
  checkRevision,
  lostHead,
  nothingVerified,
  type Verified,
  type VerifyOptions,
  verifiedWith,
  withoutId,
} from "../../verify/verified.ts";
import { headsIn } from "../chain.ts";
import { keepInMemory } from "../connection.ts";
import { prepareHead } from "../head.ts";
import { idIn, ownEvents } from "../id.ts";
import { type SqliteLimits, sqliteLimits } from "../limits.ts";
import { checkFile, checkTables, isCorrupt } from "./file.ts";
import { type Pieces, readInPieces } from "./pieces.ts";
import { createReader } from "./reader.ts";
import { openUnchanged } from "./snapshot.ts";
import { startSealsThread } from "./thread.ts";

/**
 * Proves that a file is whole, without changing anything: the file itself, the log up to where it
 * ended when this began, and that everything derived is what the projector makes of the log.
 * Reports each damage as one line without anything that payloads and states hold; values of claims
 * are named. Others may append meanwhile: no read keeps the WAL for longer than `pieceMs`, besides
 * SQLite's own check of one table. It holds the events of one stream in memory at a time, or of
 * what is read in a piece.
 *
 * Where events are damaged, what should follow from them cannot be known: the rows of such a stream
 * are not compared. Rows of another projection revision are reported once, and not compared either,
 * except for what they say of versions, owners, positions and times.
 *
 * Rejects with an `Error` when there is no file, or SQLite cannot read it as a database.
 */
export async function verifySqlite(options: FileOptions, report: Report): Promise<Verified> {
  const limits = { ...sqliteLimits, ...options.limits };
  const db = openUnchanged(options.path, limits);
  try {
    keepInMemory(db, limits);
    return await verify({ ...options, db, limits, pieces: readInPieces(db, limits) }, report);
  } finally {
    db.close();
  }
}

/** The file, the projector of its objects, and who knows its keys. */
interface FileOptions extends VerifyOptions<SqliteLimits> {
  readonly path: string;
}

interface Verifying extends Omit<FileOptions, "limits"> {
  readonly db: Database.Database;
  readonly limits: SqliteLimits;
  readonly pieces: Pieces;
}

async function verify(verifying: Verifying, report: Report): Promise<Verified> {
  const { db, pieces, projector, keys } = verifying;
  const isWhole = await checkFile(db, pieces, report);
  if (!(await pieces(() => checkTables(db, report)))) {
    return nothingVerified("Nothing else was checked: its tables are not as expected.");
  }
  const { id, own } = await pieces(() => ownIn(db));
  if (!isWhole) {
    const events = await checkReadable(db, pieces, id, report);
    return { ...nothingVerified(damagedFile), events };
  }
  if (id === undefined) {
    report(lostHead);
    return nothingVerified(withoutId);
  }
  const key = await keys?.open(id, own);
  const isCurrent = await pieces(() => checkRevision(revisionsIn(db), projector, report));
  const identity = { id, ...(key === undefined ? {} : { key }) };
  const counts = await checkAll({ ...verifying, identity, isCurrent }, report);
  return verifiedWith(counts, { isCurrent, hasKey: key !== undefined });
}

const damagedFile = "Streams and what follows from them were not checked: the file is damaged.";

function ownIn(db: Database.Database) {
  const id = idIn(db);
  return { id, own: id === undefined ? [] : ownEvents(db, id) };
}

function revisionsIn(db: Database.Database): readonly number[] {
  return db.prepare<[], number>("SELECT revision FROM projection LIMIT 2").pluck().all();
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
  { db, pieces, path, limits, progress, heads = [], erasures, ...known }: CheckingAll,
  report: Report,
): Promise<LogCounts> {
  const { identity, projector, isCurrent } = known;
  const reader = createReader(db, pieces);
  const newSteps = () => createSteps(limits.progressSteps, progress);
  const compare = (damaged: ReadonlySet<bigint>, to: Report) =>
    checkStreams(reader, { projector, isCurrent, erasures, damaged, steps: newSteps() }, to);
  if ((await pieces(prepareHead(db))).position < limits.threadEvents) {
    const own = () => headsIn(db);
    const seals = { ...sealsOf(identity), own, heads, steps: newSteps() };
    const { events, objects, damaged } = await checkSeals(reader, seals, report);
    return { events, objects, ...(await compare(damaged, report)) };
  }
  const thread = startSealsThread({ path, identity, heads, limits }, { report, progress });
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
    const check = createCheck({ id: id ?? "" });
    const own = () => headsIn(db);
    const seals = { id: id ?? "", check, own, isOfChain: true };
    return (await checkSeals(createReader(db, pieces), seals, report)).events;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    report("log: SQLite cannot read it to its end");
    return 0;
  }
}
