import type { Envelope } from "../event.ts";
import { type Refusal, reject } from "./decision.ts";
import { mustExist, unknownEvent } from "./noun.ts";

/** The part of a state that says whether its object is in use. */
export interface Status {
  readonly isInactive?: true;
}

/** A copy of the state with `isInactive` set, or left out where the object is active. */
export function withStatus<State extends Status>(state: State, isInactive: boolean): State {
  const { isInactive: _before, ...others } = state;
  return { ...others, ...(isInactive ? { isInactive } : {}) } as State;
}

/** The refusal to give an object the status that it has already; undefined where it changes. */
export function refuseSameStatus(state: Status, isInactive: boolean): Refusal | undefined {
  return (state.isInactive ?? false) === isInactive ? reject("NOTHING_CHANGED") : undefined;
}

/** What happens to a thing whose events say all of it: the end of their types. */
type Happening = "added" | "changed" | "deactivated" | "reactivated" | "removed";

/** An event by which such a thing begins, changes or ends. */
type PlainEvent = { readonly type: `${string}.${Happening}`; readonly payload: object } & Envelope;

/**
 * What `evolve` is of a noun whose payloads say what its state has: each takes the place of what
 * was said of the same before. Throws a TypeError for an event of another kind.
 */
export function evolvePlain<State extends Status & { readonly organization: string }>(
  state: State | undefined,
  event: PlainEvent,
): State | undefined {
  const { type, payload, owner } = event;
  switch (type.slice(type.lastIndexOf(".") + 1) as Happening) {
    case "added":
      return { ...payload, organization: owner } as State;
    case "changed":
      return { ...mustExist(state), ...payload };
    case "deactivated":
      return withStatus(mustExist(state), true);
    case "reactivated":
      return withStatus(mustExist(state), false);
    case "removed":
      return undefined;
    default:
      return unknownEvent(event as never);
  }
}
