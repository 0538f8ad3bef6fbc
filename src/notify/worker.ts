import { messageTypes } from "../domain/user/credential/delivery.ts";
import type { LeasedMessage } from "../store/message.ts";
import type { Timer } from "../store/scheduler.ts";
import { type Append, type Store, StoreUnavailable } from "../store/store.ts";
import { createDeliver, type DeliverOptions } from "./deliver.ts";
import { type WorkerLimits, workerLimits } from "./limits.ts";
import { createTelling, logoutTypes, type TellOptions } from "./logout.ts";
import { createInviting, type InviteOptions, registrationTypes } from "./registration.ts";

/** The parts of the service that a worker uses, and which messages it delivers. */
export interface WorkerOptions extends Omit<DeliverOptions, "limits" | "signal">, WorkOptions {
  readonly store: InviteOptions["store"] & WorkOptions["store"];
}

interface WorkOptions {
  readonly store: Pick<Store, "leaseMessages">;
  readonly log: DeliverOptions["log"];
  readonly now: () => number;
  /** The types of the events whose messages it delivers; left out, whatever they are. */
  readonly types?: readonly string[];
  readonly timer?: Timer;
  readonly limits?: Partial<WorkerLimits>;
}

/** Makes what delivers one message. */
type MakeDeliver = (made: {
  readonly limits: WorkerLimits;
  readonly signal: AbortSignal;
}) => (message: LeasedMessage) => Promise<void>;

/** A worker that delivers pending messages until it is stopped. */
export interface Worker {
  /** Says that messages may be due now. */
  wake(): void;
  /** Takes no more messages; resolves when those on their way have arrived or were called off. */
  stop(): Promise<void>;
}

/** Whether an append leaves messages to deliver, so that the worker should be woken. */
export function asksToSend({ changes }: Append): boolean {
  return changes.some(({ messages }) => messages.length > 0);
}

/** A worker that delivers messages to people: see `work`. */
export function startWorker(options: WorkerOptions): Worker {
  return work(options, (made) => createDeliver({ ...options, ...made }));
}

/**
 * Delivers the pending messages of a log, each at least once: what became of one is recorded after
 * it went out, so a process that dies in between leaves it to be sent again when its lease is over.
 * Several processes may work on one log. Nothing that fails here is thrown: it is logged, and the
 * message is due again later.
 */
function work(options: WorkOptions, makeDeliver: MakeDeliver): Worker {
  const limits = { ...workerLimits, ...options.limits };
  const { store, log, now, timer = systemTimer } = options;
  const calledOff = new AbortController();
  const deliver = makeDeliver({ limits, signal: calledOff.signal });
  const onTheirWay = new Set<Promise<void>>();
  let isStopping = false;
  let isAwake = false;
  let rouse: () => void = () => {};

  const wake = () => {
    isAwake = true;
    rouse();
  };

  async function lease(limit: number): Promise<readonly LeasedMessage[]> {
    try {
      const of = options.types === undefined ? {} : { types: options.types };
      const { leaseMs } = limits;
      // Longer than a lease and a back-off together, plus clock skew. Otherwise a node whose clock
      // is behind would take a fresh lease for a message postponed by a clock that was ahead.
      const pauseMaxMs = leaseMs + limits.backoffMaxMs;
      return await store.leaseMessages({ ...of, nowMs: now(), leaseMs, pauseMaxMs, limit });
    } catch (err) {
      // What its storage lacks a store tells itself, and when it is back.
      if (!(err instanceof StoreUnavailable)) log.warn({ err }, "no messages could be leased");
      return [];
    }
  }

  function begin(message: LeasedMessage): void {
    const delivery = deliver(message).then(() => {
      const wasFull = onTheirWay.size >= limits.concurrentMax;
      onTheirWay.delete(delivery);
      if (wasFull) wake();
    });
    onTheirWay.add(delivery);
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      if (isAwake) return resolve();
      const cancel = timer(limits.pollMs, resolve);
      rouse = () => {
        cancel();
        resolve();
      };
    });
  }

  async function goOn(): Promise<void> {
    while (!isStopping) {
      isAwake = false;
      const free = limits.concurrentMax - onTheirWay.size;
      const leased = free > 0 ? await lease(free) : [];
      for (const message of leased) begin(message);
      // As many as asked for: there may be more, when there is room for them.
      if (leased.length === 0 || leased.length < free) await pause();
    }
  }

  const working = goOn();
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    isStopping = true;
    wake();
    await working;
    const cancel = timer(limits.stopGraceMs, () => calledOff.abort());
    await Promise.all(onTheirWay);
    cancel();
  };
  return {
    wake,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

/**
 * A worker for each channel, one for mails to people who register, so that strangers keep nobody's
 * mails waiting, and one that tells applications of sessions that have ended, where something does:
 * one that hangs must not keep the messages of the others waiting.
 */
export function startWorkers({
  tell,
  ...options
}: Omit<WorkerOptions, "types"> & Partial<Pick<TellOptions, "tell">>): Worker {
  const workers = Object.values(messageTypes).map((types) => startWorker({ ...options, types }));
  const registering = { ...options, types: registrationTypes };
  workers.push(work(registering, (made) => createInviting({ ...options, ...made })));
  if (tell !== undefined) {
    const told = { ...options, types: logoutTypes };
    workers.push(work(told, (made) => createTelling({ ...options, ...made, tell })));
  }
  return {
    wake: () => {
      for (const worker of workers) worker.wake();
    },
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
}

const systemTimer: Timer = (ms, callback) => {
  const timeout = setTimeout(callback, ms);
  return () => clearTimeout(timeout);
};
