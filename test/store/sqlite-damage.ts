import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Projector } from "../../src/store/projector.ts";
import type { SqliteLimits } from "../../src/store/sqlite/limits.ts";
import { rebuildSqlite } from "../../src/store/sqlite/rebuild-file.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { verifySqlite } from "../../src/store/sqlite/verify/verify.ts";
import type { Verified } from "../../src/store/verify/verified.ts";
import { viewTexts } from "../harness/texts.ts";
import { live, things } from "./fixture.ts";
import { sealing } from "./keys.ts";

/** Somewhere to damage copies of one log, each in its own file. */
export interface DamagePlace {
  readonly directory: string;
  /** A file with the log of `live` and everything that follows from it. */
  copy(): Promise<string>;
  remove(): Promise<void>;
}

export async function damagePlace(): Promise<DamagePlace> {
  const directory = await mkdtemp(join(tmpdir(), "iam-damage-"));
  const whole = join(directory, "whole.db");
  const store = await openSqlite({ path: whole, projector: things(), ...sealing });
  await live(store);
  await store.close();
  let copies = 0;
  return {
    directory,
    copy: async () => {
      copies += 1;
      const path = join(directory, `${copies}.db`);
      await copyFile(whole, path);
      return path;
    },
    remove: () => rm(directory, { recursive: true }),
  };
}

/** Changes the file past the store. */
export function damage(path: string, sql: string, then?: (db: Database.Database) => void): void {
  const db = viewTexts(new Database(path));
  db.pragma("synchronous = OFF");
  db.exec(sql);
  then?.(db);
  db.close();
}

/** Every line that a verification says, and what it looked at. */
export async function verified(
  path: string,
  projector: Projector = things(),
  limits: Partial<SqliteLimits> = {},
): Promise<Verified & { readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const counts = await verifySqlite(
    { path, projector, limits, ...sealing },
    (line) => void lines.push(line),
  );
  return { ...counts, lines };
}

export function rebuilt(
  path: string,
  projector: Projector = things(),
  limits: Partial<SqliteLimits> = {},
) {
  return rebuildSqlite({ path, projector, limits, ...sealing });
}
