import type { Effect, RunProblem } from "../../actions/run.ts";
import { type ActionState, action, actionLimits, failAction } from "../../domain/action.ts";
import type { ToldContext } from "../../domain/user/claims.ts";
import { handOfAction } from "../../domain/user/made.ts";
import { metadata, metadataOf, setMetadataByAction } from "../../domain/user/metadata.ts";
import { user } from "../../domain/user/user.ts";
import { metadataId } from "../../secrets/metadata-id.ts";
import { countOfActions } from "../base/action-counts.ts";
import type { ProviderParts } from "../base/parts.ts";
import type { FoundUser, Rows } from "../base/rows.ts";

/** What has to be there to run actions. */
export type ActionParts = Rows &
  Pick<ProviderParts, "alias" | "execute" | "log" | "now" | "refuseFailedAction" | "sandbox">;

/** A point at which claims are told: before userinfo and its like, or before an access token. */
export type ClaimTrigger = 4 | 5;

/** An action that runs. */
export interface RunningAction {
  readonly id: string;
  readonly state: ActionState;
  readonly trigger: ClaimTrigger;
}

type Parts = Pick<ActionParts, "execute" | "log" | "now" | "unit">;

/**
 * Records that an action failed, up to the bound of its hour. What the script says of it is in the
 * log alone.
 */
export async function noteFailure(
  parts: Parts,
  { id, trigger, state: { organization } }: RunningAction,
  { message, ...problem }: RunProblem,
): Promise<void> {
  const { failuresOfHour, failuresMs } = actionLimits;
  if (!(await countOfActions(parts, `failures ${id}`, failuresMs, failuresOfHour))) return;
  const noted = { actionId: id, organization, trigger, ...problem };
  parts.log.warn({ ...noted, scriptMessage: message }, "an action failed");
  await parts.execute({
    actor: handOfAction(id),
    writes: { action: { noun: action, id } },
    decide: (states) => failAction(states.action, { trigger, ...problem }),
  });
}

/** For whom and by what something is kept, and what is kept already: each value as text. */
interface Keeping extends Pick<ToldContext, "metadata"> {
  readonly subject: FoundUser;
  readonly running: RunningAction;
}

/** Keeps with a user what an action asks for, where that changes something. */
export async function keepMetadata(
  parts: Parts,
  { subject, running: { id }, metadata: before }: Keeping,
  effects: readonly Effect[],
): Promise<void> {
  const { userId, state } = subject;
  const { organization: owner } = state;
  const { metadataOfDay, metadataMs } = actionLimits;
  const kept = new Map(before.map(({ key, value }) => [key, value]));
  for (const { kind, name: key, value } of effects) {
    if (kind !== "setMetadata") continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const input = { organization: owner, userId, key, value: Buffer.from(text).toString("base64") };
    if (kept.get(key) === text) continue;
    if (!(await countOfActions(parts, `metadata ${userId}`, metadataMs, metadataOfDay))) return;
    kept.set(key, text);
    const outcome = await parts.execute({
      actor: handOfAction(id),
      writes: {
        user: { noun: user, id: userId },
        metadata: { noun: metadata, id: metadataId(userId, key), owner },
      },
      groups: { held: { noun: metadata, ...metadataOf(userId) } },
      decide: (states) => setMetadataByAction(states, input),
    });
    if (outcome.kind === "rejected" && outcome.rejection.reason !== "NOTHING_CHANGED") {
      parts.log.warn({ actionId: id, reason: outcome.rejection.reason }, "an action kept nothing");
    }
  }
}
