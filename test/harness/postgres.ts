import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { findPostgres } from "./postgres-programs.ts";

/** A server of this process, which ends with it. */
export interface PostgresServer {
  /** Where the programs of it are. */
  readonly bin: string;
  /** The URL of a database. */
  url(database: string): string;
  /** An empty database, for one at a time. */
  takeDatabase(): Promise<string>;
  /** Gives it back, with whatever is in it. */
  giveBack(database: string): Promise<void>;
}

/** Test files of one worker have modules of their own, and one server. */
const shared = globalThis as { iamTestPostgres?: Promise<PostgresServer> };

/** The server of this process, which is started when it is first asked for. */
export function postgresServer(): Promise<PostgresServer> {
  shared.iamTestPostgres ??= startServer();
  return shared.iamTestPostgres;
}

/** PostgreSQL does not run as root: then it runs as nobody. */
function unprivileged(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) =>
    Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout.trim());
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** The folder of programs that a user can run: a copy where root alone may go to theirs. */
function programsFor({ uid, gid }: ReturnType<typeof unprivileged>, directory: string): string {
  const found = findPostgres();
  if (found === undefined) throw new Error("there are no programs of PostgreSQL");
  if (uid === undefined) return found;
  const { status } = spawnSync(join(found, "initdb"), ["--version"], {
    uid,
    ...(gid ? { gid } : {}),
  });
  if (status === 0) return found;
  const copy = join(directory, "programs");
  cpSync(dirname(found), copy, { recursive: true, verbatimSymlinks: true });
  spawnSync("chown", ["-R", `${uid}:${gid}`, copy]);
  return join(copy, basename(found));
}

async function startServer(): Promise<PostgresServer> {
  const user = unprivileged();
  const directory = mkdtempSync(join(tmpdir(), "iam-pg-"));
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid ?? 0);
  const bin = programsFor(user, directory);
  const data = join(directory, "data");
  const flags = ["-U", "iam", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(join(bin, "initdb"), ["-D", data, ...flags], {
    ...user,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const settings = ["listen_addresses=", `unix_socket_directories=${directory}`, "fsync=off"];
  settings.push("max_connections=300", "shared_buffers=32MB", "log_min_messages=fatal");
  // It ends when its input does, so with this process, however that ends.
  const script =
    '"$0" "$@" & child=$!; read -r _; kill -QUIT $child; wait; rm -rf "$IAM_TEST_DIRECTORY"';
  const args = ["-D", data, ...settings.flatMap((setting) => ["-c", setting])];
  const server = spawn("sh", ["-c", script, join(bin, "postgres"), ...args], {
    ...user,
    env: { ...process.env, IAM_TEST_DIRECTORY: directory },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  server.unref();
  if ("unref" in server.stdin && typeof server.stdin.unref === "function") server.stdin.unref();
  const ended = once(server, "exit").then(() => {
    throw new Error("the server has ended");
  });
  ended.catch(() => {});
  const url = (database: string) => `postgres://iam@${encodeURIComponent(directory)}/${database}`;
  await Promise.race([whenReady(url("postgres")), ended]);
  return { bin, url, ...databases(url) };
}

async function whenReady(url: string): Promise<void> {
  for (;;) {
    try {
      await run(url, "SELECT 1");
      return;
    } catch {
      await pause(20);
    }
  }
}

async function run(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Leaves the tables, if there are any, as they were made: that is faster than to make them. */
const emptied = `
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'iam' AND tablename <> 'schema'
    LOOP EXECUTE 'DELETE FROM iam.' || name; END LOOP;
    IF to_regclass('iam.projection') IS NOT NULL THEN
      INSERT INTO iam.projection VALUES (-1);
    END IF;
  END $$`;

/** A connection that may keep the process from ending; its types leave that out. */
type Cleaner = pg.Client & { ref(): void; unref(): void };

function databases(url: PostgresServer["url"]) {
  const free: string[] = [];
  const cleaners = new Map<string, Cleaner>();

  /** A connection that stays, as each new one takes longer than what it does here. */
  async function cleanerOf(database: string): Promise<Cleaner> {
    const known = cleaners.get(database);
    if (known !== undefined) return known;
    const client = new pg.Client({ connectionString: url(database) }) as Cleaner;
    client.on("error", () => cleaners.delete(database));
    await client.connect();
    client.unref();
    cleaners.set(database, client);
    return client;
  }
  let made = 0;
  return {
    async takeDatabase() {
      const known = free.pop();
      if (known !== undefined) return known;
      made += 1;
      const name = `iam_${made}`;
      await run(url("postgres"), `CREATE DATABASE ${name}`);
      return name;
    },
    async giveBack(database: string) {
      const client = await cleanerOf(database);
      client.ref();
      await client.query(emptied);
      client.unref();
      free.push(database);
    },
  };
}
