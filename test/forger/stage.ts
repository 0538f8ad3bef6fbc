import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { readConfig } from "../../src/config/config.ts";
import { revision } from "../../src/domain/nouns.ts";
import { logIn } from "../../src/log/in-file.ts";
import { logsTo } from "../../src/start/logger.ts";
import { type Running, serve } from "../../src/start/serve.ts";
import { freePort } from "../harness/port.ts";
import { logPath, logTables } from "../harness/postgres.ts";
import { inDirectory } from "../harness/process.ts";
import { viewsInDatabase, viewTexts } from "../harness/texts.ts";
import { relink, relinkDatabase } from "../log/forgery.ts";
import { type Ended, run, start } from "../start/command.ts";
import { inDatabasePlace } from "../start/database-place.ts";
import { type ArtifactTable, artifactTable } from "../threats/artifacts.ts";
import { type Life, livedBefore } from "./life.ts";

export type Kind = "file" | "database";
type Rows = readonly { readonly [name: string]: unknown }[];

/** A service that runs. */
export interface Served extends Running {
  /** Whether it has checked its whole log, and found nothing wrong. */
  isChecked(): boolean;
}

/** A service that was forged while it stood still, or is to be while it runs. */
export interface Scene {
  readonly kind: Kind;
  readonly life: Life;
  /** The data directory, and that of the day before. */
  readonly dataDir: string;
  readonly yesterday: string;
  /** Runs statements as who may write all rows. Rows of the day before are in `yesterday.…`. */
  sql(...texts: string[]): Promise<Rows>;
  /** Runs them in a database as the role that may serve and no more. */
  sqlOfServer(...texts: string[]): Promise<Rows>;
  /** The table of artifacts, for that role. */
  readonly artifacts: ArtifactTable;
  /** Makes all links anew, as anybody can. */
  relink(): Promise<void>;
  start(): Promise<Served>;
  verify(flags?: readonly string[]): Promise<Ended>;
  /** Prints a checkpoint, or with `--public-key` what checks it. */
  checkpoint(flags?: readonly string[]): Promise<Ended>;
}

/** Answers a scene of its own for each row. What was there before is there again after it. */
export type Stage = <T>(body: (scene: Scene) => Promise<T>) => Promise<T>;

const IAM_MASTER_KEY = `ours:${Buffer.alloc(32, 7).toString("base64")}`;

