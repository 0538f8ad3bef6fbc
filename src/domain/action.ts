import { accept, type Decision, invalid, reject, type Violation } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { existing, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { refusalOfStatus, type Status, withStatus } from "./status.ts";

/** An action: JavaScript that will run at a trigger point. */
export type ActionEvent =
  | { readonly type: "action.added"; readonly payload: ActionInput }
  | {
      readonly type: "action.deactivated" | "action.reactivated" | "action.removed";
      readonly payload: Nothing;
    };

export interface ActionInput {
  readonly name: string;
  readonly script: string;
  /** After how many nanoseconds an unfinished run is ended. */
  readonly timeoutNanos: number;
  /** Whether the next action runs even if this one fails. */
  readonly allowedToFail: boolean;
}

export interface ActionState extends ActionInput, Status {
  /** The organization it belongs to. */
  readonly organization: string;
}

/** How long a run may take when nothing is said, and at most: 10 s and 20 s. */
export const timeoutNanosDefault = 10_000_000_000;
export const timeoutNanosMax = 20_000_000_000;

export const action: Noun<ActionState, ActionEvent> = {
  kind: "action",
  secrets: [],
  evolve(state, event) {
    switch (event.type) {
      case "action.added":
        return { ...event.payload, organization: event.owner };
      case "action.deactivated":
        return withStatus(existing(state), true);
      case "action.reactivated":
        return withStatus(existing(state), false);
      case "action.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ name, organization }) => [
    { kind: "action.name", scope: organization, value: foldName(name) },
  ],
  row: ({ name, organization, isInactive }) => ({
    parent: organization,
    fields: { name, state: isInactive ? "INACTIVE" : "ACTIVE" },
  }),
};

/** What is wrong with the script has been found out before; nothing is run. */
export function createAction(
  input: ActionInput,
  scriptViolations: readonly Violation[],
): ActionDecision {
  const violations = [
    ...nameViolations("name", input.name),
    ...scriptViolations,
    ...timeoutViolations(input.timeoutNanos),
  ];
  if (violations.length > 0) return invalid(violations);
  return accept({ action: [{ type: "action.added", payload: input }] });
}

type ActionDecision = Decision<{ action?: readonly ActionEvent[] }>;

export function switchAction(
  state: ActionState | undefined,
  { organization, isInactive }: { readonly organization: string; readonly isInactive: boolean },
): ActionDecision {
  if (state?.organization !== organization) return actionNotFound();
  const type = isInactive ? "action.deactivated" : "action.reactivated";
  return refusalOfStatus(state, isInactive) ?? accept({ action: [{ type, payload: {} }] });
}

export function removeAction(
  state: ActionState | undefined,
  { organization }: { readonly organization: string },
): ActionDecision {
  if (state?.organization !== organization) return actionNotFound();
  return accept({ action: [{ type: "action.removed", payload: {} }] });
}

export function actionNotFound(): ActionDecision {
  return reject("ACTION_NOT_FOUND", "The organization has no action with this id.");
}

function timeoutViolations(timeoutNanos: number): readonly Violation[] {
  return timeoutNanos > 0 && timeoutNanos <= timeoutNanosMax
    ? []
    : [{ field: "timeout", description: "must be more than 0s and at most 20s" }];
}
