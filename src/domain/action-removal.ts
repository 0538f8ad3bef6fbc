import type { NewEvent } from "../event.ts";
import type { ActionEvent, ActionState } from "./action.ts";
import { accept, type Decision, reject } from "./decision.ts";
import { type Dependant, endDependants } from "./dependants.ts";

/** Removes an action, and takes it out of its flows in the same append. */
export function removeAction(
  states: { readonly action: ActionState | undefined; readonly [name: string]: unknown },
  dependants: readonly Dependant[],
  { organization, actionId: id }: { readonly organization: string; readonly actionId: string },
): Decision<{ readonly [name: string]: readonly NewEvent[] }> {
  if (states.action?.organization !== organization) return reject("ACTION_NOT_FOUND");
  const action: ActionEvent = { type: "action.removed", payload: {} };
  const removed = { kind: "action", id } as const;
  return accept({ action: [action], ...endDependants(states, dependants, removed) });
}
