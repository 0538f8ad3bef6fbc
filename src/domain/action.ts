import { accept, type Decision, type Problem, reject } from "./decision.ts";
import type { Trigger } from "./flow-types.ts";
import { foldName, rejectName } from "./name.ts";
import { isTooDeep, nestingLimits } from "./nesting.ts";
import { mustExist, type Nothing, type Noun, saysSame } from "./noun.ts";
import { evolvePlain, refuseSameStatus, type Status } from "./status.ts";

/** An action: JavaScript that will run at a trigger point. */
export type ActionEvent =
  | { readonly type: "action.added" | "action.changed"; readonly payload: ActionInput }
  | {
      readonly type: "action.failed";
      readonly payload: ActionFailure;
    }
  | {
      readonly type: "action.deactivated" | "action.reactivated" | "action.removed";
      readonly payload: Nothing;
    };

/** How a run failed. What the script says of it is not kept. */
export interface ActionFailure extends Trigger {
  /** The class of the error as JavaScript names it, or how the run ended. */
  readonly errorClass: string;
  /** Of the script, from 1. */
  readonly line?: number;
  readonly column?: number;
}

/** The bounds on what is recorded of actions that run. */
export const actionLimits = {
  /** Failures of an action that are recorded within `failuresMs`. */
  failuresOfHour: 10,
  failuresMs: 60 * 60_000,
  /** Keys of metadata that actions set of a person within `metadataMs`. */
  metadataOfDay: 10,
  metadataMs: 24 * 60 * 60_000,
} as const;

/** An action as a caller describes it. */
export interface ActionInput {
  readonly name: string;
  readonly script: string;
  /** After how many nanoseconds an unfinished run is ended. */
  readonly timeoutNanos: number;
  /** Whether the next action runs even if this one fails. */
  readonly allowedToFail: boolean;
}

/** An action as its events leave it. */
export interface ActionState extends ActionInput, Status {
  /** The organization it belongs to. */
  readonly organization: string;
}

/** Nanoseconds that a run may take where the caller gives no timeout: 10 s. */
export const timeoutNanosDefault = 10_000_000_000;
/** Nanoseconds that a run may take at most: 20 s. */
export const timeoutNanosMax = 20_000_000_000;

/** The noun of actions. */
export const action: Noun<ActionState, ActionEvent> = {
  kind: "action",
  events: {
    "action.added": "An action was created",
    "action.changed": "Its name, script, timeout or whether it may fail was changed",
    "action.failed": "A run of it failed, with the class of the error and where that was",
    "action.deactivated": "It was deactivated",
    "action.reactivated": "It was reactivated",
    "action.removed": "It was removed",
  },
  secrets: [],
  evolve(state, event) {
    return event.type === "action.failed" ? mustExist(state) : evolvePlain(state, event);
  },
  claimRefusals: { "action.name": rejectName("action of this organization") },
  claims: ({ name, organization }) => [
    { kind: "action.name", scope: organization, value: foldName(name) },
  ],
  row: ({ name, organization, isInactive }) => ({
    parent: organization,
    fields: { name, state: isInactive ? "INACTIVE" : "ACTIVE" },
  }),
};

/** Creates an action. Its script is not run here. */
export function createAction(input: ActionInput): ActionDecision {
  return accept({ action: [{ type: "action.added", payload: input }] });
}

type ActionDecision = Decision<{ action?: readonly ActionEvent[] }>;

/** Takes an action out of use or brings it back. */
export function switchAction(
  state: ActionState | undefined,
  { organization, isInactive }: { readonly organization: string; readonly isInactive: boolean },
): ActionDecision {
  if (state?.organization !== organization) return reject("ACTION_NOT_FOUND");
  const type = isInactive ? "action.deactivated" : "action.reactivated";
  return refuseSameStatus(state, isInactive) ?? accept({ action: [{ type, payload: {} }] });
}

/** Replaces what a caller says of an action. */
export function updateAction(
  state: ActionState | undefined,
  { organization }: { readonly organization: string },
  input: ActionInput,
): ActionDecision {
  if (state?.organization !== organization) return reject("ACTION_NOT_FOUND");
  if (saysSame(state, input)) return reject("NOTHING_CHANGED");
  return accept({ action: [{ type: "action.changed", payload: input }] });
}

/** Records that a run failed, where the action is there still. */
export function failAction(state: ActionState | undefined, payload: ActionFailure): ActionDecision {
  return state === undefined
    ? reject("ACTION_NOT_FOUND")
    : accept({ action: [{ type: "action.failed", payload }] });
}

/** The rule of the time that a run may take. */
export function timeoutProblem(nanos: number): Problem {
  return nanos > 0 && nanos <= timeoutNanosMax ? undefined : "must be more than 0s and at most 20s";
}

const { depth } = nestingLimits;
/** What a script is told in a test, in words that follow a verb. */
export const contextForm = `a JSON object with at most ${depth} lists and objects in each other`;

/** The rule of what a script is told in a test. */
export function contextProblem(text: string): Problem {
  return isObject(text) ? undefined : `must be ${contextForm}`;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    const isOne = typeof value === "object" && value !== null && !Array.isArray(value);
    return isOne && !isTooDeep(value);
  } catch {
    return false;
  }
}
