import { logout, recordTold, type Telling } from "../domain/logout.ts";
import { idOf } from "../domain/noun.ts";
import type { Attempt } from "../domain/sending.ts";
import { doneOr } from "../execute/done.ts";
import type { Execute } from "../execute/execute.ts";
import { readObject } from "../execute/read-object.ts";
import type { LeasedMessage } from "../store/message.ts";
import { type CarryOptions, createCarry } from "./carry.ts";
import { notifyActor } from "./deliver.ts";

/** The types of the events of which applications are told. */
export const logoutTypes: readonly string[] = ["logout.asked"];

/** Milliseconds after the end of a session in which it is tried to tell applications of it. */
export const toldWithinMs = 60 * 60_000;

/** The parts of the service that tell applications of sessions that have ended. */
export interface TellOptions extends CarryOptions {
  readonly execute: Execute;
  /** Tells one, once. Resolves in a bounded time, and at once when the signal aborts it. */
  readonly tell: (telling: Telling, signal: AbortSignal) => Promise<Attempt>;
  /** Calls off what is on its way. */
  readonly signal: AbortSignal;
}

/** Makes the function that tells the application of one leased message: see `createCarry`. */
export function createTelling(options: TellOptions): (message: LeasedMessage) => Promise<void> {
  const { store, execute, tell, signal } = options;
  return createCarry(options, async ({ event, field }) => {
    const { stream, position, timeMs } = event;
    const found = await readObject(store, logout, idOf(logout, stream));
    if (found === undefined) return undefined;
    const { userId, sessionId, waiting } = found.state;
    const clientId = waiting[field];
    if (clientId === undefined) return undefined;
    return {
      expirationMs: timeMs + toldWithinMs,
      send: () => tell({ id: `${position}-${field}`, userId, sessionId, clientId }, signal),
      record: async (fate) => {
        const problem = fate.kind === "failed" ? fate.problem : undefined;
        const outcome = await execute({
          actor: notifyActor,
          // Applications are told though the organization was removed meanwhile.
          isForRemoved: true,
          writes: { logout: { noun: logout, id: found.id } },
          decide: (states) =>
            recordTold(states.logout, { position: String(position), field }, problem),
        });
        doneOr(outcome, "the notification was not recorded");
      },
    };
  });
}
