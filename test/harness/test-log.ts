import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { projector } from "../../src/log/projector.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { grantTo } from "../../src/store/postgres/schema.ts";
import type { Projector } from "../../src/store/projector.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { sealingIn } from "./log-keys.ts";
import { poolerTo } from "./pgbouncer.ts";
import { logPath, logTables, postgresServer } from "./postgres.ts";

/** Where the log of a test lies. */
export type LogKind = "file" | "postgres" | "pgbouncer";

/** Where logs of tests lie for which nothing else is said: `IAM_TEST_LOG`, or in a file. */
export function chosenKind({ IAM_TEST_LOG = "file" } = process.env): LogKind {
  for (const kind of ["file", "postgres", "pgbouncer"] as const) {
    if (kind === IAM_TEST_LOG) return kind;
  }
  throw new Error(`IAM_TEST_LOG is file, postgres or pgbouncer, and not ${IAM_TEST_LOG}`);
}

/** What a statement answers. */
export type Rows = readonly { readonly [name: string]: unknown }[];

type Opening = ReturnType<typeof sealingIn> & {
  readonly projector: Projector;
  readonly committed?: ((writes: number) => void) | undefined;
};

/** A log that is empty at first, for as many stores as a test opens. */
export interface TestLog {
  open(opening: Opening): Promise<Store>;
  /** All that it keeps, as text: what its files hold, or its tables. */
  kept(): Promise<string>;
  /** Runs a statement past the store, as one who may write its rows; answers those it has. */
  sql(text: string): Promise<Rows>;
  /** Gives the database back; all stores are closed by then. */
  remove(): Promise<void>;
}

/** Makes one: in the file, or in a database. */
export async function makeTestLog(kind: LogKind = chosenKind(), path: string): Promise<TestLog> {
  if (kind === "file") {
    const kept = () => textOfFiles(path);
    const sql = async (text: string) => runOnFile(path, text);
    return {
      open: (opening) => openSqlite({ path, ...opening }),
      ...{ kept, sql, remove: async () => {} },
    };
  }
  const server = await postgresServer();
  const database = await server.takeDatabase();
  const { url } = kind === "postgres" ? server : await poolerTo(server.socket);
  let granted: Promise<void> | undefined;
  return {
    open: (opening) => openPostgres({ url: url(database), ...opening }),
    kept: () => textOfTables(url(database)),
    sql: async (text) => {
      granted ??= grantServing(server.url(database));
      await granted;
      return runAsServing(server.url(database), text);
    },
    remove: () => server.giveBack(database),
  };
}

/** What the file of a log holds, and those beside it. */
async function textOfFiles(path: string): Promise<string> {
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(basename(path)));
  const files = names.map((name) => readFile(join(dirname(path), name), "latin1"));
  return (await Promise.all(files)).join("");
}

function runOnFile(path: string, text: string): Rows {
  const db = new Database(path, { timeout: 5_000 });
  try {
    const statement = db.prepare<[], Rows[number]>(text);
    if (statement.reader) return statement.all();
    statement.run();
    return [];
  } finally {
    db.close();
  }
}

/** Makes a role that may do what `migrate --role` allows, and no more. */
async function grantServing(connectionString: string): Promise<void> {
  const made = "DO $$ BEGIN CREATE ROLE serving; EXCEPTION WHEN duplicate_object THEN END $$";
  await runOn(connectionString, async (client) => {
    await client.query(made);
    const connection = { query: async (text: string) => (await client.query(text)).rows };
    await grantTo(connection, "serving", projector);
  });
}

async function runAsServing(connectionString: string, text: string): Promise<Rows> {
  return await runOn(connectionString, async (client) => {
    await client.query(`SET ROLE serving; ${logPath}`);
    return (await client.query<Rows[number]>(text)).rows;
  });
}

async function runOn<T>(
  connectionString: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What the tables of a log hold. */
async function textOfTables(connectionString: string): Promise<string> {
  return await runOn(connectionString, async (client) => {
    const { rows: tables } = await client.query<{ name: string }>(logTables);
    let text = "";
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `SELECT t::text AS text FROM ${name} t`,
      );
      text += rows.map((row) => row.text).join("\n");
    }
    return text;
  });
}
