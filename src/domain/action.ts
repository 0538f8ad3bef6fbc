import { accept, type Decision, invalid, type Violation } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { type Noun, unknownEvent } from "./noun.ts";

/** An action: JavaScript that will run at a trigger point. */
export type ActionEvent = { readonly type: "action.added"; readonly payload: ActionInput };

export interface ActionInput {
  readonly name: string;
  readonly script: string;
  /** After how many nanoseconds an unfinished run is ended. */
  readonly timeoutNanos: number;
  /** Whether the next action runs even if this one fails. */
  readonly allowedToFail: boolean;
}

export interface ActionState extends ActionInput {
  /** The organization it belongs to. */
  readonly organization: string;
}

/** How long a run may take when nothing is said, and at most: 10 s and 20 s. */
export const timeoutNanosDefault = 10_000_000_000;
export const timeoutNanosMax = 20_000_000_000;

export const action: Noun<ActionState, ActionEvent> = {
  kind: "action",
  evolve(_state, event) {
    switch (event.type) {
      case "action.added":
        return { ...event.payload, organization: event.owner };
      default:
        return unknownEvent(event.type);
    }
  },
  claims: ({ name, organization }) => [
    { kind: "action.name", scope: organization, value: foldName(name) },
  ],
  row: ({ name }) => ({ parent: "", fields: { name } }),
};

/** What is wrong with the script has been found out before; nothing is run. */
export function createAction(
  input: ActionInput,
  scriptViolations: readonly Violation[],
): Decision<{ action?: readonly ActionEvent[] }> {
  const violations = [
    ...nameViolations("name", input.name),
    ...scriptViolations,
    ...timeoutViolations(input.timeoutNanos),
  ];
  if (violations.length > 0) return invalid(violations);
  return accept({ action: [{ type: "action.added", payload: input }] });
}

function timeoutViolations(timeoutNanos: number): readonly Violation[] {
  return timeoutNanos > 0 && timeoutNanos <= timeoutNanosMax
    ? []
    : [{ field: "timeout", description: "must be more than 0s and at most 20s" }];
}
