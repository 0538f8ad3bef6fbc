import pg from "pg";
import type { PostgresLimits } from "../../src/store/postgres/limits.ts";
import { rebuildPostgres } from "../../src/store/postgres/rebuild-database.ts";
import { verifyPostgres } from "../../src/store/postgres/verify/verify.ts";
import type { Projector } from "../../src/store/projector.ts";
import type { Verified } from "../../src/store/verify/verified.ts";
import { logPath } from "../harness/postgres.ts";
import { viewsInDatabase } from "../harness/texts.ts";
import { live, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { postgresPlace } from "./postgres-place.ts";

/** Somewhere to damage one log again and again. */
export interface DamagePlace {
  readonly url: string;
  /** Changes the database past the store, as its owner. Names need no schema. */
  damage(...texts: string[]): Promise<void>;
  /** Makes all tables what they were at first. */
  mend(): Promise<void>;
  remove(): Promise<void>;
}

/** A database with the log of `live` and everything that follows from it. */
export async function damagePlace(): Promise<DamagePlace> {
  const place = await postgresPlace();
  const store = await place.open();
  await live(store);
  await store.close();
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  const damage = async (...texts: string[]) => {
    for (const text of texts) await client.query(text);
  };
  await damage(logPath, "DROP SCHEMA IF EXISTS kept CASCADE", "CREATE SCHEMA kept");
  // A database of before may have what another projection left.
  const tables = await client.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = ANY (current_schemas(false))",
  );
  const names = tables.rows.map(({ name }) => name);
  await damage(...names.map((name) => `CREATE TABLE kept.${name} AS TABLE ${name}`));
  await damage(viewsInDatabase);
  return {
    url: place.url,
    damage,
    mend: () =>
      damage(
        names
          .map((name) => {
            const values = name === "turns" ? "OVERRIDING SYSTEM VALUE " : "";
            return `DELETE FROM ${name}; INSERT INTO ${name} ${values}SELECT * FROM kept.${name}`;
          })
          .join("; "),
      ),
    remove: async () => {
      await damage("DROP SCHEMA kept CASCADE");
      await client.end();
      await place.remove();
    },
  };
}

/** Every line that a verification says, in the order of their letters, and what it looked at. */
export async function verified(
  url: string,
  projector: Projector = things(),
  limits: Partial<PostgresLimits> = {},
): Promise<Verified & { readonly lines: readonly string[] }> {
  const lines: string[] = [];
  const options = { url, projector, limits, keys: sealing.keys };
  const counts = await verifyPostgres(options, (line) => void lines.push(line));
  return { ...counts, lines: lines.sort() };
}

export function rebuilt(url: string, projector: Projector = things()) {
  return rebuildPostgres({ url, projector, keys: sealing.keys });
}
