import type { SendLimits } from "../../src/domain/sending.ts";
import { createExecute, type Execute } from "../../src/execute/execute.ts";
import { beginTime, createClock, timedStore } from "../../src/log/clock.ts";
import { asksToSend, startWorkers, type Worker } from "../../src/notify/worker.ts";
import type { Keyring } from "../../src/secrets/keyring.ts";
import { createRetention } from "../../src/start/retain.ts";
import { afterAppend } from "../../src/store/after-append.ts";
import { createFeed, type Feed } from "../../src/store/feed.ts";
import { createObjects } from "../../src/store/objects.ts";
import type { Scheduler } from "../../src/store/scheduler.ts";
import { OutcomeUnknown, type Store, StoreUnavailable } from "../../src/store/store.ts";
import { createChannel, type Delivery } from "./channel.ts";
import { connect } from "./connection.ts";
import type { Server } from "./server.ts";
import { workerTimes } from "./weather.ts";
import { sleep, type World } from "./world.ts";

/** What the clocks of machines say at the beginning, in Unix milliseconds. */
export const startMs = 1_700_000_000_123;

/** So few that they are used up. */
export const simulatedSendLimits: SendLimits = {
  ...{ smsPerNumber: 3, smsPerOrganization: 8, mailsPerAddress: 3, mailsPerOrganization: 6 },
  registrationMails: 3,
};

/** Milliseconds for which logins are kept. */
const retainedMs = 3_000;

/** The longest that a node waits before it looks for older ones: nodes often do so at once. */
const forgetMaxMs = 400;

/** A machine: its clock goes on when the service on it dies. */
export interface Machine {
  readonly name: string;
  /** By how much its clock is ahead. */
  skewMs: number;
}

/** The service on a machine, from one start to its death. */
export interface Node {
  readonly name: string;
  readonly store: Store;
  readonly execute: Execute;
  readonly feed: Feed;
  readonly now: () => number;
  readonly isAlive: () => boolean;
  /** Ends it without a word: what it had in memory is gone, and what it waits for never comes. */
  crash(): void;
  /** Calls back once when it has ended; at once where it has. */
  onEnd(ended: () => void): void;
}

/** The parts that all nodes have in common. */
export interface Installation {
  readonly world: World;
  readonly server: Server;
  readonly keyring: Keyring;
  readonly deliveries: Delivery[];
}

/** Starts the service on a machine, as `createService` does, without its gateway. */
export async function startNode(
  { world, server, keyring, deliveries }: Installation,
  machine: Machine,
  starts: number,
): Promise<Node> {
  const { time, random, weather } = world;
  const ends: (() => void)[] = [];
  const name = `${machine.name}.${starts}`;
  const crash = () => {
    if (!owner.isAlive) return;
    owner.isAlive = false;
    world.say(() => `${name}: ends`);
    for (const ended of ends) ended();
  };
  // One who cannot tell what it wrote has to read it anew.
  const owner = { name, isAlive: true, lose: () => void time.after(0, crash) };
  const scheduler: Scheduler = {
    nowMs: time.nowMs,
    timer: (ms, callback) => time.after(ms, () => owner.isAlive && callback()),
    nextTurn: () => new Promise((resolve) => void scheduler.timer(0, resolve)),
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };

  const clock = createClock(() => startMs + time.nowMs() + machine.skewMs, time.nowMs);
  const timed = timedStore(connect(world, server, owner), clock, log);
  for (;;) {
    const isReady = await beginTime(timed, clock).then(
      () => true,
      () => false,
    );
    if (isReady) break;
    await sleep(world, 100);
  }
  const { heldEvents, keptBytes } = weather;
  const feed = createFeed(timed, { heldEvents, heldBytes: 1 << 20, readEvents: 3 }, scheduler);
  let worker: Worker | undefined;
  const store = afterAppend(timed, (append) => {
    feed.wake();
    if (asksToSend(append)) worker?.wake();
  });
  const objects = createObjects(store, { keptBytes });
  const execute = createExecute(store, clock.now, objects, simulatedSendLimits);
  const send = createChannel(world, deliveries, owner);
  worker = startWorkers({
    ...{ store, execute, keyring, log, now: clock.now, timer: scheduler.timer },
    channels: { email: send, sms: send },
    publicUrl: () => "https://iam.example.com",
    jitter: () => random.below(1_000) / 1_000,
    limits: workerTimes,
  });
  const retain = createRetention({
    ...{ store, execute, now: clock.now, isSettled: () => true, retainMs: retainedMs },
  });
  const goOn = () => {
    const again = () => scheduler.timer(random.below(forgetMaxMs), goOn);
    retain().catch(passing).then(again);
  };
  goOn();
  return {
    ...{ name, store, execute, feed, now: clock.now, crash },
    isAlive: () => owner.isAlive,
    onEnd: (ended) => void (owner.isAlive ? ends.push(ended) : ended()),
  };
}

/** What cannot be done now is done later; nobody is told of it. */
function passing(error: unknown): void {
  if (!(error instanceof StoreUnavailable || error instanceof OutcomeUnknown)) throw error;
}