/** Lives up to now, and runs the body with the stage. */
export async function onStage(kind: Kind, body: (stage: Stage) => Promise<void>): Promise<void> {
  const port = await freePort();
  const flagsOf = (dataDir: string) => [
    ...[`--port=${port}`, `--public-url=http://127.0.0.1:${port}`, `--data-dir=${dataDir}`],
  ];
  const live = async (dataDir: string, environment: { readonly [name: string]: string }) => {
    const serve = () => start(flagsOf(dataDir), environment);
    const token = async () => (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
    const first = await serve();
    const goOn = await livedBefore(first.url, await token());
    await first.close();
    return async () => {
      const second = await serve();
      const life = await goOn();
      await second.close();
      return life;
    };
  };
  if (kind === "file")
    return await inDirectory((directory) => onFile(directory, { flagsOf, live }, body));
  await onDatabase({ flagsOf, live }, body);
}

/** Starts the service in this process, and hears what it says of its log. */
async function serveAloud(
  flags: readonly string[],
  environment: { readonly [name: string]: string },
): Promise<Served> {
  let isChecked = false;
  const write = (line: string) => {
    isChecked ||= line.includes('"the event log was checked: nothing is damaged"');
  };
  const running = await serve(readConfig(flags, environment), logsTo({ write }, "info"));
  return { ...running, isChecked: () => isChecked };
}

interface Setting {
  flagsOf(dataDir: string): readonly string[];
  live(
    dataDir: string,
    environment: { readonly [name: string]: string },
  ): Promise<() => Promise<Life>>;
}

async function onFile(
  directory: string,
  { flagsOf, live }: Setting,
  body: (stage: Stage) => Promise<void>,
): Promise<void> {
  const [today, yesterday] = [join(directory, "today"), join(directory, "yesterday")];
  const environment = { IAM_MASTER_KEY };
  const goOn = await live(today, environment);
  await cp(today, yesterday, { recursive: true });
  const life = await goOn();
  let scenes = 0;
  await body(async (play) => {
    scenes += 1;
    const dataDir = join(directory, `scene-${scenes}`);
    await cp(today, dataDir, { recursive: true });
    const onLog = <T>(work: (db: Database.Database) => T): T => {
      const db = viewTexts(new Database(logIn(dataDir), { timeout: 5_000 }));
      db.prepare("ATTACH ? AS yesterday").run(logIn(yesterday));
      try {
        return work(db);
      } finally {
        db.close();
      }
    };
    const sql = async (...texts: string[]) =>
      onLog((db) =>
        texts.flatMap((text) => {
          const statement = db.prepare<[], Rows[number]>(text);
          if (statement.reader) return statement.all();
          statement.run();
          return [];
        }),
      );
    return await play({
      ...{ kind: "file", life, dataDir, yesterday, sql, sqlOfServer: sql },
      artifacts: artifactTable({ sql }, true),
      relink: async () => onLog(relink),
      start: () => serveAloud(flagsOf(dataDir), environment),
      verify: (flags = []) => run(["verify", `--data-dir=${dataDir}`, ...flags], environment),
      checkpoint: (flags = []) =>
        run(["checkpoint", `--data-dir=${dataDir}`, ...flags], environment),
    });
  });
}

const built = `iam_r${revision}.`;

async function onDatabase(
  { flagsOf, live }: Setting,
  body: (stage: Stage) => Promise<void>,
): Promise<void> {
  await inDatabasePlace(async (place) => {
    const [today, yesterday] = [place.node("today"), place.node("yesterday")];
    for (const one of [today, yesterday]) await mkdir(one, { recursive: true, mode: 0o700 });
    const keep = async (schema: string) => {
      const all = (await place.run(logTables)).map(({ name }) => String(name));
      // A test before may have left empty tables of another revision.
      const named = all.filter((name) => /^iam\./.test(name) || name.startsWith(built));
      const names = named.map((name) => name.replace(/.*\./, ""));
      await place.run(
        `CREATE SCHEMA ${schema}`,
        logPath,
        ...names.map((name) => `CREATE TABLE ${schema}.${name} AS TABLE ${name}`),
      );
      return names;
    };
    const goOn = await live(today, place.environment);
    await keep("yesterday");
    await cp(today, yesterday, { recursive: true });
    const life = await goOn();
    const names = await keep("kept");
    await place.run("DROP ROLE IF EXISTS serving_only", "CREATE ROLE serving_only");
    await run(["migrate", "--role", "serving_only"], place.environment);
    const mend = names.flatMap((name) => [
      `DELETE FROM ${name}`,
      `INSERT INTO ${name} ${name === "turns" ? "OVERRIDING SYSTEM VALUE" : ""}
         SELECT * FROM kept.${name}`,
    ]);
    let scenes = 0;
    await body(async (play) => {
      scenes += 1;
      const dataDir = place.node(`scene-${scenes}`);
      await cp(today, dataDir, { recursive: true });
      const onLog = (...texts: string[]) => place.run(logPath, ...texts);
      const sql = (...texts: string[]) => onLog(viewsInDatabase, ...texts);
      const sqlOfServer = (...texts: string[]) => onLog("SET ROLE serving_only", ...texts);
      try {
        return await play({
          ...{ kind: "database", life, dataDir, yesterday, sql, sqlOfServer },
          artifacts: artifactTable({ sql: sqlOfServer }, false),
          relink: () => relinkDatabase(place.url, "iam"),
          start: () => serveAloud(flagsOf(dataDir), place.environment),
          verify: (flags = []) => run(["verify", ...flagsOf(dataDir), ...flags], place.environment),
          checkpoint: (flags = []) =>
            run(["checkpoint", ...flagsOf(dataDir), ...flags], place.environment),
        });
      } finally {
        await place.run(logPath, ...mend);
      }
    });
    await place.run("DROP SCHEMA yesterday, kept CASCADE");
  });
}
