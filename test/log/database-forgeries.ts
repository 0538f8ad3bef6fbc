import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { projector } from "../../src/log/projector.ts";
import { schemaOf } from "../../src/store/postgres/revision.ts";
import { logPath, logTables } from "../harness/postgres.ts";
import { run } from "../start/command.ts";
import { callsTo, type DatabasePlace, inDatabasePlace } from "../start/database-place.ts";
import { relinkDatabase } from "./forgery.ts";

/** A node that has ended, and its database, which a role changes that may write its rows. */
export interface Forgery {
  readonly place: DatabasePlace;
  readonly dataDir: string;
  readonly anchor: string;
  /** What lay there a day before. */
  readonly yesterday: string;
  readonly anchorOfYesterday: string;
  readonly flags: readonly string[];
  /** Runs statements as that role; names need no schema. */
  sql(...texts: string[]): Promise<void>;
  /** Makes all links anew, as anybody can; MACs stay as they are. */
  relink(): Promise<void>;
  /** Puts the rows of yesterday in the place of those of a table, or of all. */
  putBack(table?: string): Promise<void>;
  verify(): ReturnType<typeof run>;
}

type Body = (forgery: Forgery) => Promise<void>;

let forge: (body: Body) => Promise<void>;
let release: () => void;
let done: Promise<void>;

/** Runs the body with a forgery of its own; what was there before is there again after it. */
export const inForgery = (body: Body) => forge(body);

/** Makes what is forged, before the tests of a file. */
export async function beginForgeries(): Promise<void> {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  release = resolve;
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  done = inDatabasePlace(async (place) => {
    forge = await prepare(place);
    isReady();
    await until;
    await place.run("DROP SCHEMA yesterday CASCADE", "DROP SCHEMA today CASCADE");
  });
  await Promise.race([ready, done]);
}

/** Removes it. */
export async function endForgeries(): Promise<void> {
  release();
  await done;
}

async function prepare(place: DatabasePlace): Promise<typeof forge> {
  const [dataDir, anchor] = [place.node("node"), place.node("anchor")];
  const flags = [...place.flagsOf("node"), `--anchor-url=file://${anchor}`];
  const environment = { ...place.environment, IAM_ANCHOR_URL: `file://${anchor}` };
  const work = async (...projects: string[]) => {
    const node = await place.start("node", {}, environment);
    const { add } = callsTo(node.url, await place.tokenOf("node"));
    for (const name of projects) expect(await add(name)).toMatchObject({ status: 200 });
    await node.close();
  };
  await work("Before");
  const named = (await place.run(logTables)).map(({ name }) => String(name));
  const tables = named.map((name) => name.replace(/.*\./, ""));
  const keep = (schema: string) =>
    place.run(
      `CREATE SCHEMA ${schema}`,
      logPath,
      ...tables.map((name) => `CREATE TABLE ${schema}.${name} AS TABLE ${name}`),
    );
  await keep("yesterday");
  const kept = { yesterday: place.node("yesterday"), anchor: place.node("anchor of yesterday") };
  await cp(dataDir, kept.yesterday, { recursive: true });
  await cp(anchor, kept.anchor);
  await work("Secret", "After");
  const { code } = await run(["token", "--user", "admin", ...flags], environment);
  expect(code).toBe(0);
  await keep("today");
  const whole = place.node("whole");
  await cp(dataDir, whole, { recursive: true });
  await cp(anchor, join(whole, "anchor"));
  await place.run(
    "DROP ROLE IF EXISTS forger",
    "CREATE ROLE forger",
    ...["iam", schemaOf(projector.revision)].flatMap((schema) => [
      `GRANT USAGE ON SCHEMA ${schema} TO forger`,
      `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${schema} TO forger`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO forger`,
    ]),
    "GRANT USAGE ON SCHEMA yesterday, today TO forger",
    "GRANT SELECT ON ALL TABLES IN SCHEMA yesterday, today TO forger",
  );
  const sql = async (...texts: string[]) => {
    await place.run("SET ROLE forger", logPath, ...texts);
  };
  const put = (schema: string, chosen: readonly string[]) =>
    sql(
      ...chosen.flatMap((name) => [
        `DELETE FROM ${name}`,
        `INSERT INTO ${name} ${name === "turns" ? "OVERRIDING SYSTEM VALUE" : ""}
           SELECT * FROM ${schema}.${name}`,
      ]),
    );
  return async (body) => {
    const rest = { anchorOfYesterday: kept.anchor, yesterday: kept.yesterday, flags };
    try {
      await body({
        ...{ place, dataDir, anchor, ...rest, sql },
        relink: () => relinkDatabase(place.url, "forger"),
        putBack: (table) => put("yesterday", table === undefined ? tables : [table]),
        verify: () => run(["verify", ...flags], environment),
      });
    } finally {
      await put("today", tables);
      await cp(whole, dataDir, { recursive: true, force: true });
      await cp(join(whole, "anchor"), anchor);
    }
  };
}
