import { afterEach, beforeEach } from "@jest/globals";
import pg from "pg";
import { fillPostgres } from "../../src/store/postgres/fill.ts";
import { readPostgresLog } from "../../src/store/postgres/read-log.ts";
import { logPath } from "../harness/postgres.ts";
import { attachmentDamages } from "./attachments.ts";
import { rebuilt, verified } from "./postgres-damage.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

let place: PostgresPlace;
let other: PostgresPlace;

async function damage(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  await client.query(`${logPath}; ${sql}`);
  await client.end();
}

describeOnPostgres("in PostgreSQL,", () => {
  beforeEach(async () => {
    [place, other] = [await postgresPlace(), await postgresPlace()];
  });
  afterEach(async () => {
    await place.remove();
    await other.remove();
  });

  attachmentDamages(
    () => ({
      open: () => place.open(),
      damage,
      verify: async () => (await verified(place.url)).lines,
      rebuild: () => rebuilt(place.url),
      read: () => readPostgresLog(place.url),
      fill: () => fillPostgres(other.url),
      verifyFilled: async () => (await verified(other.url)).lines,
      openFilled: () => other.open(),
    }),
    (bytes) => `'\\x${bytes.toString("hex")}'::bytea`,
  );
});
