import { assertNoStrangers, type Named, strange } from "../../strangers.ts";
import type { Report } from "../../verify/text.ts";
import type { Connection } from "../pool.ts";
import { isTooOld, openOnce, schema, schemaText } from "../schema.ts";

/**
 * Checks that the database has the tables, indexes and functions of this program, and nothing that
 * changes what is written into them. Answers whether it has the tables.
 */
export async function checkTables(connection: Connection, report: Report): Promise<boolean> {
  const [at] = await connection.query<{ there: boolean }>(
    "SELECT to_regclass('iam.schema') IS NOT NULL AS there",
  );
  if (at?.there !== true) {
    report("database: it has no event log of this service: restore the newest copy of it");
    return false;
  }
  const versions = await connection.query<{ version: number }>("SELECT version FROM iam.schema");
  const found = versions.length === 1 ? versions[0]?.version : undefined;
  if (found !== schema) {
    const older = isTooOld(found ?? 0) ? openOnce : "run migrate";
    const todo = (found ?? 0) < schema ? older : "use the newer program";
    report(`database: it has schema ${found ?? "none"}, this program schema ${schema}: ${todo}`);
    return false;
  }
  const others = await othersIn(connection);
  for (const { said } of others) report(`database: ${said}`);
  return !others.some(({ kind }) => kind === "table");
}

/**
 * Throws where something is not as this program made it, which may change or refuse what is
 * written. An index less does neither.
 */
export async function assertOwn(connection: Connection): Promise<void> {
  const others = await othersIn(connection);
  assertNoStrangers(others.filter(({ kind }) => kind !== "index").map(({ said }) => said));
}

/** What is not as this program made it, and what is said of it. */
async function othersIn(
  connection: Connection,
): Promise<readonly { readonly kind: string; readonly said: string }[]> {
  const things = await connection.query<Thing>(thingsText);
  const there = new Map(things.map(({ kind, name, body }) => [`${kind} ${name}`, body]));
  const changed = [...expected]
    .filter(([thing, body]) => there.get(thing) !== body)
    .map(([thing]) => {
      const [kind = ""] = thing.split(" ");
      const what = there.has(thing) ? "not that of this schema" : "missing";
      return { kind, said: `the ${thing} is ${what}` };
    });
  const added = things
    .filter(({ kind, name, refuses }) => refuses && !expected.has(`${kind} ${name}`))
    .map((thing) => ({ kind: "stranger", said: strange(thing) }));
  return [...changed, ...added];
}

interface Thing extends Named {
  /** Of a function. */
  readonly body: string | null;
  /** Whether it may change or refuse what is written. */
  readonly refuses: boolean;
}

/**
 * What is there. Of indexes those that refuse rows, and those that are used; of constraints those
 * that are no keys of this program, and those of other tables that refer to its own.
 */
const thingsText = `
  WITH own AS (
    SELECT c.oid, c.relname, c.relkind FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'iam'
  )
  SELECT 'table' AS kind, relname::text AS name, NULL AS body, false AS refuses
    FROM own WHERE relkind = 'r'
  UNION ALL
  SELECT 'index', own.relname, NULL, refuses FROM own JOIN pg_index i ON i.indexrelid = own.oid,
    LATERAL (SELECT (i.indisunique OR i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = own.oid) AS refuses) AS asked
    WHERE refuses OR (i.indisvalid AND i.indisready)
  UNION ALL
  SELECT 'constraint', c.conname, NULL, true FROM pg_constraint c
    JOIN own ON own.oid IN (c.conrelid, c.confrelid)
    WHERE c.contype IN ('c', 'f', 'u', 'x')
      AND c.conname NOT IN ('events_stream_version_key', 'objects_first_key')
  UNION ALL
  SELECT 'function', p.proname, p.prosrc, false FROM pg_proc p
    JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'iam'
  UNION ALL
  SELECT 'trigger', t.tgname, NULL, true FROM pg_trigger t
    JOIN own ON own.oid = t.tgrelid WHERE NOT t.tgisinternal
  UNION ALL
  SELECT 'rule', r.rulename, NULL, true FROM pg_rewrite r JOIN own ON own.oid = r.ev_class
  ORDER BY kind, name`;

const step =
  /\b(CREATE|DROP) (?:OR REPLACE |UNIQUE )?(TABLE|INDEX|FUNCTION) (?:IF EXISTS )?(?:iam\.)?(\w+)/g;

/** What the migrations leave, with the bodies of functions. */
const expected: ReadonlyMap<string, string | null> = read();

function read(): ReadonlyMap<string, string | null> {
  const made = new Map<string, string | null>();
  for (const { 1: does, 2: kind = "", 3: name = "", index } of schemaText.matchAll(step)) {
    const thing = `${kind.toLowerCase()} ${name}`;
    const [, body = null] = kind === "FUNCTION" ? schemaText.slice(index).split("$function$") : [];
    if (does === "CREATE") made.set(thing, body);
    else made.delete(thing);
  }
  return made;
}
