import type { Outcome } from "../../actions/run.ts";
import { effectsAt } from "../../actions/triggers.ts";
import { withAliases } from "../../alias.ts";
import { type ActionState, action } from "../../domain/action.ts";
import { type FlowState, flow, flowId } from "../../domain/flow.ts";
import { streamOf } from "../../domain/noun.ts";
import { type OrgState, org } from "../../domain/org.ts";
import {
  type Claims,
  nothingSet,
  type SetClaims,
  setClaimLimits,
  takeClaims,
  withSet,
} from "../../domain/set-claims.ts";
import { contextForActions } from "../../domain/user/claims.ts";
import type { MetadataState } from "../../domain/user/metadata.ts";
import { findGrants } from "../base/roles.ts";
import type { FoundUser, Rows } from "../base/rows.ts";
import {
  type ActionParts,
  type ClaimTrigger,
  keepMetadata,
  noteFailure,
  type RunningAction,
} from "./action-effects.ts";
import { findMetadata } from "./beyond.ts";

/** What is told of a user, and how much actions may add to it. */
export interface Telling {
  readonly subject: FoundUser;
  readonly trigger: ClaimTrigger;
  readonly claims: Claims;
  /** UTF-8 bytes; left out, what the limit of set claims says. */
  readonly bytesMax?: number;
}

/**
 * The claims that the actions of the user's organization add, which replace none. Refuses where an
 * action fails that may not.
 */
export async function claimsByActions(parts: ActionParts, told: Telling): Promise<Claims> {
  const { subject, trigger, claims } = told;
  const { organization } = subject.state;
  const running = await findRunning(parts, organization, trigger);
  if (running.length === 0) return {};
  const given = await readContext(parts, subject);
  let kept = await findMetadata(parts, subject.userId);
  const bytesMax = Math.max(0, Math.min(told.bytesMax ?? Infinity, setClaimLimits.bytes));
  let taken: SetClaims = nothingSet;
  for (const one of running) {
    const { name, script, timeoutNanos, allowedToFail } = one.state;
    const now = { metadata: kept.map(asText), claims: withSet(claims, taken) };
    const context = contextForActions(subject, { ...given, ...now });
    const outcome: Outcome = await parts.sandbox.run({
      ...{ name, script, organization, context },
      api: effectsAt[trigger],
      timeoutMs: timeoutNanos / 1e6,
    });
    const { effects, problem } = outcome;
    if (problem !== undefined) {
      await noteFailure(parts, one, problem);
      if (!allowedToFail) parts.refuseFailedAction();
    }
    taken = takeClaims(claims, taken, { action: name, effects }, bytesMax);
    kept = await keepMetadata(parts, { subject, running: one, kept }, effects);
  }
  return withAliases(withSet({}, taken), parts.alias);
}

/** The actions in use at the trigger, in their order. */
async function findRunning(
  { objects }: Pick<Rows, "objects">,
  organization: string,
  trigger: ClaimTrigger,
): Promise<readonly RunningAction[]> {
  const [found] = await objects.current([streamOf(flow, flowId(organization, 2))]);
  const ids = (found?.state as FlowState | undefined)?.triggers[trigger] ?? [];
  if (ids.length === 0) return [];
  const stored = await objects.current(ids.map((id) => streamOf(action, id)));
  return ids.flatMap((id, i) => {
    const state = stored[i]?.state as ActionState | undefined;
    const isRunning = state?.organization === organization && !state.isInactive;
    return isRunning ? [{ id, state, trigger }] : [];
  });
}

async function readContext(parts: Rows, subject: FoundUser) {
  const { organization: id } = subject.state;
  const [found] = await parts.objects.current([streamOf(org, id)]);
  const name = (found?.state as OrgState | undefined)?.name ?? "";
  return { organization: { id, name }, grants: await findGrants(parts, subject.userId) };
}

function asText({ key, value }: MetadataState) {
  return { key, value: Buffer.from(value, "base64").toString() };
}
