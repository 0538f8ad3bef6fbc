import type { Effect, RunProblem } from "../../actions/run.ts";
import { type ActionState, action, actionLimits, failAction } from "../../domain/action.ts";
import type { Rejection } from "../../domain/decision.ts";
import { handOfAction } from "../../domain/user/made.ts";
import {
  type MetadataState,
  metadata,
  metadataOf,
  setMetadataByAction,
} from "../../domain/user/metadata.ts";
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
 * Logs that an action failed, and records it up to the bound of its hour. What the script says of
 * it is in the log alone.
 */
export async function noteFailure(
  parts: Parts,
  { id, trigger, state: { organization } }: RunningAction,
  { message, ...problem }: RunProblem,
): Promise<void> {
  const noted = { actionId: id, organization, trigger, ...problem };
  parts.log.warn({ ...noted, scriptMessage: message }, "an action failed");
  const { failuresOfHour, failuresMs } = actionLimits;
  const counted = await countOfActions(parts, `failures ${id}`, failuresMs, failuresOfHour);
  if (counted === undefined) return;
  await parts.execute({
    actor: handOfAction(id),
    writes: { action: { noun: action, id } },
    decide: (states) => failAction(states.action, { trigger, ...problem }),
  });
}

/** For whom and by what something is kept, and what is kept already. */
interface Keeping {
  readonly subject: FoundUser;
  readonly running: RunningAction;
  readonly kept: readonly MetadataState[];
}

/**
 * Keeps with a user what an action asks for, where that changes something: nothing else counts for
 * the bound of a day. Resolves to what is kept then.
 */
export async function keepMetadata(
  parts: Parts,
  { subject, running, kept: before }: Keeping,
  effects: readonly Effect[],
): Promise<readonly MetadataState[]> {
  const { userId } = subject;
  const kept = new Map(before.map((one) => [one.key, one]));
  for (const { kind, name: key, value } of effects) {
    if (kind !== "setMetadata") continue;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const asked = { userId, key, value: Buffer.from(text).toString("base64") };
    const input = { ...asked, organization: subject.state.organization };
    const known = { user: subject.state, metadata: kept.get(key), held: kept.size };
    const reason =
      setMetadataByAction(known, input).rejection?.reason ??
      (await writeMetadata(parts, running, input));
    if (reason === undefined) kept.set(key, asked);
    else if (reason !== "NOTHING_CHANGED") {
      parts.log.warn({ actionId: running.id, userId, reason }, "an action kept nothing");
    }
  }
  return [...kept.values()];
}

/** Writes a key that is to change, and counts it. Resolves to the reason where that is refused. */
async function writeMetadata(
  parts: Parts,
  { id }: RunningAction,
  input: Parameters<typeof setMetadataByAction>[1],
): Promise<Rejection["reason"] | undefined> {
  const { userId, key, organization: owner } = input;
  const { metadataOfDay, metadataMs } = actionLimits;
  const giveBack = await countOfActions(parts, `metadata ${userId}`, metadataMs, metadataOfDay);
  if (giveBack === undefined) return "LIMIT_REACHED";
  const outcome = await parts.execute({
    actor: handOfAction(id),
    writes: {
      user: { noun: user, id: userId },
      metadata: { noun: metadata, id: metadataId(userId, key), owner },
    },
    groups: { held: { noun: metadata, ...metadataOf(userId) } },
    decide: (states) => setMetadataByAction(states, input),
  });
  if (outcome.kind === "done") return undefined;
  await giveBack();
  return outcome.kind === "rejected" ? outcome.rejection.reason : "CONFLICT";
}
