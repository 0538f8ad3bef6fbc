import { rejectionFor } from "../../domain/decision.ts";
import { logout } from "../../domain/logout.ts";
import type { EndingDecision } from "../../domain/user/acting.ts";
import { stranger } from "../../domain/user/made.ts";
import { type UserState, user } from "../../domain/user/user.ts";
import { failure } from "../../gateway/errors.ts";
import type { ProviderParts } from "./parts.ts";
import type { FoundUser } from "./rows.ts";

/**
 * Decides in the name of the person, and has applications told of sessions that end by it. What a
 * refusal records is by nobody who is known. Resolves to whether it was not refused; throws the
 * refusal where nothing could be written, so that nobody is told that it was.
 */
export async function decide(
  { execute, newId }: Pick<ProviderParts, "execute" | "newId">,
  { userId: actor, state: { organization: owner } }: FoundUser,
  decision: (state: UserState | undefined, nowMs: number) => EndingDecision,
): Promise<boolean> {
  const outcome = await execute({
    actor,
    refusedActor: stranger,
    writes: { user: { noun: user, id: actor } },
    begins: { logouts: { noun: logout, owner, newId } },
    decide: (states, nowMs) => decision(states.user, nowMs),
  });
  if (outcome.kind === "conflict") throw failure(rejectionFor("CONFLICT"));
  return outcome.kind === "done";
}
