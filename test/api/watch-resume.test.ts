import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { action } from "../../src/domain/action.ts";
import { anyNoun, happened, startMs, switching } from "../cases/events.ts";
import { startTwin, type Twin } from "../cases/twin.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { type WatchRequest, watchClients, watching } from "../harness/watches.ts";

// Two services on one log, of which both write, and a watcher who is cut off again and again.

let server: TestServer;
let twin: Twin;

beforeAll(async () => {
  server = await startServer({ watchLimits: { heldEvents: 9 } });
  twin = await startTwin(server);
});

afterAll(async () => {
  await twin.close();
  await server.close();
});

const commands = 150;
const disconnects = 12;

/** Writes one after the other; answers the positions of what it wrote for the organization. */
async function writes(by: Pick<Twin, "log">, owner: string): Promise<readonly bigint[]> {
  const positions: bigint[] = [];
  for (let made = 0; made < commands; made += 1) {
    const place = { noun: anyNoun(action), id: v7(), actor: "test", timeMs: startMs };
    // Now one event and now two, and others between them.
    const last = await happened(by, { ...place, owner, events: switching(made % 2) });
    positions.push(...(made % 2 === 0 ? [last] : [last - 1n, last]));
    if (made % 3 === 0)
      await happened(by, { ...place, id: v7(), owner: "others", events: switching(0) });
  }
  return positions;
}

/** Numbers that look random and are the same in every run (Park and Miller). */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test.each(watchClients)(
  "a watcher over %s who is cut off misses nothing and gets nothing twice",
  async (client) => {
    const owner = v7();
    const random = numbers(client.length);
    let from: WatchRequest = { sequence: await server.head() };
    const written = Promise.all([writes(server, owner), writes(twin, owner)]);
    const seen: bigint[] = [];
    const all = 2 * commands + commands;
    for (let cut = 1; seen.length < all; cut += 1) {
      // Through either service, since the one that answered may be the one that is gone.
      const { url } = random(2) === 0 ? server : twin;
      const watch = watching(client, url, server.admin.token, { resourceOwner: owner, ...from });
      const upTo = cut < disconnects ? seen.length + random(40) : all;
      while (seen.length < Math.min(upTo, all)) {
        const { event, processedSequence: sequence, resumeToken } = await watch.next();
        from = random(2) === 0 ? { sequence } : { resumeToken };
        if (event !== undefined) seen.push(event.sequence);
      }
      await watch.leave();
      expect(cut).toBeLessThanOrEqual(disconnects);
    }
    const positions = (await written).flat().sort((a, b) => Number(a - b));
    expect(seen).toEqual(positions);
    expect(positions).toHaveLength(all);
  },
);
