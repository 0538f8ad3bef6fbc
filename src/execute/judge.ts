import {
  conceals,
  type Decision,
  type Refusal,
  type Rejection,
  reject,
} from "../domain/decision.ts";
import type { Admission, AnyCommand, Refs } from "./command.ts";
import type { LoadedStream } from "./load.ts";
import { judgeOrganization } from "./owner.ts";

/** What a command is decided on. */
type AnyStates = Parameters<AnyCommand<unknown>["decide"]>[0];

/** What is judged and decided of a command. */
type Judged = Pick<AnyCommand<unknown>, "admission" | "decide" | "expectedPosition" | "writes">;

/** The streams by which an admission is judged, under names that no command has for its own. */
export function judgedRefs({ streams }: Admission): Refs {
  const judged = Object.entries(streams).map(([name, ref]) => [judgedBy + name, ref]);
  return Object.fromEntries(judged);
}

const judgedBy = "admission: ";

/**
 * The decision, which for a caller who would not be let in any more is that refusal, and on a
 * stream at another position than the command expects another.
 */
export function judgeAndDecide(
  command: Judged,
  states: { readonly [name: string]: unknown },
  loaded: readonly LoadedStream[],
  owners: readonly LoadedStream[],
  nowMs: number,
): ReturnType<Judged["decide"]> {
  const { admission, decide } = command;
  const rejection =
    admission && (judge(admission, states, nowMs) ?? judgeOrganization(admission, owners));
  if (rejection) return { events: {}, rejection };
  return refuseChanged(command, loaded, decide(states as AnyStates, nowMs));
}

/** The refusal where the caller would not be let in any more. */
function judge(
  admission: Admission,
  states: { readonly [name: string]: unknown },
  nowMs: number,
): Rejection | undefined {
  const judged = Object.entries(states).filter(([name]) => name.startsWith(judgedBy));
  const named = judged.map(([name, state]) => [name.slice(judgedBy.length), state]);
  return admission.refusal(Object.fromEntries(named), nowMs);
}

/** The decision, or the refusal of one on what has changed: see `Command.expectedPosition`. */
function refuseChanged<Events>(
  { expectedPosition, writes }: Judged,
  loaded: readonly LoadedStream[],
  decision: Decision<Events>,
): Decision<Events> | Refusal {
  if (expectedPosition === undefined || conceals(decision.rejection)) return decision;
  const written = loaded.filter(({ name }) => name in writes);
  const isStill = written.every(({ stored }) => stored.position === expectedPosition);
  return isStill ? decision : reject("CHANGED_MEANWHILE");
}
