import type { Effect, Run, RunProblem } from "../../actions/run.ts";
import { effectsAt } from "../../actions/triggers.ts";
import { type ActionState, action, actionLimits, failAction } from "../../domain/action.ts";
import { type FlowState, flow, flowId } from "../../domain/flow.ts";
import type { Trigger } from "../../domain/flow-types.ts";
import { streamOf } from "../../domain/noun.ts";
import { type OrgState, org } from "../../domain/org.ts";
import { handOfAction } from "../../domain/user/state/made.ts";
import { countOfActions } from "../base/action-counts.ts";
import type { ProviderParts } from "../base/parts.ts";
import type { Rows } from "../base/rows.ts";

/** What has to be there to run actions. */
export type ActionParts = Rows &
  Pick<ProviderParts, "alias" | "execute" | "log" | "now" | "refuseFailedAction" | "sandbox">;

/** A point at which the actions of an organization run. */
export interface RunningPoint extends Trigger {
  readonly organization: string;
}

/** An action that runs. */
export interface RunningAction extends Trigger {
  readonly id: string;
  readonly state: ActionState;
}

/** What the actions of a trigger work on, one after the other. */
export interface Work<Kept> {
  /** What there is before the first. It is asked for where there is one. */
  begin(): Promise<Kept>;
  contextOf(kept: Kept): Run["context"];
  /** What there is after an action; of one that failed there are no effects. */
  take(kept: Kept, running: RunningAction, effects: readonly Effect[]): Kept | Promise<Kept>;
}

/**
 * Runs the actions of a trigger in their order. Resolves to what there is then; undefined where no
 * action runs. Refuses where one fails that may not.
 */
export async function runActions<Kept>(
  parts: ActionParts,
  point: RunningPoint,
  work: Work<Kept>,
): Promise<Kept | undefined> {
  const running = await findRunning(parts, point);
  if (running.length === 0) return undefined;
  let kept = await work.begin();
  for (const one of running) {
    const { name, script, timeoutNanos, allowedToFail, organization } = one.state;
    const { effects, problem } = await parts.sandbox.run({
      ...{ name, script, organization, context: work.contextOf(kept) },
      api: effectsAt(point),
      timeoutMs: timeoutNanos / 1e6,
    });
    if (problem !== undefined) {
      await noteFailure(parts, one, problem);
      if (!allowedToFail) parts.refuseFailedAction();
    }
    kept = await work.take(kept, one, effects);
  }
  return kept;
}

/** The actions in use at the trigger, in their order. */
async function findRunning(
  { objects }: Pick<Rows, "objects">,
  { organization, flow: number, trigger }: RunningPoint,
): Promise<readonly RunningAction[]> {
  const [found] = await objects.current([streamOf(flow, flowId(organization, number))]);
  const ids = (found?.state as FlowState | undefined)?.triggers[trigger] ?? [];
  if (ids.length === 0) return [];
  const stored = await objects.current(ids.map((id) => streamOf(action, id)));
  return ids.flatMap((id, i) => {
    const state = stored[i]?.state as ActionState | undefined;
    const isRunning = state?.organization === organization && !state.isInactive;
    return isRunning ? [{ id, state, flow: number, trigger }] : [];
  });
}

/**
 * Logs that an action failed, and records it up to the bound of its hour. What the script says of
 * it is in the log alone.
 */
async function noteFailure(
  parts: ActionParts,
  { id, flow: number, trigger, state: { organization } }: RunningAction,
  { message, ...problem }: RunProblem,
): Promise<void> {
  const failed = { flow: number, trigger, ...problem };
  const noted = { actionId: id, organization, ...failed };
  parts.log.warn({ ...noted, scriptMessage: message }, "an action failed");
  const { failuresOfHour, failuresMs } = actionLimits;
  const counted = await countOfActions(parts, `failures ${id}`, failuresMs, failuresOfHour);
  if (counted === undefined) return;
  await parts.execute({
    actor: handOfAction(id),
    writes: { action: { noun: action, id } },
    decide: (states) => failAction(states.action, failed),
  });
}

/** What actions are told of an organization. */
export async function findToldOrganization({ objects }: Pick<Rows, "objects">, id: string) {
  const [found] = await objects.current([streamOf(org, id)]);
  return { id, name: (found?.state as OrgState | undefined)?.name ?? "" };
}
