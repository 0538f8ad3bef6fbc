import { setTimeout as pause } from "node:timers/promises";
import { writeResumeToken } from "../../../src/api/resume-token.ts";
import { runOn } from "../../harness/postgres-cluster.ts";
import type { Call, Problem } from "../ledger.ts";
import { failOver, halt, soon } from "./failover.ts";
import { judgeLog } from "./judge.ts";
import { judgeReader } from "./readers.ts";
import { openScene, type Scene, type SceneOptions, until } from "./scene.ts";

/** What befalls nodes on one PostgreSQL, once in each round. */
const befallings = {
  /** One of them is killed. */
  async nodes({ nodes, random }: Scene) {
    await pause(random.below(2 * betweenMs));
    await nodes.kill("one");
  },
  /** One that has its gateway is killed, a second after the last, or later where it is busy. */
  async service({ nodes, random, acknowledged }: Scene) {
    await Promise.all([pause(everyMs), acknowledged(random.below(answersMax))]);
    await nodes.kill("one");
  },
  /** The server is killed, and now and then one of its processes before that. */
  async server({ server, random, acknowledged }: Scene) {
    await acknowledged(random.below(answersMax));
    if (random.once(4)) {
      server.killOne(random.pick);
      await acknowledged(random.below(answersMax));
    } else if (random.once(2)) {
      // What nobody forces to the disk stays in memory from here on.
      await halt(server, "walwriter");
      await soon(acknowledged(random.below(answersMax)));
    }
    await server.kill();
    await pause(random.below(betweenMs));
    await server.start();
  },
  /** Connections are cut in the middle of an append. */
  async connections({ proxies, random, acknowledged }: Scene) {
    for (const proxy of proxies) proxy.cutNext(random.pick(["before", "after"]));
    await acknowledged(1 + random.below(answersMax));
  },
  /** All connections end, and further ones are greeted and cut in one packet. */
  async greetings({ proxies, random, acknowledged }: Scene) {
    for (const proxy of proxies) {
      proxy.cutGreetings(cutsAtOnce / proxies.length);
      proxy.block(true);
      proxy.block(false);
    }
    const isOver = () => proxies.every((proxy) => proxy.greetingsLeft() === 0);
    await until(isOver, "nobody connects any more");
    await acknowledged(1 + random.below(cutsAtOnce));
  },
  /** A node stands still in a call whose answer is remembered, and the others have to go on. */
  keyed: (scene: Scene) => standStill(scene),
  /** The same in one without that. */
  unkeyed: (scene: Scene) => standStill(scene),
  /** The server is killed for good, and a standby takes over that has all that was acknowledged. */
  synchronous: (scene: Scene) => failOver(scene, "synchronous"),
  /** The same with one that lacks the last of it. */
  asynchronous: (scene: Scene) => failOver(scene, "asynchronous"),
} as const;

/** Connections that one round cuts as they are greeted. */
export const cutsAtOnce = 20;

/** Has a node stand still, often behind what it has just sent, while others have to go on. */
async function standStill({ nodes, proxies, random, acknowledged, counted }: Scene): Promise<void> {
  await acknowledged(1 + random.below(answersMax));
  const moment = async (node: number) => {
    if (random.once(4)) await pause(random.below(betweenMs));
    else await proxies[node]?.nextAppend();
  };
  await nodes.halt(moment, async () => {
    let [known, idleMs] = [counted.acknowledged, 0];
    for (const endMs = performance.now() + stillMs; performance.now() < endMs; ) {
      await pause(lookMs);
      // Time in which this program stands still itself does not count.
      idleMs = counted.acknowledged > known ? 0 : idleMs + lookMs;
      known = counted.acknowledged;
      if (idleMs > goesOnMs) throw new Stalled(`nothing is acknowledged for ${goesOnMs} ms`);
    }
  });
}

/** Others did not go on while a node stood still. */
class Stalled extends Error {}

/** Milliseconds that a node stands still, in which others have to go on, and between two looks. */
const stillMs = 8_000;
const goesOnMs = 3_000;
const lookMs = 5;

/** A kind of rounds on PostgreSQL. */
export type PostgresKind = keyof typeof befallings;

/** All of them. */
export const postgresKinds = Object.keys(befallings) as readonly PostgresKind[];

/** Milliseconds between two kills of a node, on average, and of a server that is away, at most. */
const betweenMs = 500;
/** Milliseconds between two kills of a node that has its gateway. */
const everyMs = 1_000;
/** A server is killed after fewer answers than this. */
const answersMax = 200;

/** What came of rounds. */
interface Came {
  readonly done: number;
  readonly acknowledged: number;
  readonly forgiven: number;
  readonly problems: readonly (Problem & { readonly number: number })[];
}

/**
 * Does the rounds of a kind, one after the other on one server, and judges what is left: what is
 * wrong is said of the last.
 */
export async function runOnPostgres(
  kind: PostgresKind,
  numbers: readonly number[],
  options: SceneOptions,
): Promise<Came> {
  const isWhole = kind === "service" || kind === "keyed";
  const mayLose = kind === "asynchronous";
  const scene = await openScene({ ...options, isWhole, mayLose });
  const problems: Problem[] = [];
  let done = 0;
  const attempt = (work: () => Promise<void>) =>
    work().catch((error: Error) => {
      const kind = error instanceof Stalled ? "stalled" : "damaged";
      problems.push({ kind, text: error.message });
    });
  await attempt(async () => {
    await scene.acknowledged(1);
    for (const _ of numbers) {
      await befallings[kind](scene);
      done += 1;
      await scene.acknowledged(1);
    }
  });
  // Where nodes do not go on, the log says why.
  await attempt(async () => void problems.push(...(await judge(scene, kind))));
  await attempt(scene.close);
  const number = numbers[Math.max(0, done - 1)] ?? 0;
  return { done, problems: problems.map((one) => ({ ...one, number })), ...scene.counted };
}

/** What is wrong when writers and readers have come to their end. */
async function judge(scene: Scene, kind: PostgresKind): Promise<readonly Problem[]> {
  const { calls, readers, nodes } = scene;
  const { url } = scene.judged();
  const fallen = nodes.fallen();
  await scene.finish(async () => (await tokensOf(url)).length);
  const tokens = await tokensOf(url);
  const forgiving = kind === "asynchronous" ? calls.map(asUnavailable) : calls;
  const ended = { kind: "ended", text: `${fallen} nodes ended by themselves` } as const;
  return [
    ...(fallen > 0 ? [ended] : []),
    ...(await judgeLog(scene.judged(), forgiving)),
    ...readers.flatMap((reader) => judgeReader(reader, tokens)),
  ];
}

/** Who is told that the log lost its end was refused for a good reason, where it has. */
function asUnavailable(call: Call): Call {
  const { outcome } = call;
  const isSo = outcome.kind === "refused" && outcome.reason === "HISTORY_CHANGED";
  return isSo ? { ...call, outcome: { kind: "refused", reason: "UNAVAILABLE" } } : call;
}

/** The tokens of all events, in order. */
async function tokensOf(url: string): Promise<readonly string[]> {
  const rows = await runOn<{ position: string; link: Uint8Array }>(
    url,
    "SELECT position, link FROM iam.events ORDER BY position",
  );
  return rows.map(({ position, link }) => writeResumeToken(BigInt(position), link));
}
