import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Cluster, runOn } from "../../harness/postgres-cluster.ts";
import type { Call } from "../ledger.ts";
import { database, type Scene, until } from "./scene.ts";

/** Calls that are acknowledged before the server is killed, and those that its standby lacks. */
const answers = { before: 100, lost: 100 } as const;

/**
 * Lets a standby follow the server, kills the server, and has the standby take its place. One that
 * follows asynchronously lacks the last calls: then nodes have to refuse to write until they are
 * started anew, and nobody is to blame for what is gone.
 */
export async function failOver(scene: Scene, how: "synchronous" | "asynchronous"): Promise<void> {
  const { nodes, calls, random, acknowledged } = scene;
  const isBehind = how === "asynchronous";
  const primary = scene.server;
  const standby = await follow(scene, primary, isBehind ? [] : [waitForStandby]);
  await acknowledged(1 + random.below(answers.before));
  if (isBehind) {
    const [sender] = await runOn<{ pid: number }>(
      primary.url("postgres"),
      "SELECT pid FROM pg_stat_replication",
    );
    if (sender === undefined) throw new Error("no standby follows");
    // What is committed from here on is sent to nobody.
    process.kill(sender.pid, "SIGSTOP");
    await acknowledged(answers.lost);
  }
  await primary.kill();
  // What was acknowledged until then has arrived.
  await pause(200);
  await Promise.all(nodes.all().map((node) => node.ask("ready").catch(() => {})));
  const answered = calls.filter(({ outcome }) => outcome.kind !== "unknown");
  await runOn(standby.url("postgres"), "SELECT pg_promote()");
  if (isBehind) await forgive(scene, standby, answered);
  const asked = calls.length;
  scene.moveTo(standby);
  if (!isBehind) return;
  const isRefused = ({ number, outcome }: Call) =>
    number >= asked && outcome.kind === "refused" && outcome.reason === "HISTORY_CHANGED";
  await until(() => calls.filter(isRefused).length >= nodes.all().length, "a lost end is no news");
  await nodes.kill("all");
  for (const call of calls.filter(isRefused)) {
    call.outcome = { kind: "refused", reason: "UNAVAILABLE" };
  }
}

const waitForStandby = "synchronous_standby_names=standby";

/** Starts a standby of the server, which is away for that long. */
async function follow(
  { directory, calls }: Scene,
  primary: Cluster,
  settings: readonly string[],
): Promise<Cluster> {
  await primary.stop();
  const standby = primary.standby(join(directory, `server-${calls.length}`));
  await primary.start();
  await standby.start();
  const followed = async () => {
    const rows = await runOn(
      primary.url("postgres"),
      "SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'",
    );
    return rows.length > 0;
  };
  while (!(await followed())) await pause(50);
  for (const setting of settings) {
    const [name, value] = setting.split("=");
    await runOn(primary.url("postgres"), `ALTER SYSTEM SET ${name} = '${value}'`);
    await runOn(primary.url("postgres"), "SELECT pg_reload_conf()");
  }
  return standby;
}

/** Counts what the standby lacks of what was acknowledged; from now on nobody vouches for it. */
async function forgive(
  { counted }: Scene,
  standby: Cluster,
  answered: readonly Call[],
): Promise<void> {
  const rows = await runOn<{ stream: string; position: string }>(
    standby.url(database),
    "SELECT stream, position FROM iam.events",
  );
  const there = new Map(rows.map(({ stream, position }) => [Number(position), stream]));
  for (const call of answered) {
    const { outcome } = call;
    if (outcome.kind === "acknowledged") {
      const isThere = there.get(outcome.sequence)?.endsWith(outcome.id) ?? false;
      if (!isThere) counted.lost += 1;
    }
    call.outcome = { kind: "unknown" };
  }
  if (counted.lost === 0) throw new Error("the standby had all");
}
