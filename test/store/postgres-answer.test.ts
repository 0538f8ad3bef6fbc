import { afterEach, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { OutcomeUnknown, type Store } from "../../src/store/store.ts";
import { eventsOf, record, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "./postgres-place.ts";

// What the function that appends may answer, once somebody has changed it under a service.

let place: PostgresPlace;
let store: Store;
const told: string[] = [];
let undo: string;
beforeEach(async () => {
  place = await postgresPlace();
  const log = {
    fatal: (_: object, text: string) => void told.push(text),
    ...{ error() {}, warn() {}, info() {} },
  };
  store = await openPostgres({ url: place.url, projector: things(), ...sealing, log });
});
afterEach(async () => {
  told.splice(0);
  await store.close();
  await onDatabase((client) => client.query(undo));
  await place.remove();
});

async function onDatabase(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: place.url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Has the function do something else at its end. */
const lie = (text: string) =>
  onDatabase(async (client) => {
    const asked = "SELECT pg_get_functiondef('iam_r1.append'::regproc) AS text";
    const { rows } = await client.query<{ text: string }>(asked);
    undo = rows[0]?.text ?? "";
    const until = /(?=END\s+\$function\$)/;
    await client.query(undo.replace(until, () => `${text}; `));
  });

const forge = "UPDATE iam.events SET position = position + 1 WHERE position = head";
const nothing = "DELETE FROM iam.events WHERE position = head";
/** Nothing is written, and all but the verdict says so. */
const verdicts = (list: string) =>
  `${nothing}; head := head - 1; firsts := '{0}'; verdicts := ${list};
   link := (SELECT e.link FROM iam.events e WHERE e.position = head)`;

describeOnPostgres("an answer of the database to an append", () => {
  it.each([
    ["a verdict in a list of its own", verdicts("ARRAY[verdicts]")],
    ["no verdict", verdicts("'{}'")],
    ["a verdict that is nothing", verdicts("ARRAY[NULL]::integer[]")],
    ["a verdict that there is not", verdicts("'{99}'")],
    ["a number that is none", "whiches := ARRAY[NULL]::integer[]"],
    ["no end", `${nothing}; head := NULL`],
    ["an end before the log", `${nothing}; head := 0; firsts := '{0}'`],
    ["no position", `${nothing}; firsts := '{0}'`],
    ["the position of another", "firsts[1] := firsts[1] - 1"],
    ["the positions of one before", "firsts[1] := firsts[1] - 1; head := head - 1"],
    ["positions behind the next", `${forge}; head := head + 1; firsts[1] := head`],
    ["another link", `${nothing}; link := sha256(link)`],
    ["no link", `${nothing}; link := NULL`],
  ])("is not believed: %s", async (_, text) => {
    eventsOf(await record(store, "thing-0", [["added", { name: "Zero" }]]));
    await lie(text);
    const written = record(store, "thing-1", [["added", { name: "One" }]]);
    await expect(written).rejects.toThrow(OutcomeUnknown);
    await expect(written).rejects.toThrow("The event log is not what was written");
    expect(told).not.toEqual([]);
    const later = record(store, "thing-2", [["added", { name: "Two" }]]);
    await expect(later).rejects.toMatchObject({ why: "history-changed" });
  });
});
