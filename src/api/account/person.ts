import type { HandlerContext } from "@connectrpc/connect";
import { logout } from "../../domain/logout.ts";
import type { EndingDecision, UserDecision } from "../../domain/user/state/acting.ts";
import { stranger } from "../../domain/user/state/made.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { readCounted } from "../../execute/owner.ts";

import { Refused, readingKey, refuse } from "../call.ts";
import { detailsIn, requireDone, type Service } from "../service.ts";

type Decide = (user: UserState | undefined, nowMs: number) => UserDecision;

/**
 * Changes a person in its name, who has come with nothing but a code, and resolves with the
 * details. Throws `Refused` where the decision is a refusal.
 */
export async function changeAsPerson({ execute }: Service, userId: string, decide: Decide) {
  const outcome = await execute({
    ...{ ...asPerson(userId), answer: detailsIn },
    decide: (states, nowMs) => decide(states.user, nowMs),
  });
  return requireDone(outcome).answer;
}

/** The same where sessions may end by it, of which applications are told. */
export async function endAsPerson(
  service: Service,
  userId: string,
  decide: (user: UserState | undefined, nowMs: number) => EndingDecision,
) {
  const { execute, newId, store } = service;
  const found = await readCounted(store, user, userId);
  const owner = found?.state.organization ?? refuse("CODE_INVALID");
  const outcome = await execute({
    ...{ ...asPerson(userId), answer: detailsIn },
    begins: { logouts: { noun: logout, owner, newId } },
    decide: (states, nowMs) => decide(states.user, nowMs),
  });
  return requireDone(outcome).answer;
}

/** What is done in the name of a person. A caller with a wrong code may be somebody else. */
function asPerson(userId: string) {
  return {
    actor: userId,
    refusedActor: stranger,
    writes: { user: { noun: user, id: userId } },
  } as const;
}

/**
 * Checks the code that a person has come with, and loads the person. Throws `Refused` where the
 * code is wrong; a wrong try has been recorded by then, unless the call only reads.
 */
export async function checkPerson(
  service: Service,
  userId: string,
  check: Decide,
  { values }: Pick<HandlerContext, "values">,
): Promise<UserState> {
  const isReading = values.get(readingKey);
  if (!isReading) {
    const outcome = await service.execute({
      ...asPerson(userId),
      decide: (states, nowMs) => check(states.user, nowMs),
    });
    requireDone(outcome);
  }
  const found = await readCounted(service.store, user, userId);
  const { rejection } = isReading ? check(found?.state, service.now()) : {};
  if (rejection !== undefined) throw new Refused(rejection);
  return found?.state ?? refuse("CONFLICT");
}
