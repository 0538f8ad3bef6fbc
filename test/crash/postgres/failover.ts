import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Cluster, runOn } from "../../harness/postgres-cluster.ts";
import type { Node } from "./nodes.ts";
import { database, type Scene, until } from "./scene.ts";

/** Calls that are acknowledged before the server is killed, and those that its standby lacks. */
const answers = { before: 100, lost: 100 } as const;

/**
 * Lets a standby follow the server, kills the server, and has the standby take its place. One that
 * follows asynchronously lacks the last calls: then nodes have to refuse to write until they are
 * started anew, and nobody is to blame for what is gone.
 */
export async function failOver(scene: Scene, how: "synchronous" | "asynchronous"): Promise<void> {
  const { nodes, proxies, random, acknowledged } = scene;
  const isBehind = how === "asynchronous";
  const primary = scene.server;
  const standby = await follow(scene, primary, isBehind ? [] : [waitForStandby]);
  await acknowledged(1 + random.below(answers.before));
  // What is committed from here on is sent to nobody.
  await halt(primary, "walsender");
  if (!isBehind) await soon(acknowledged(answers.lost));
  if (isBehind) {
    await acknowledged(answers.lost);
    // Each node has written there, by a call that nobody vouches for.
    await until(() => nodes.all().length === proxies.length, "nodes do not start");
    for (const node of nodes.all()) await probe(node, "acknowledged");
  }
  await primary.kill();
  await runOn(standby.url("postgres"), "SELECT pg_promote()");
  scene.moveTo(standby);
  if (isBehind) await goOn(scene);
}

/** Has the nodes refuse to write behind a log that lacks its end, and then go on from it. */
async function goOn(scene: Scene): Promise<void> {
  const { nodes, acknowledged, counted } = scene;
  await scene.rest();
  await Promise.all(nodes.all().map((node) => probe(node, "HISTORY_CHANGED")));
  await forgive(scene);
  // One goes on, past what was lost; readers are on the other as well.
  await nodes.kill("one");
  scene.write();
  await acknowledged(2 * counted.forgiven);
  await nodes.kill("all");
}

/** Has a process of the server stand still until it is killed. */
export async function halt(server: Cluster, type: "walsender" | "walwriter"): Promise<void> {
  const [found] = await runOn<{ pid: number }>(
    server.url("postgres"),
    `SELECT pid FROM pg_stat_activity WHERE backend_type = '${type}'`,
  );
  if (found === undefined) throw new Error(`the server has no ${type}`);
  process.kill(found.pid, "SIGSTOP");
}

/** Waits for what may never be, and for no longer than that. */
export async function soon(work: Promise<void>): Promise<void> {
  await Promise.race([work.catch(() => {}), pause(soonMs, undefined, { ref: false })]);
}

let probes = 0;

/** Asks a node to write something, which has to come to that, once the server is there. */
async function probe(node: Node, expected: string): Promise<void> {
  for (;;) {
    probes += 1;
    const name = `${probes}`;
    const outcome = await node.ask({ key: name, kind: "project", name, projectId: "" });
    const came = outcome.kind === "refused" ? outcome.reason : outcome.kind;
    if (came === expected) return;
    if (came !== "UNAVAILABLE") throw new Error(`a call came to ${came}, not ${expected}`);
    await pause(50);
  }
}

/** Milliseconds. */
const soonMs = 1_000;

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

/** Counts what the server lacks of what was acknowledged; from now on nobody vouches for it. */
async function forgive({ server, calls, counted }: Scene): Promise<void> {
  const rows = await runOn<{ stream: string; position: string }>(
    server.url(database),
    "SELECT stream, position FROM iam.events",
  );
  const there = new Map(rows.map(({ stream, position }) => [Number(position), stream]));
  const before = counted.forgiven;
  for (const call of calls) {
    const { outcome } = call;
    const isLost =
      outcome.kind === "acknowledged" && !there.get(outcome.sequence)?.endsWith(outcome.id);
    if (isLost) counted.forgiven += 1;
    call.outcome = { kind: "unknown" };
  }
  if (counted.forgiven === before) throw new Error("the standby had all");
}
