import {
  type Append,
  type AppendResult,
  OutcomeUnknown,
  type Store,
  StoreUnavailable,
} from "../../src/store/store.ts";
import type { Server } from "./server.ts";
import { befalls, delayOf, sleep, type World } from "./world.ts";

/** Milliseconds after which nobody waits for an answer any more: longer than the slowest takes. */
const answerMs = 600;
/** How often it is asked what became of an append, and the milliseconds in between. */
const lookUps = { most: 3, pauseMs: 300 } as const;

/** No answer came: what was asked for may have happened, or may happen yet. */
class ConnectionLost extends Error {}

/** Whose connection it is. */
export interface Owner {
  readonly name: string;
  isAlive: boolean;
  /** Says that an outcome is unknown: from now on only another start can write. */
  lose(): void;
}

/** The store of a node: the server, behind a network that delays and loses. */
export function connect(world: World, server: Server, owner: Owner): Store {
  const { random, time } = world;
  let appends = 0;
  let mayWrite = true;

  /** Asks the server; what a dead node asked for is never answered. */
  function ask<Answer>(work: () => Promise<Answer> | Answer): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const fate = befalls(world, world.weather.lostOnceIn) ? random.below(3) : -1;
    const { term } = server;
    let isOver = false;
    const tell = (ms: number, say: () => void) =>
      time.after(ms, () => {
        if (isOver || !owner.isAlive) return;
        isOver = true;
        say();
      });
    tell(answerMs, () => reject(new ConnectionLost()));
    // Never on its way, or for longer than anybody waits.
    const lateMs = fate === 1 ? answerMs + random.below(2 * answerMs) : 0;
    if (fate === 0) return promise;
    time.after(delayOf(world) + lateMs, () => void arrive());
    return promise;

    async function arrive(): Promise<void> {
      if (!server.isUp || server.term !== term) return;
      try {
        const answer = await work();
        if (fate !== 2) tell(delayOf(world), () => resolve(answer));
      } catch (error) {
        tell(delayOf(world), () => reject(error));
      }
    }
  }

  /** What can be asked for again, or not at all. */
  const reading =
    <Given extends unknown[], Answer>(method: (...given: Given) => Promise<Answer>) =>
    async (...given: Given): Promise<Answer> => {
      try {
        return await ask(() => method(...given));
      } catch (error) {
        if (error instanceof ConnectionLost) throw new StoreUnavailable("the connection was lost");
        throw error;
      }
    };

  async function append(made: Append): Promise<AppendResult> {
    if (!mayWrite) throw new StoreUnavailable("an outcome is unknown: start anew");
    appends += 1;
    const id = `${owner.name} ${appends}`;
    try {
      return assertDone(await ask(() => server.append(id, made)));
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error;
      return await resolveOutcome(id);
    }
  }

  /** Asks what became of an append of which nobody answered. */
  async function resolveOutcome(id: string): Promise<AppendResult> {
    for (let asked = 0; asked < lookUps.most; asked += 1) {
      await sleep(world, lookUps.pauseMs);
      try {
        return assertDone(await ask(() => server.lookUp(id)));
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
    mayWrite = false;
    owner.lose();
    throw new OutcomeUnknown("nobody answers what became of the append");
  }

  const { store } = server;
  return {
    ...store,
    append,
    load: reading(store.load),
    versions: reading(store.versions),
    find: reading(store.find),
    holders: reading(store.holders),
    list: reading(store.list),
    readStream: reading(store.readStream),
    readAll: reading(store.readAll),
    search: reading(store.search),
    head: reading(store.head),
    linkAt: reading(store.linkAt),
    attachment: reading(store.attachment),
    leaseMessages: reading(store.leaseMessages),
    postponeMessage: reading(store.postponeMessage),
    recall: reading(store.recall),
    pendingMessages: reading(store.pendingMessages),
    rememberedOf: reading(store.rememberedOf),
    forgetAnswers: reading(store.forgetAnswers),
    artifacts: store.artifacts,
    ready: reading(store.ready),
    condition: reading(store.condition),
  };
}

function assertDone(result: AppendResult | undefined): AppendResult {
  if (result === undefined) throw new StoreUnavailable("the append did not happen");
  return result;
}
