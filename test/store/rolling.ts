import { setTimeout as pause } from "node:timers/promises";
import { expect } from "@jest/globals";
import pg from "pg";
import { createCheck } from "../../src/store/chain/chain.ts";
import { createRowMac } from "../../src/store/chain/row-mac.ts";
import { type PostgresLimits, postgresLimits } from "../../src/store/postgres/limits.ts";
import { createPool } from "../../src/store/postgres/pool.ts";
import { bringUpToDate } from "../../src/store/postgres/upgrade.ts";
import type { Projector } from "../../src/store/projector.ts";
import { runOn } from "../start/database-place.ts";
import { things } from "./fixture.ts";
import { identity } from "./keys.ts";
import { verified } from "./postgres-damage.ts";
import { type PostgresPlace, postgresPlace } from "./postgres-place.ts";

// A program that takes over a log from one of another revision.

/** A database without what a program of any revision has made. */
export async function placeBefore(): Promise<PostgresPlace> {
  const place = await postgresPlace();
  await runOn(place.url, [
    `DO $$ DECLARE name text; BEGIN
       FOR name IN SELECT nspname FROM pg_namespace WHERE nspname ~ '^iam_r'
       LOOP EXECUTE 'DROP SCHEMA ' || name || ' CASCADE'; END LOOP;
     END $$`,
  ]);
  return place;
}

/** What a program makes of the log that gives all things another kind. */
export function other(): Projector {
  const { project } = things();
  return {
    revision: 2,
    project: (events) => {
      const { row, ...rest } = project(events);
      return { ...rest, row: row && { ...row, kind: "other" } };
    },
  };
}

/** Fails unless all is as that program has it, and nothing is left of what was there before. */
export async function expectTakenOver(url: string): Promise<void> {
  expect(await verified(url, other())).toMatchObject({ lines: [], unchecked: undefined });
  const left = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'iam\\_r%' ORDER BY 1";
  expect(await runOn(url, [left])).toEqual([{ nspname: "iam_r2" }]);
}

/** What a new node does before it serves. */
export async function upgrade(url: string, replaced: Partial<PostgresLimits> = {}): Promise<void> {
  const limits = { ...postgresLimits, ...replaced };
  const projector = other();
  const pool = createPool(url, limits, projector.revision);
  const seals = { check: createCheck(identity), rowMac: createRowMac(identity) };
  const upgrading = { log: identity.id, projector, ...seals, limits };
  await bringUpToDate(pool, url, upgrading).finally(pool.close);
}

/** Has the nth statement that inserts into a table wait until the gate is open. */
export async function gateAt(url: string, table: string, nth: number) {
  const run = (...texts: string[]) => runOn(url, texts);
  await run(
    "DROP SEQUENCE IF EXISTS public.passed; CREATE SEQUENCE public.passed",
    `CREATE OR REPLACE FUNCTION public.gate() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF nextval('public.passed') = ${nth} THEN PERFORM pg_advisory_xact_lock(42); END IF;
         RETURN NULL;
       END $$`,
    `CREATE TRIGGER gate AFTER INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION public.gate()`,
  );
  const holder = new pg.Client({ connectionString: url });
  await holder.connect();
  await holder.query("SELECT pg_advisory_lock(42)");
  const waits =
    "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted";
  return {
    /** Resolves to who waits at it. */
    reached: async (): Promise<unknown> => {
      for (;;) {
        const [waiting] = (await holder.query(waits)).rows;
        if (waiting !== undefined) return waiting.pid;
        await pause(5);
      }
    },
    /** Opens it; answers how often it was passed by the end of the work. */
    open: async (work: Promise<void>): Promise<number> => {
      await holder.query("SELECT pg_advisory_unlock(42)");
      await work.catch(() => {});
      await holder.end();
      const [{ last = 0 } = {}] = await run("SELECT last_value AS last FROM public.passed");
      await run(`DROP TRIGGER gate ON ${table}`);
      return Number(last);
    },
  };
}
