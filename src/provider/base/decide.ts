import { type Rejection, rejectionFor } from "../../domain/decision.ts";
import { logout } from "../../domain/logout.ts";
import type { EndingDecision, UserDecision } from "../../domain/user/state/acting.ts";
import { stranger } from "../../domain/user/state/made.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { failure } from "../../gateway/call/errors.ts";
import type { ProviderParts } from "./parts.ts";
import type { FoundUser } from "./rows.ts";

/** Decides as `decideAs` does. Resolves to whether it was not refused. */
export async function decide(...given: Parameters<typeof decideAs>): Promise<boolean> {
  return (await decideAs(...given)) === undefined;
}

/**
 * Decides in the name of the person, and has applications told of sessions that end by it. What a
 * refusal records is by nobody who is known. Resolves to the refusal, if it is one; throws where
 * nothing could be written, so that nobody is told that it was.
 */
export async function decideAs(
  { execute, newId }: Pick<ProviderParts, "execute" | "newId">,
  { userId: actor, state: { organization: owner } }: FoundUser,
  decision: (state: UserState | undefined, nowMs: number) => EndingDecision,
): Promise<Rejection | undefined> {
  const outcome = await execute({
    actor,
    refusedActor: stranger,
    writes: { user: { noun: user, id: actor } },
    begins: { logouts: { noun: logout, owner, newId } },
    decide: (states, nowMs) => decision(states.user, nowMs),
  });
  if (outcome.kind === "conflict") throw failure(rejectionFor("CONFLICT"));
  return outcome.kind === "rejected" ? outcome.rejection : undefined;
}

/** What is recorded of a person, and what instead where there is no room for what that sends. */
interface Recording {
  readonly decide: (state: UserState | undefined, nowMs: number) => UserDecision;
  readonly unsent?: () => UserDecision;
}

/**
 * Records of a person what somebody did who is not known. Resolves to whether anything was written.
 */
export async function record(
  { execute }: Pick<ProviderParts, "execute">,
  { userId: id }: Pick<FoundUser, "userId">,
  { decide, ...rest }: Recording,
): Promise<boolean> {
  const outcome = await execute({
    actor: stranger,
    writes: { user: { noun: user, id } },
    decide: (states, nowMs) => decide(states.user, nowMs),
    ...rest,
  });
  return outcome.kind === "done" && outcome.written.length > 0;
}
