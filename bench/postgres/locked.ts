import { randomBytes } from "node:crypto";
import pg from "pg";
import { v7 } from "uuid";
import { projector } from "../../src/log/projector.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { named } from "../../src/store/postgres/revision.ts";
import { addLists, numberOf } from "../../src/store/postgres/texts.ts";
import { answerParent } from "../child.ts";
import { keepInFlight, type Waiting } from "./waiting.ts";

/**
 * What the store is compared with: each append in a transaction of its own that holds an advisory
 * lock over round trips. It writes the rows of one AddAPIApp into the store's own tables, but what
 * seals them is no hash of anything. The first argument is the URL of the database.
 */
const [, , url = ""] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: postgresLimits.connections });
// The server may end before this process.
pool.on("error", () => {});
const seal = randomBytes(32);
const salt = randomBytes(16);
const project = v7();
const hash = "0123456789abcdef".repeat(4);

async function append(): Promise<void> {
  const client = await pool.connect();
  try {
    // Statements have names, so that each is parsed and planned once.
    const ask = async (name: string, text: string, values: readonly unknown[] = []) =>
      (await client.query({ name, text, values: [...values] })).rows;
    await client.query("BEGIN");
    await ask("lock", "SELECT pg_advisory_xact_lock(1)");
    const [head] = await ask(
      "head",
      "SELECT position FROM iam.events ORDER BY position DESC LIMIT 1",
    );
    const id = v7();
    const stream = `app-${id}`;
    const streams = [[stream, `project-${project}`]];
    await ask("load", loadText, streams);
    const first = BigInt(head?.position ?? 0) + 1n;
    const name = `application ${id}`;
    const nowMs = Date.now();
    const added = JSON.stringify({ projectId: project, name });
    const config = { clientId: id, clientSecretHash: hash, authMethod: "PRIVATE_KEY_JWT" };
    await ask("events", eventsText, [
      ...[[first, first + 1n], stream, [1, 2], types, project, nowMs],
      ...[[added, JSON.stringify(config)], salt, seal],
    ]);
    const state = JSON.stringify({ projectId: project, name, config });
    const object = [
      stream,
      first,
      project,
      JSON.stringify({ name }),
      nowMs,
      first + 1n,
      state,
      seal,
    ];
    await ask("object", objectText, object);
    const parts = [
      ["app", "app"],
      ["name", "client"],
      [project, ""],
      [name, id],
    ];
    await ask("lists", listsText, parts.slice(0, 3));
    await ask("texts", textsText, [...parts, first]);
    await client.query("COMMIT");
  } finally {
    client.release();
  }
}

const own = (text: string) => named(text, projector.revision);
const types = ["project.application.added", "project.application.config.api.added"];
const eventsText = `INSERT INTO iam.events
  (position, stream, version, type, owner, actor, time, payload, salt, mac, link)
  SELECT e.position, $2, e.version, e.type, $5, $5, $6, e.payload, $8, $9, $9
  FROM unnest($1::bigint[], $3::bigint[], $4::text[], $7::text[])
    AS e(position, version, type, payload)`;
const loadText = own("SELECT version FROM derived.objects WHERE stream = ANY($1)");
const objectText = own(`INSERT INTO derived.objects
  (stream, first, version, owner, kind, parent, fields, created, changed, position, state, mac)
  VALUES ($1, $2, 2, $3, 'app', $3, $4, $5, $5, $6, $7, $8)`);
const listsText = own(
  addLists("unnest($1::text[], $2::text[], $3::text[]) AS x(kind, name, parent)"),
);
const textsText = own(`INSERT INTO derived.texts (list, text, tie, first, listed)
  SELECT ${numberOf("x")}, x.text, 0, $5, x.name = 'name'
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS x(kind, name, parent, text)`);

const answers = { run: (waiting: Waiting) => keepInFlight(waiting, append) };

/** What can be asked of it. */
export type LockedAnswers = typeof answers;

answerParent(answers, () => pool.end());
