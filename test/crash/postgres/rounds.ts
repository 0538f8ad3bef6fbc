import { setTimeout as pause } from "node:timers/promises";
import { writeResumeToken } from "../../../src/api/resume-token.ts";
import { runOn } from "../../harness/postgres-cluster.ts";
import type { Problem } from "../ledger.ts";
import { failOver } from "./failover.ts";
import { judgeLog } from "./judge.ts";
import { judgeReader } from "./readers.ts";
import { type Counted, database, openScene, type Scene, type SceneOptions } from "./scene.ts";

/** What befalls nodes on one PostgreSQL, once in each round. */
const befallings = {
  /** One of them is killed. */
  async nodes({ nodes, random }: Scene) {
    await pause(random.below(2 * betweenMs));
    await nodes.kill("one");
  },
  /** The server is killed, and now and then one of its processes before that. */
  async server({ server, random, acknowledged }: Scene) {
    await acknowledged(random.below(answersMax));
    if (random.once(4)) {
      server.killOne(random.pick);
      await acknowledged(random.below(answersMax));
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
  /** The server is killed for good, and a standby takes over that has all that was acknowledged. */
  synchronous: (scene: Scene) => failOver(scene, "synchronous"),
  /** The same with one that lacks the last of it. */
  asynchronous: (scene: Scene) => failOver(scene, "asynchronous"),
} as const;

/** A kind of rounds on PostgreSQL. */
export type PostgresKind = keyof typeof befallings;

/** Milliseconds between two kills of a node, on average, and of a server that is away, at most. */
const betweenMs = 500;
/** A server is killed after fewer answers than this. */
const answersMax = 200;

/** What came of rounds. */
export interface Came extends Counted {
  readonly done: number;
  readonly problems: readonly Problem[];
}

/** Does so many rounds of a kind on one server, and judges what is left. */
export async function runOnPostgres(
  kind: PostgresKind,
  rounds: number,
  options: SceneOptions,
): Promise<Came> {
  const scene = await openScene(options);
  const { acknowledged, problems, readers, calls, counted } = scene;
  let done = 0;
  try {
    await acknowledged(1);
    while (done < rounds && problems.length === 0) {
      await befallings[kind](scene);
      await acknowledged(1);
      done += 1;
    }
    const url = () => scene.server.url(database);
    await scene.finish(async () => (await tokensOf(url())).length);
    problems.push(...(await judgeLog(url(), calls)));
    const tokens = await tokensOf(url());
    problems.push(...readers.flatMap((reader) => judgeReader(reader, tokens)));
  } catch (error) {
    problems.push({ kind: "damaged", text: error instanceof Error ? error.message : `${error}` });
  } finally {
    await scene.close();
  }
  return { done, problems, ...counted };
}

/** The tokens of all events, in order. */
async function tokensOf(url: string): Promise<readonly string[]> {
  const rows = await runOn<{ position: string; link: Uint8Array }>(
    url,
    "SELECT position, link FROM iam.events ORDER BY position",
  );
  return rows.map(({ position, link }) => writeResumeToken(BigInt(position), link));
}
