import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { makeCluster, runOn } from "./postgres-cluster.ts";

/** A server of this process, which ends with it. */
export interface PostgresServer {
  /** Where the programs of it are, and where its socket lies. */
  readonly bin: string;
  readonly socket: string;
  /** The URL of a database. */
  url(database: string): string;
  /** An empty database, for one at a time. */
  takeDatabase(): Promise<string>;
  /** Gives it back, with whatever is in it. */
  giveBack(database: string): Promise<void>;
}

/** Test files of one worker have modules of their own, and one server. */
const shared = globalThis as { iamTestPostgres?: Promise<PostgresServer> };

/** The server of this process, which is started when it is first asked for. */
export function postgresServer(): Promise<PostgresServer> {
  shared.iamTestPostgres ??= startServer();
  return shared.iamTestPostgres;
}

async function startServer(): Promise<PostgresServer> {
  const cluster = makeCluster(mkdtempSync(join(tmpdir(), "iam-pg-")), { isRemoved: true });
  const settings = ["fsync=off", "max_connections=300", "shared_buffers=32MB"];
  await cluster.start([...settings, "log_min_messages=fatal"]);
  const { bin, socket, url } = cluster;
  return { bin, socket, url, ...databases(cluster.url) };
}

/** Has a session look names up among the tables of a log, and of the revision that serves it. */
export const logPath = `
  SET search_path = iam;
  DO $$ BEGIN
    IF to_regclass('projection') IS NOT NULL THEN
      PERFORM set_config('search_path', 'iam, iam_r' || abs(revision), false) FROM projection;
    END IF;
  END $$`;

/** The query for the `name` of each table of a log, and of what was made of it, with its schema. */
export const logTables = `SELECT schemaname || '.' || tablename AS name FROM pg_tables
  WHERE schemaname ~ '^iam(_r[0-9]+)?$' ORDER BY 1`;

/** Leaves the tables, if there are any, as they were made: that is faster than to make them. */
const emptied = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN ${logTables}
    LOOP IF name <> 'iam.schema' THEN EXECUTE 'DELETE FROM ' || name; END IF; END LOOP;
    IF to_regclass('iam.projection') IS NOT NULL THEN
      INSERT INTO iam.projection VALUES (-1);
    END IF;
  END $$`;

/** The SQLSTATE of a connection that an administrator has ended. */
const adminShutdown = "57P01";

/** A connection that may keep the process from ending; its types leave that out. */
type Cleaner = pg.Client & { ref(): void; unref(): void };

function databases(url: PostgresServer["url"]) {
  const free: string[] = [];
  const cleaners = new Map<string, Cleaner>();

  /** A connection that stays, as each new one takes longer than what it does here. */
  async function cleanerOf(database: string): Promise<Cleaner> {
    const known = cleaners.get(database);
    if (known !== undefined) return known;
    const client = new pg.Client({ connectionString: url(database) }) as Cleaner;
    client.on("error", () => cleaners.delete(database));
    await client.connect();
    client.unref();
    cleaners.set(database, client);
    return client;
  }
  async function empty(database: string): Promise<void> {
    const client = await cleanerOf(database);
    client.ref();
    await client.query(emptied);
    const { rows } = await client.query<{ readonly name: string }>(logTables);
    // Otherwise the planner takes tables for empty that are filled again.
    if (rows.length > 0) await client.query(`VACUUM ${rows.map(({ name }) => name).join(", ")}`);
    client.unref();
  }
  let made = 0;
  return {
    async takeDatabase() {
      const known = free.pop();
      if (known !== undefined) return known;
      made += 1;
      const name = `iam_${made}`;
      await runOn(url("postgres"), `CREATE DATABASE ${name}`);
      return name;
    },
    async giveBack(database: string) {
      try {
        await empty(database);
      } catch (error) {
        // A test may just have ended all connections of the database.
        if (!(error instanceof pg.DatabaseError) || error.code !== adminShutdown) throw error;
        cleaners.delete(database);
        await empty(database);
      }
      free.push(database);
    },
  };
}
