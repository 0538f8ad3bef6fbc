import type Database from "better-sqlite3";
import { createCheck } from "../../chain/chain.ts";
import type { LogKeys } from "../../chain/keys.ts";
import { createStateMac, type StateMac } from "../../chain/state.ts";
import type { LogCounts } from "../../log-counts.ts";
import type { Projector } from "../../projector.ts";
import { idIn, ownEvents } from "../id.ts";
import { sqliteLimits } from "../limits.ts";
import { createSteps, type Steps } from "../progress.ts";
import type { SqliteOptions } from "../sqlite.ts";
import { type Checked, checkChain, type NamedHead } from "./chain.ts";
import { prepareTally } from "./counts.ts";
import {
  checkObject,
  compare,
  compareEnvelope,
  type Derived,
  fieldsOf,
  hasLostEnd,
  reportOrphans,
} from "./derived.ts";
import { checkFile, checkRevision, checkTables, isCorrupt } from "./file.ts";
import { checkStream, prepareEvents } from "./log.ts";
import { countFields, type DerivedRows, type FieldsBy, prepareDerived } from "./rows.ts";
import { openSnapshot } from "./snapshot.ts";
import type { Report } from "./text.ts";
import { checkTurns } from "./turns.ts";

/** What was looked at. */
export interface Verified extends LogCounts {
  /** What was not checked, as a sentence that says why; undefined when everything was. */
  readonly unchecked: string | undefined;
}

/**
 * Proves that a file is whole as of one moment, without changing anything: the file itself, the
 * log, and that everything derived is what the projector makes of the log. Reports each damage as
 * one line without anything that payloads and states hold; values of claims are named. It holds
 * the events of one stream in memory at a time.
 *
 * Where events are damaged, what should follow from them cannot be known: the rows of such a stream
 * are not compared. Rows of another projection revision are reported once, and not compared either,
 * except for what they say of versions, owners, positions and times.
 *
 * Rejects with an `Error` when there is no file, or SQLite cannot read it as a database.
 */
export async function verifySqlite(
  { path, ...options }: VerifyOptions,
  report: Report,
): Promise<Verified> {
  const limits = { ...sqliteLimits, ...options.limits };
  const steps = createSteps(limits.progressSteps, options.progress);
  const db = await openSnapshot(path, limits);
  try {
    return await verify(db, { ...options, steps }, report);
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

async function verify(
  db: Database.Database,
  { projector, keys, heads = [], steps }: Omit<VerifyOptions, "path"> & Pick<Walk, "steps">,
  report: Report,
): Promise<Verified> {
  const isWhole = checkFile(db, report);
  if (!checkTables(db, report)) {
    return { ...nothing, unchecked: "Nothing else was checked: its tables are not as expected." };
  }
  if (!isWhole) {
    const unchecked = "Streams and what follows from them were not checked: the file is damaged.";
    return { ...nothing, events: checkReadable(db, report), unchecked };
  }
  const id = idIn(db);
  if (id === undefined) {
    report("log: its head, which names it, is gone: put the backup in its place");
    return { ...nothing, unchecked: "Nothing else was checked: without its id nothing can be." };
  }
  const key = await keys?.open(id, ownEvents(db, id));
  const check = createCheck({ id, ...(key === undefined ? {} : { key }) });
  const isCurrent = checkRevision(db, projector, report);
  const { events, damaged } = checkChain(db, check, report, { heads, steps });
  const macOf = key && createStateMac({ id, key });
  steps.begin("comparing what follows from", events, "events");
  const counts = checkStreams({ db, projector, steps, isCurrent, damaged, macOf }, report);
  const unchecked = [
    ...(isCurrent ? [] : [uncompared]),
    ...(key === undefined ? [withoutKey] : []),
  ].join("\n");
  return { ...counts, events, unchecked: unchecked || undefined };
}

const uncompared = "What follows from the events was not compared: it is of another revision.";
const withoutKey =
  "MACs were not checked, for want of the master key: who can write the file can make links anew.";

/** The log as far as SQLite can read it. */
function checkReadable(db: Database.Database, report: Report): number {
  try {
    return checkChain(db, createCheck({ id: idIn(db) ?? "" }), report).events;
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    report("log: SQLite cannot read it to its end");
    return 0;
  }
}

/** What is known of the log when its streams are looked at. */
interface Known extends Pick<Checked, "damaged"> {
  /** Whether what follows from it is of this program's revision. */
  readonly isCurrent: boolean;
  readonly macOf: StateMac | undefined;
}

type StreamCounts = Omit<Verified, "events" | "unchecked">;

/**
 * Compares what follows from each stream. First as if nothing were damaged, for which rows need not
 * be sorted; where anything is, once more, to say what.
 */
function checkStreams(what: Omit<Walk, "isOver">, report: Report): StreamCounts {
  if (what.isCurrent) {
    const damages: string[] = [];
    const look = { ...what, isOver: () => damages.length > 0 };
    const counts = walkStreams(look, "looking up", (damage) => damages.push(damage));
    if (damages.length === 0 && counts.fields === countFields(what.db)) return counts;
  }
  return walkStreams({ ...what, isOver: () => false }, "sorting", report);
}

interface Walk extends Known {
  readonly db: Database.Database;
  readonly projector: Projector;
  readonly steps: Steps;
  /** Whether enough is known. */
  isOver(): boolean;
}

function walkStreams(
  { db, projector, steps, isCurrent, damaged, macOf, isOver }: Walk,
  by: FieldsBy,
  report: Report,
): StreamCounts {
  const eventsOf = prepareEvents(db);
  const rows = prepareDerived(db, by);
  const { claims, fields, messages, holder } = rows;
  const tally = prepareTally(db);
  let [streams, objects] = [0, 0];
  try {
    if (isCurrent) reportOrphans(takeAll(null, rows), report);
    for (const stream of rows.streams()) {
      if (isOver()) break;
      const events = eventsOf(stream);
      for (const _ of events) steps.done();
      const object = rows.object(stream);
      if (macOf !== undefined) checkObject(object, macOf, report);
      streams += events.length > 0 ? 1 : 0;
      objects += object === undefined ? 0 : 1;
      const folded =
        events.length > 0 ? checkStream(events, damaged, projector, report) : undefined;
      const isUnknown = folded === undefined || hasLostEnd(object, events.at(-1), report);
      const projection = isUnknown ? undefined : folded;
      const derived = takeAll(stream, rows, object, fieldsOf(stream, events, projection?.row));
      // Where nobody knows what should follow, the object says under what it is counted.
      tally.add(projection === undefined ? object : projection.row);
      if (events.length === 0) {
        reportOrphans(isCurrent ? derived : { ...none, object }, report);
      }
      if (projection === undefined) continue;
      if (isCurrent) compare(stream, events, projection, { ...derived, holder }, report);
      else compareEnvelope(stream, events, derived, report);
    }
  } finally {
    for (const groups of [claims, fields, messages]) groups.close();
  }
  if (isCurrent) {
    tally.compare(report);
    checkTurns(db, report);
  }
  return {
    ...{ streams, objects },
    ...{ claims: claims.count(), fields: fields.count(), messages: messages.count() },
  };
}

const none: Derived = { object: undefined, claims: [], fields: [], messages: [] };

/** What the derived tables have of a stream, or of no stream at all. */
function takeAll(
  stream: string | null,
  { claims, fields, messages }: DerivedRows,
  object?: Derived["object"],
  expected: Derived["fields"] = [],
): Derived {
  return {
    object,
    claims: stream === null ? [] : claims.take(stream, []),
    fields: fields.take(stream, expected),
    messages: messages.take(stream, []),
  };
}
