import { type Refusal, reject } from "./decision.ts";

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
