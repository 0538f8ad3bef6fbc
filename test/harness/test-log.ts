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

/** Opens a log that is empty: in the file, or in a database that is given back at the end. */
export async function openTestLog(
  kind: LogKind = chosenKind(),
  path: string,
  opening: Opening,
): Promise<Store> {
  if (kind === "file") return await openSqlite({ path, ...opening });
  const server = await postgresServer();
  const database = await server.takeDatabase();
  const { url } = kind === "postgres" ? server : await poolerTo(server.socket);
  const store = await openPostgres({ url: url(database), ...opening });
  const close = async () => {
    await store.close();
    await server.giveBack(database);
  };
  return { ...store, close };
}
