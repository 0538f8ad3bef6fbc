import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { inDirectory } from "../harness/process.ts";
import { run, start } from "../start/command.ts";
import { forge as forgeFile } from "./forgery.ts";

const masterKey = `ours:${Buffer.alloc(32, 7).toString("base64")}`;
/** The settings of the service. */
export const environment = { IAM_MASTER_KEY: masterKey };

let given: string;
let release: () => void;
let done: Promise<void>;

/** Serves a directory long enough for some projects, and stops in order. */
async function work(dataDir: string, anchor: string, names: readonly string[]): Promise<void> {
  const token = async () => (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const running = await start(argsOf(dataDir, anchor), environment);
  for (const name of names) {
    const response = await fetch(`${running.url}/management/v1/projects`, {
      method: "POST",
      headers: { authorization: `Bearer ${await token()}`, "content-type": "application/json" },
      body: JSON.stringify({ name }),
    });
    expect(response.status).toBe(200);
  }
  await running.close();
}

/** The flags of a service with this data directory and this file as its anchor. */
export const argsOf = (dataDir: string, anchor: string) => ["--port=0", ...flags(dataDir, anchor)];

/** Of these, the ones that every command takes. */
const flags = (dataDir: string, anchor: string) => [
  `--data-dir=${dataDir}`,
  `--anchor-url=file://${anchor}`,
];

/** Makes what is forged, before the tests of a file. */
export async function beginForgeries(): Promise<void> {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  release = resolve;
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  done = inDirectory(async (directory) => {
    given = directory;
    const [dataDir, anchor] = [join(directory, "data"), join(directory, "anchor")];
    await work(dataDir, anchor, ["Before"]);
    // What somebody may put back: the log alone, or with what lay beside it.
    await cp(dataDir, join(directory, "yesterday"), { recursive: true });
    await cp(anchor, join(directory, "anchor of yesterday"));
    await work(dataDir, anchor, ["Secret", "After"]);
    // So that the row of the first owner is another one than that of yesterday.
    const { code } = await run(
      ["token", "--user", "admin", ...flags(dataDir, anchor)],
      environment,
    );
    expect(code).toBe(0);
    isReady();
    await until;
  });
  await Promise.race([ready, done]);
}

/** Removes it. */
export async function endForgeries(): Promise<void> {
  release();
  await done;
}

/** A service that has ended, and where everything of it lies. */
export interface Forgery {
  readonly dataDir: string;
  readonly anchor: string;
  readonly yesterday: string;
  readonly anchorOfYesterday: string;
  db(work: (db: Database.Database) => void): void;
}

/** Changes the log by SQL, and makes all hashes anew that take no key. */
export const forge = (sql: string) => (forgery: Forgery) => forgeFile(logIn(forgery.dataDir), sql);

/** Runs the body with a copy of it. */
export async function inForgery(body: (forgery: Forgery) => Promise<void>): Promise<void> {
  await inDirectory(async (directory) => {
    await cp(given, directory, { recursive: true });
    const dataDir = join(directory, "data");
    const places = { anchor: join(directory, "anchor"), yesterday: join(directory, "yesterday") };
    await body({
      ...{ dataDir, ...places, anchorOfYesterday: join(directory, "anchor of yesterday") },
      db: (work) => {
        const db = new Database(logIn(dataDir));
        work(db);
        db.close();
      },
    });
  });
}

/** Verifies as the operator does. */
export const verify = ({ dataDir, anchor }: Forgery) =>
  run(["verify", ...flags(dataDir, anchor)], environment);
