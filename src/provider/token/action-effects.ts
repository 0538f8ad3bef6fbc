import type { Effect } from "../../actions/run.ts";
import { actionLimits } from "../../domain/action.ts";
import type { Rejection } from "../../domain/decision.ts";
import {
  type MetadataState,
  metadata,
  metadataOf,
  metadataText,
  setMetadataByAction,
} from "../../domain/user/metadata.ts";
import { handOfAction } from "../../domain/user/state/made.ts";
import { user } from "../../domain/user/state/user.ts";
import { metadataId } from "../../secrets/metadata-id.ts";
import { countOfActions } from "../base/action-counts.ts";
import type { FoundUser } from "../base/rows.ts";
import type { ActionParts, RunningAction } from "./running.ts";

type Parts = Pick<ActionParts, "execute" | "log" | "now" | "unit">;

/** For whom and by what something is kept, and what is kept already. */
interface Keeping {
  readonly subject: FoundUser;
  readonly running: Pick<RunningAction, "id">;
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
    const asked = { userId, key, value: Buffer.from(metadataText(value)).toString("base64") };
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
  { id }: Keeping["running"],
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
