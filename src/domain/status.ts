import { type Decision, reject } from "./decision.ts";

/** The part of a state that says whether its object is in use. */
export interface Status {
  readonly isInactive?: true;
}

/** A state in the other status: active is what nothing is said of. */
export function withStatus<State extends Status>(state: State, isInactive: boolean): State {
  const { isInactive: _before, ...rest } = state;
  return { ...rest, ...(isInactive ? { isInactive } : {}) } as State;
}

/** The refusal where the object is as it should become. */
export function refusalOfStatus(
  state: Status,
  isInactive: boolean,
): Decision<Record<never, never>> | undefined {
  if ((state.isInactive ?? false) !== isInactive) return undefined;
  return reject("NOTHING_CHANGED", `It is ${isInactive ? "inactive" : "active"} already.`);
}
