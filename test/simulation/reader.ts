import type { LinkedEvent } from "../../src/event.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import type { Cluster } from "./cluster.ts";
import type { Node } from "./node.ts";
import { sleep, type World } from "./world.ts";

/** Somebody who follows the log from node to node. */
export interface Reader {
  readonly kinds: readonly string[] | undefined;
  /** What was read, in order. */
  readonly events: readonly ReadEvent[];
  /** The position up to which everything was read: the token to go on with. */
  through(): bigint;
}

/** An event as somebody read it, on a page that goes up to a position. */
export interface ReadEvent {
  readonly event: LinkedEvent;
  readonly pageThrough: bigint;
}

/** Milliseconds of one watch on one node, and the most events of an answer. */
const watchMaxMs = 3_000;
const limit = 3;

/** Follows the log for good, as a watch does, and goes on elsewhere when its node ends. */
export function startReader(
  world: World,
  cluster: Cluster,
  kinds: readonly string[] | undefined,
): Reader {
  const { random, time } = world;
  const events: ReadEvent[] = [];
  let through = 0n;

  async function watch(node: Node): Promise<void> {
    const over = new AbortController();
    const ended = new Promise<void>((resolve) => {
      over.signal.addEventListener("abort", () => resolve());
    });
    node.onEnd(() => over.abort());
    time.after(random.below(watchMaxMs), () => over.abort());
    await Promise.race([ended, follow(node, over.signal)]);
    over.abort();
  }

  async function follow({ store, feed }: Node, signal: AbortSignal): Promise<void> {
    const query = { limit, ...(kinds === undefined ? {} : { kinds }) };
    let after = through;
    while (!signal.aborted) {
      const page =
        feed.search({ ...query, after }) ??
        (await store.search({ ...query, after }).catch(passing));
      if (page === undefined || signal.aborted) return;
      const taken = random.once(10) ? page.events.slice(0, 1) : page.events;
      events.push(...taken.map((event) => ({ event, pageThrough: page.through })));
      through = page.through;
      if (taken.length < page.events.length) {
        // One who is cut off in the middle of a page goes on behind what he has.
        through = taken.at(-1)?.position ?? after;
        return;
      }
      after = through;
      if (page.isEnd) await feed.beyond(after, watchMaxMs, signal);
    }
  }

  async function read(): Promise<void> {
    for (;;) {
      const node = cluster.anyNode();
      if (node === undefined) await sleep(world, 100);
      else await watch(node);
      await sleep(world, 1 + random.below(50));
    }
  }

  void read();
  return { kinds, events, through: () => through };
}

/** What cannot be read now is read later. */
function passing(error: unknown): undefined {
  if (!(error instanceof StoreUnavailable)) throw error;
}
