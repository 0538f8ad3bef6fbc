import { createKeyring } from "../../src/secrets/keyring.ts";
import { parseKeyring } from "../../src/secrets/keys.ts";
import { createRandom } from "../gateway/native/random.ts";
import type { Delivery } from "./channel.ts";
import { createClient, type Record } from "./client.ts";
import { createCluster } from "./cluster.ts";
import { judge } from "./judge.ts";
import { isAtRest, judgeLog, judgeMessages, judgeReader } from "./laws.ts";
import { latestMs } from "./model/database.ts";
import { startMs } from "./node.ts";
import { createPast } from "./past.ts";
import { startReader } from "./reader.ts";
import { createServer } from "./server.ts";
import { beginning, createTasks } from "./tasks.ts";
import { createTime } from "./time.ts";
import { type Weather, weatherOf } from "./weather.ts";
import type { World } from "./world.ts";

/** What a run came to. */
export interface Report {
  readonly weather: Weather;
  readonly events: number;
  readonly acknowledged: number;
  readonly deliveries: number;
  readonly problems: readonly string[];
  /** One line for each thing that happened, where that was asked for. */
  readonly trace: readonly string[];
}

/** Milliseconds in which the work is to be done, and then all is to be at rest. */
const workMaxMs = 600_000;
const restMaxMs = 60_000;
const stepMs = 500;

/** Runs one simulation: the same seed has the same things happen in the same order. */
export async function simulate(seed: number, isTraced = false): Promise<Report> {
  const random = createRandom(seed);
  const time = createTime(random);
  const trace: string[] = [];
  const weather = weatherOf(random);
  const world: World = {
    ...{ random, time, weather, isHealed: false, problems: [] },
    say: (line) => {
      if (isTraced) trace.push(`${String(time.nowMs()).padStart(6)} ${line()}`);
    },
  };
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => random.below(256));
  const keyring = createKeyring(
    parseKeyring(`k1:${Buffer.alloc(32, 7).toString("base64")}`),
    bytes,
  );
  const server = createServer(world);
  const deliveries: Delivery[] = [];
  const cluster = createCluster({ world, server, keyring, deliveries });
  const records: Record[] = [];
  const readers = Array.from({ length: weather.readers }, (_, index) =>
    startReader(world, cluster, index === 0 ? undefined : ["user"]),
  );

  const nextTask = createTasks(random, keyring, weather.latest);
  const client = createClient(world, server, cluster, records);
  let working = weather.clients;
  async function work(): Promise<void> {
    await client.do(beginning, "beginning");
    cluster.trouble(weather.tasks * (weather.thinkMaxMs / 2 + 200));
    for (let index = 0; index < weather.clients; index += 1) void workAlone(index);
  }
  async function workAlone(index: number): Promise<void> {
    for (let count = 0; count < weather.tasks; count += 1) {
      await new Promise<void>((resolve) => time.after(random.below(weather.thinkMaxMs), resolve));
      await client.do(nextTask(), random.once(2) ? `${index} ${count}` : undefined);
    }
    working -= 1;
  }
  const failed = (error: unknown) => world.problems.push(`the simulation failed: ${error}`);
  void work().catch(failed);

  // Troubles end after a while, so that all that goes on can come to its end.
  const troubleMs = weather.tasks * (weather.thinkMaxMs + 1_000);
  time.after(troubleMs, cluster.heal);
  while (working > 0 && time.nowMs() < workMaxMs) await time.runUntil(time.nowMs() + stepMs);
  if (working > 0) world.problems.push(`${working} clients still work`);
  cluster.heal();
  const untilMs = time.nowMs() + restMaxMs;
  const clockMs = () => Math.max(startMs + time.nowMs(), latestMs(server.db));
  while (!isAtRest(server.db, readers, clockMs()) && time.nowMs() < untilMs) {
    await time.runUntil(time.nowMs() + stepMs);
  }
  if (!isAtRest(server.db, readers, clockMs())) world.problems.push("it does not come to rest");
  // What is still on its way arrives.
  await time.runUntil(time.nowMs() + 2_000);

  const { db } = server;
  const written = server.commits.flatMap(({ events }) => events);
  const judging = [
    () => judge(records, server, createPast(server.commits)),
    () => judgeLog(db, written),
    ...readers.map((reader) => () => judgeReader(reader, db, written)),
    () => judgeMessages(db, written, deliveries, weather),
  ];
  const problems = [...world.problems, ...judging.flatMap(orFailure)];
  const acknowledged = records.filter(({ told }) => told.kind === "done").length;
  const counts = { events: db.events.length, acknowledged, deliveries: deliveries.length };
  return { weather, ...counts, problems, trace };
}

/** What was found, or that nothing could be: a log that cannot even be folded is wrong as well. */
function orFailure(judge: () => readonly string[]): readonly string[] {
  try {
    return judge();
  } catch (error) {
    return [`it cannot be judged: ${error}`];
  }
}
