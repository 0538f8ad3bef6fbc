import { latestMs } from "./model/database.ts";
import { type Installation, type Machine, type Node, startMs, startNode } from "./node.ts";
import { jumpsMs } from "./weather.ts";
import { sleep } from "./world.ts";

/** The machines of an installation, and what befalls them. */
export interface Cluster {
  /** A node that takes calls; undefined where there is none at the moment. */
  anyNode(): Node | undefined;
  /** Makes bad weather for so many milliseconds. */
  trouble(forMs: number): void;
  /** Ends the bad weather: every machine has a node, and a clock that is not behind the log. */
  heal(): void;
}

/** Milliseconds for which no server takes calls while another takes over, and a node is started. */
const failoverMaxMs = 1_500;
const restartMaxMs = 1_000;

export function createCluster(installation: Installation): Cluster {
  const { world, server } = installation;
  const { random, time, weather } = world;
  const machines = Array.from(
    { length: weather.nodes },
    (_, index): Machine => ({
      name: `node-${index + 1}`,
      skewMs: random.below(weather.skewMaxMs + 1),
    }),
  );
  const running = new Map<Machine, Node>();

  async function keep(machine: Machine): Promise<void> {
    for (let starts = 1; ; starts += 1) {
      const node = await startNode(installation, machine, starts);
      world.say(() => `${node.name}: takes calls`);
      running.set(machine, node);
      await new Promise<void>((resolve) => node.onEnd(resolve));
      running.delete(machine);
      await sleep(world, random.below(restartMaxMs));
    }
  }
  for (const machine of machines) void keep(machine);

  const anyNode = () => (running.size === 0 ? undefined : random.pick([...running.values()]));

  async function failOver(): Promise<void> {
    if (world.isHealed) return;
    world.say(() => "server: fails, and nothing is lost");
    server.isUp = false;
    server.term += 1;
    await sleep(world, random.below(failoverMaxMs));
    server.isUp = true;
    world.say(() => "server: another has taken over");
  }

  function setClock(): void {
    if (world.isHealed) return;
    const machine = random.pick(machines);
    const jumpMs = random.pick(jumpsMs);
    machine.skewMs += jumpMs;
    world.say(() => `${machine.name}: its clock is set by ${jumpMs} ms`);
  }

  return {
    anyNode,
    trouble(forMs) {
      const atSomeTime = (times: number, happen: () => void) => {
        for (let time_ = 0; time_ < times; time_ += 1) time.after(random.below(forMs), happen);
      };
      atSomeTime(weather.crashes, () => anyNode()?.crash());
      atSomeTime(weather.failovers, () => void failOver());
      atSomeTime(weather.jumps, setClock);
    },
    heal() {
      world.isHealed = true;
      server.isUp = true;
      if (weather.jumps === 0) return;
      const behindMs = latestMs(server.db) - startMs - time.nowMs();
      const skewMs = Math.max(0, behindMs, ...machines.map((machine) => machine.skewMs));
      for (const machine of machines) machine.skewMs = skewMs;
    },
  };
}
