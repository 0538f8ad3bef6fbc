import { idOf } from "../domain/noun.ts";
import {
  type CodeEvent,
  type Fate,
  findDestination,
  readCodeEvent,
  recordDelivery,
} from "../domain/user/delivery.ts";
import { type UserState, user } from "../domain/user/user.ts";
import type { Execute } from "../execute/execute.ts";
import type { LeasedMessage } from "../store/message.ts";
import type { Store } from "../store/store.ts";
import type { Attempt, Channels } from "./channel.ts";
import { backoffMs, type WorkerLimits } from "./limits.ts";
import { type Composition, compose, type Order } from "./messages.ts";

/** The actor of the events about deliveries. */
export const notifyActor = "notify";

/** The part of a logger that is used here; its lines name no address, no code and no secret. */
export interface Log {
  info(members: object, text: string): void;
  warn(members: object, text: string): void;
  error(members: object, text: string): void;
}

/** The parts of the service that deliver a message. */
export interface DeliverOptions extends Composition {
  readonly store: Pick<Store, "load" | "postponeMessage">;
  readonly execute: Execute;
  readonly channels: Channels;
  readonly now: () => number;
  /**
   * Whether the clock can be relied on to give a message up for good; left out, it always can.
   */
  readonly isSettled?: () => boolean;
  /** From 0 to 1, as `backoffMs` wants it. */
  readonly jitter: () => number;
  readonly log: Log;
  readonly limits: WorkerLimits;
  /** Calls off what is on its way. */
  readonly signal: AbortSignal;
}

/**
 * Makes the function that delivers one leased message and records what became of it, or makes it
 * due again. It does not reject: what cannot be done now is done when the lease is over.
 */
export function createDeliver(options: DeliverOptions): (message: LeasedMessage) => Promise<void> {
  const { store, now, isSettled = () => true, log, limits } = options;

  async function deliver(message: LeasedMessage, members: object): Promise<void> {
    const asked = readCodeEvent(message.event);
    const [stored] = await store.load([message.event.stream]);
    // Whoever removed the user settled the message.
    if (stored?.state === undefined) return;
    const state = JSON.parse(stored.state) as UserState;
    const destination = findDestination(state, asked, now());
    const record = (fate: Fate) => settle(options, message, asked, fate, members);
    if (destination === undefined) return record({ kind: "failed", problem: "superseded" });
    const postpone = async (problem: string, dueMs: number) => {
      await store.postponeMessage(message, dueMs);
      log.warn({ ...members, problem, dueMs }, "a message was postponed");
    };
    if (destination.expirationMs <= now()) {
      if (isSettled()) return record({ kind: "failed", problem: "expired" });
      return postpone("expired, if the clock is right", now() + limits.backoffMaxMs);
    }

    const order = { ...message, type: asked.type, destination, user: state };
    const attempt = await send(options, order, members);
    if (attempt.kind === "sent") return record({ kind: "sent" });
    const { problem } = attempt;
    const { expirationMs } = destination;
    const dueMs = now() + backoffMs(message.attempts, options.jitter(), limits);
    const isLate = dueMs > message.sinceMs + limits.giveUpMs || dueMs >= expirationMs;
    const isLast = isLate && isSettled();
    if (attempt.kind === "refused" || isLast) return record({ kind: "failed", problem });
    return postpone(problem, dueMs);
  }

  return async (message) => {
    const { event, field, attempts } = message;
    const { stream, position } = event;
    const members = { stream, position: String(position), field, attempts };
    try {
      await deliver(message, members);
    } catch (err) {
      log.error({ ...members, err }, "a message was left until its lease is over");
    }
  };
}

async function send(
  { channels, signal, log, keyring, publicUrl }: DeliverOptions,
  order: Order,
  members: object,
): Promise<Attempt> {
  try {
    const message = compose(order, { keyring, publicUrl });
    return await channels[message.channel](message, signal);
  } catch (err) {
    log.error({ ...members, err }, "a message could not be made");
    return { kind: "missed", problem: "the message could not be made" };
  }
}

/** Records what became of a message, and logs it. */
async function settle(
  { execute, log }: DeliverOptions,
  { event: { stream, position } }: LeasedMessage,
  asked: CodeEvent,
  fate: Fate,
  members: object,
): Promise<void> {
  const { kind } = await execute({
    actor: notifyActor,
    writes: { user: { noun: user, id: idOf(user, stream) } },
    relies: {},
    decide: (states, nowMs) => recordDelivery(states.user, { ...asked, position }, fate, nowMs),
  });
  if (kind !== "done") throw new Error(`the delivery was not recorded: ${kind}`);
  if (fate.kind === "sent") log.info(members, "a message was sent");
  else log.warn({ ...members, problem: fate.problem }, "a message was given up");
}
