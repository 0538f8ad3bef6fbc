import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Projector } from "../../src/store/projector.ts";
import type { SqliteLimits } from "../../src/store/sqlite/limits.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { viewTexts } from "../harness/texts.ts";
import type { Place } from "./conformance/place.ts";
import { things } from "./fixture.ts";
import { sealing } from "./keys.ts";

/** A database file in a directory of its own, which stores and plain connections may share. */
export interface SqlitePlace extends Place {
  readonly path: string;
  /** `committed` hears of each commit how many appends it had. */
  open(
    projector?: Projector,
    limits?: Partial<SqliteLimits>,
    committed?: (writes: number) => void,
  ): Promise<Store>;
  /** A connection past the store, like a second process or somebody with the sqlite3 shell. */
  connect(): Database.Database;
}

/** Makes the directory; `remove` closes every store and connection that the place opened. */
export async function sqlitePlace(): Promise<SqlitePlace> {
  const directory = await mkdtemp(join(tmpdir(), "iam-store-"));
  const path = join(directory, "iam.db");
  const closing: (() => unknown)[] = [];
  return {
    path,
    open: async (projector = things(), limits = {}, committed = () => {}) => {
      const store = await openSqlite({ path, projector, limits, committed, ...sealing });
      closing.push(() => store.close());
      return store;
    },
    connect: () => {
      const db = viewTexts(new Database(path, { timeout: 1_000 }));
      closing.push(() => db.close());
      return db;
    },
    remove: async () => {
      // The newest first: a connection may hold a lock that a closing store waits for.
      for (const close of closing.reverse()) await close();
      await rm(directory, { recursive: true });
    },
  };
}
