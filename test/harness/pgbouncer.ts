import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { own, runOn, unprivileged } from "./postgres-cluster.ts";
import { findProgram } from "./program.ts";

/** The program of PgBouncer, be it where only root looks for programs; undefined for none. */
export function findPgBouncer(): string | undefined {
  return findProgram(["pgbouncer"], { PATH: `${process.env.PATH}:/usr/sbin` });
}

/** Test files of one worker have modules of their own, and one pooler. */
const shared = globalThis as { iamTestPooler?: Promise<Pooler> };

/** What stands between services and a server, in transaction mode, and ends with this process. */
export interface Pooler {
  /** The URL of a database of the server, through it. */
  url(database: string): string;
}

/** The pooler of this process, before the server whose socket lies there. */
export function poolerTo(socket: string): Promise<Pooler> {
  shared.iamTestPooler ??= startPooler(socket);
  return shared.iamTestPooler;
}

/** Starts one of its own before the server whose socket lies there. */
export async function startPooler(socket: string): Promise<Pooler> {
  const program = findPgBouncer();
  if (program === undefined) throw new Error("there is no pgbouncer");
  const user = unprivileged();
  const directory = mkdtempSync(join(tmpdir(), "iam-pgb-"));
  const settings = join(directory, "pgbouncer.ini");
  writeFileSync(
    settings,
    `[databases]
* = host=${socket} user=iam
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = ${directory}
auth_type = any
pool_mode = transaction
default_pool_size = 10
max_client_conn = 1000
`,
  );
  own(directory, user, "-R");
  // It ends when its input does, so with this process, however that ends. What a shell runs beside
  // itself ignores SIGQUIT and SIGINT, and it keeps nothing that SIGKILL could damage.
  const script =
    'exec 3<&0; "$0" -q "$1" & child=$!; (read -r _ <&3; kill -KILL $child 2>&-) & ' +
    'wait $child; rm -rf "$2"';
  const pooler = spawn("sh", ["-c", script, program, settings, directory], {
    ...user,
    ...{ cwd: directory, detached: true },
    stdio: ["pipe", "ignore", "ignore"],
  });
  pooler.unref();
  const input: object = pooler.stdin;
  if ("unref" in input && typeof input.unref === "function") input.unref();
  const url = (database: string) => `postgres://iam@${encodeURIComponent(directory)}/${database}`;
  for (let tries = 0; ; tries += 1) {
    try {
      await runOn(url("postgres"), "SELECT 1");
      return { url };
    } catch (cause) {
      if (tries === 500) throw new Error("PgBouncer does not start", { cause });
      await pause(20);
    }
  }
}
