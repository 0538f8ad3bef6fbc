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
  /** Gives the database back; all stores are closed by then. */
  remove(): Promise<void>;
}

/** Makes one: in the file, or in a database. */
export async function makeTestLog(kind: LogKind = chosenKind(), path: string): Promise<TestLog> {
  if (kind === "file") {
    return { open: (opening) => openSqlite({ path, ...opening }), remove: async () => {} };
  }
  const server = await postgresServer();
  const database = await server.takeDatabase();
  const { url } = kind === "postgres" ? server : await poolerTo(server.socket);
  return {
    open: (opening) => openPostgres({ url: url(database), ...opening }),
    remove: () => server.giveBack(database),
  };
}
