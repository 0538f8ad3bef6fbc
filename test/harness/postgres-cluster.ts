import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  closeSync,
  cpSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { findPostgres } from "./postgres-programs.ts";

/** A PostgreSQL server on a directory of its own, which ends with this process at the latest. */
export interface Cluster {
  /** Where its programs are, and where its socket lies. */
  readonly bin: string;
  readonly socket: string;
  /** The URL of a database, by its own socket or by another. */
  url(database: string, socket?: string): string;
  /** Starts it with further settings, like `max_connections=10`, and waits until it answers. */
  start(settings?: readonly string[]): Promise<void>;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Ends all of its processes at once, as `kill -9` does. */
  kill(): Promise<void>;
  /** Ends one of its processes so, whereupon the others end and it recovers by itself. */
  killOne(pick: (pids: readonly number[]) => number | undefined): void;
  /** A server that follows this one, of a copy of what is there. Call it while this one stands. */
  standby(directory: string): Cluster;
}

/** Who runs servers, and with which programs. */
interface Runner {
  readonly user: { readonly uid?: number; readonly gid?: number };
  readonly bin: string;
  readonly isRemoved: boolean;
  readonly port: number;
}

/** How long a server may take to start or to recover on a busy machine, in milliseconds. */
const startMs = 60_000;

/** How a server is made. */
interface ClusterOptions {
  /** Whether its directory goes with it. */
  readonly isRemoved?: boolean;
  /** By which its socket is called, and any address that it is told to listen on. */
  readonly port?: number;
}

/** Makes an empty server in a directory that is there; what it says is in the file `log` there. */
export function makeCluster(
  directory: string,
  { isRemoved = false, port = 5432 }: ClusterOptions = {},
): Cluster {
  const user = unprivileged();
  own(directory, user);
  const bin = programsFor(user, directory);
  const flags = ["-U", "iam", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  const made = spawnSync(join(bin, "initdb"), ["-D", join(directory, "data"), ...flags], {
    ...user,
    encoding: "utf8",
  });
  if (made.status !== 0) throw new Error(`initdb in ${directory}: ${made.stderr ?? made.error}`);
  return clusterIn(directory, { user, bin, isRemoved, port });
}

function clusterIn(directory: string, runner: Runner): Cluster {
  const { user, bin, isRemoved, port } = runner;
  const data = join(directory, "data");
  let running: { readonly ended: Promise<unknown>; await(): void } | undefined;

  const url = (database: string, socket = directory) =>
    `postgres://iam@${encodeURIComponent(socket)}:${port}/${database}`;

  /** The process whose children are all others. */
  function mainProcess(): number {
    return Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1)[0]);
  }

  async function end(signal: () => void): Promise<void> {
    const was = running;
    if (was === undefined) return;
    running = undefined;
    was.await();
    signal();
    await was.ended;
  }

  return {
    bin,
    socket: directory,
    url,
    async start(settings = []) {
      const all = ["listen_addresses=", `unix_socket_directories=${directory}`];
      const args = [
        "-D",
        data,
        ...[...all, `port=${port}`, ...settings].flatMap((one) => ["-c", one]),
      ];
      // It ends when its input does, so with this process, however that ends.
      const script =
        'exec 3<&0; "$0" "$@" & child=$!; (read -r _ <&3; kill -QUIT $child 2>&-) & ' +
        'wait $child; rm -rf "$IAM_TEST_REMOVED"';
      const said = openSync(join(directory, "log"), "a");
      const server = spawn("sh", ["-c", script, join(bin, "postgres"), ...args], {
        ...user,
        ...{ cwd: directory, detached: true },
        env: { ...process.env, IAM_TEST_REMOVED: isRemoved ? directory : "" },
        stdio: ["pipe", said, said],
      });
      closeSync(said);
      server.unref();
      unref(server.stdin ?? {});
      const ended = once(server, "exit");
      running = { ended, await: () => server.ref() };
      const failed = ended.then(() => {
        throw new Error(`PostgreSQL has ended: see ${directory}/log`);
      });
      // Once it is ready, its end is no failure of its start.
      failed.catch(() => {});
      await Promise.race([whenReady(url("postgres")), failed]);
    },
    stop: () => end(() => process.kill(mainProcess(), "SIGINT")),
    async kill() {
      let children: readonly number[] = [];
      await end(() => {
        const main = mainProcess();
        // While it stands still it starts no other.
        process.kill(main, "SIGSTOP");
        children = childrenOf(main);
        for (const pid of children) killWhereThere(pid);
        process.kill(main, "SIGKILL");
      });
      // Until the last has let go of their memory, no server starts there.
      while (children.some(isRunning)) await pause(5);
    },
    killOne(pick) {
      const pid = pick(childrenOf(mainProcess()));
      if (pid !== undefined) process.kill(pid, "SIGKILL");
    },
    standby(other) {
      mkdirSync(other, { recursive: true });
      // With owners and permissions: it insists on them.
      spawnSync("cp", ["-a", data, join(other, "data")]);
      rmSync(join(other, "data", "postmaster.pid"), { force: true });
      writeFileSync(join(other, "data", "standby.signal"), "");
      const follows = `host='${directory}' user=iam application_name=standby`;
      writeFileSync(
        join(other, "data", "postgresql.auto.conf"),
        `primary_conninfo = '${follows.replaceAll("'", "''")}'\n`,
      );
      own(other, user, "-R");
      return clusterIn(other, runner);
    },
  };
}

/** Runs one statement on a database, by a connection of its own. */
export async function runOn<Row extends object>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // What ends it is told to who asked.
  client.on("error", () => {});
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

async function whenReady(url: string): Promise<void> {
  const untilMs = performance.now() + startMs;
  for (;;) {
    try {
      await runOn(url, "SELECT 1");
      return;
    } catch (cause) {
      if (performance.now() > untilMs) throw new Error("PostgreSQL does not start", { cause });
      await pause(20);
    }
  }
}

/** Kills a process that may have ended by itself meanwhile. */
function killWhereThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Whether a process is there, and has not ended but for being waited for. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

function childrenOf(pid: number): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.split(" ").filter(Boolean).map(Number);
}

/** PostgreSQL does not run as root: then it runs as nobody. */
export function unprivileged(): Runner["user"] {
  if (process.getuid?.() !== 0) return {};
  const idOf = (flag: string) =>
    Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout.trim());
  return { uid: idOf("-u"), gid: idOf("-g") };
}

/** Gives a directory to who runs servers. */
export function own(directory: string, { uid, gid }: Runner["user"], ...flags: string[]): void {
  if (uid === undefined) return;
  if (flags.length === 0) chownSync(directory, uid, gid ?? 0);
  else spawnSync("chown", [...flags, `${uid}:${gid}`, directory]);
}

/** The folder of programs that a user can run: a copy where root alone may go to theirs. */
function programsFor({ uid, gid }: Runner["user"], directory: string): string {
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
  own(copy, { uid, ...(gid ? { gid } : {}) }, "-R");
  return join(copy, basename(found));
}

/** Its types leave out that a pipe may keep the process from ending. */
function unref(stream: object): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}
