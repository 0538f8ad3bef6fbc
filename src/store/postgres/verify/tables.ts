import type { Projector } from "../../projector.ts";
import { assertNoStrangers, otherSchema, strange } from "../../strangers.ts";
import type { Report } from "../../verify/text.ts";
import { raised, refused } from "../errors.ts";
import type { Pool } from "../pool.ts";
import { named, schemaOf } from "../revision.ts";
import { isTooOld, openOnce, schema } from "../schema.ts";
import { madeOfLog, madeOfRevision } from "./made.ts";
import { begin, type Thing, thingsText } from "./things.ts";

/**
 * Checks that the database has the tables, indexes and functions of this program, and nothing that
 * changes what is written into them. Answers whether it has the tables. Those of another revision,
 * which the pool is of, are of no form that this program knows: that they are there is enough.
 */
export async function checkTables(
  pool: Pool,
  { revision }: Projector,
  ofPool: number,
  report: Report,
): Promise<boolean> {
  const [at] = await pool.query<{ there: boolean }>(
    "SELECT to_regclass('iam.schema') IS NOT NULL AS there",
  );
  if (at?.there !== true) {
    report("database: it has no event log of this service: restore the newest copy");
    return false;
  }
  const found = await schemaIn(pool);
  if (found !== schema) {
    const older = isTooOld(found ?? 0) ? openOnce : "run migrate";
    const todo = (found ?? 0) < schema ? older : "use the newer version of the program";
    report(`database: it has schema ${found ?? "none"}, this program schema ${schema}: ${todo}`);
    return false;
  }
  const [objects] = await pool.query<{ there: boolean }>(
    "SELECT to_regclass('derived.objects') IS NOT NULL AS there",
  );
  if (objects?.there !== true) {
    report(
      `database: the schema ${schemaOf(ofPool)} is missing: start the service, or run rebuild`,
    );
    return false;
  }
  const others = await othersIn(pool, ofPool === revision ? revision : undefined);
  if (others.length > 0) await assertServes(pool, ofPool);
  for (const { said } of others) report(`database: ${said}`);
  return !others.some(({ kind }) => kind === "table");
}

/**
 * Throws where something is not as this program made it, which may change or refuse what is
 * written. An index less does neither, if it is none of a key.
 */
export async function assertOwn(pool: Pool, projector: Projector): Promise<void> {
  assertNoStrangers(await refusedIn(pool, projector));
}

/**
 * Reports the same of a database that is served, whose schema is that of this program: another one
 * is damage, too. A program that brings it to a newer schema has taken it over.
 */
export async function checkServed(pool: Pool, projector: Projector, report: Report): Promise<void> {
  const found = await schemaIn(pool);
  if (found !== schema) {
    report(`database: ${otherSchema({ found: found ?? 0, made: schema })}`);
    return;
  }
  for (const said of await refusedIn(pool, projector)) report(`database: ${said}`);
}

/** What is said of all that may change or refuse what is written. */
async function refusedIn(pool: Pool, { revision }: Projector): Promise<readonly string[]> {
  const others = await othersIn(pool, revision);
  if (others.length > 0) await assertServes(pool, revision);
  return others.filter(({ kind }) => kind !== "slower").map(({ said }) => said);
}

/** Throws where a newer program has taken over: that its tables are others is no damage. */
async function assertServes(pool: Pool, revision: number): Promise<void> {
  const [row] = await pool.query<{ revision: bigint }>("SELECT revision FROM iam.projection");
  if (Number(row?.revision ?? 0) > revision) throw refused(raised.revision);
}

async function schemaIn(pool: Pool): Promise<number | undefined> {
  const versions = await pool.query<{ version: number }>("SELECT version FROM iam.schema");
  return versions.length === 1 ? versions[0]?.version : undefined;
}

interface Other {
  /** Of what this program made its own; `slower` where only an index is missing. */
  readonly kind: string;
  readonly said: string;
}

/**
 * What is not as this program made it of the log, and of a revision unless that is left out, and
 * what is said of it.
 */
async function othersIn(pool: Pool, revision: number | undefined): Promise<readonly Other[]> {
  const made = new Map(madeOfLog);
  const schemas = ["iam"];
  if (revision !== undefined) {
    schemas.push(schemaOf(revision));
    for (const [name, said] of madeOfRevision) made.set(name, named(said, revision));
  }
  const things = await pool.transaction(begin, ({ query }) => query<Thing>(thingsText, [schemas]));
  const isMade = (thing: Thing) => made.get(nameOf(thing)) === thing.definition;
  const [right, wrong] = [things.filter(isMade), things.filter((thing) => !isMade(thing))];
  const [whole, changed] = [new Set(right.map(nameOf)), new Set(wrong.map(nameOf))];
  const less = [...made].filter(([name]) => !whole.has(name));
  const own = less.map(([name, definition]) => {
    const [kind = ""] = name.split(" ");
    if (changed.has(name)) return { kind, said: `the ${name} is not that of this schema` };
    const isSlower = definition.startsWith("CREATE INDEX");
    return { kind: isSlower ? "slower" : kind, said: `the ${name} is missing` };
  });
  // Of two of one name, for example functions with other parameters, one may be right.
  const added = wrong.filter((thing) => !made.has(nameOf(thing)) || whole.has(nameOf(thing)));
  return [...own, ...added.map((thing) => ({ kind: "stranger", said: strange(thing) }))];
}

function nameOf({ kind, name }: Thing): string {
  return `${kind} ${name}`;
}
