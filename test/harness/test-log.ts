import { readdir, readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import type { Projector } from "../../src/store/projector.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import type { sealingIn } from "./log-keys.ts";
import { poolerTo } from "./pgbouncer.ts";
import { postgresServer } from "./postgres.ts";

/** Where the log of a test lies. */
export type LogKind = "file" | "postgres" | "pgbouncer";

/** Where logs of tests lie for which nothing else is said: `IAM_TEST_LOG`, or in a file. */
export function chosenKind({ IAM_TEST_LOG = "file" } = process.env): LogKind {
  for (const kind of ["file", "postgres", "pgbouncer"] as const) {
    if (kind === IAM_TEST_LOG) return kind;
  }
  throw new Error(`IAM_TEST_LOG is file, postgres or pgbouncer, and not ${IAM_TEST_LOG}`);
}

type Opening = { readonly projector: Projector } & ReturnType<typeof sealingIn>;

/** A log that is empty at first, for as many stores as a test opens. */
export interface TestLog {
  open(opening: Opening): Promise<Store>;
  /** All that it keeps, as text: what its files hold, or its tables. */
  kept(): Promise<string>;
  /** Gives the database back; all stores are closed by then. */
  remove(): Promise<void>;
}

/** Makes one: in the file, or in a database. */
export async function makeTestLog(kind: LogKind = chosenKind(), path: string): Promise<TestLog> {
  if (kind === "file") {
    const kept = () => textOfFiles(path);
    return { open: (opening) => openSqlite({ path, ...opening }), kept, remove: async () => {} };
  }
  const server = await postgresServer();
  const database = await server.takeDatabase();
  const { url } = kind === "postgres" ? server : await poolerTo(server.socket);
  return {
    open: (opening) => openPostgres({ url: url(database), ...opening }),
    kept: () => textOfTables(url(database)),
    remove: () => server.giveBack(database),
  };
}

/** What the file of a log holds, and those beside it. */
async function textOfFiles(path: string): Promise<string> {
  const names = (await readdir(dirname(path))).filter((name) => name.startsWith(basename(path)));
  const files = names.map((name) => readFile(join(dirname(path), name), "latin1"));
  return (await Promise.all(files)).join("");
}

/** What the tables of a log hold. */
async function textOfTables(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'iam'",
    );
    let text = "";
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(
        `SELECT t::text AS text FROM ${name} t`,
      );
      text += rows.map((row) => row.text).join("\n");
    }
    return text;
  } finally {
    await client.end();
  }
}
