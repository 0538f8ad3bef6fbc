import type { HandlerContext } from "@connectrpc/connect";
import type { UserDecision } from "../../domain/user/acting.ts";
import { stranger } from "../../domain/user/made.ts";
import { type UserState, user } from "../../domain/user/user.ts";
import { readCounted } from "../../execute/owner.ts";

import { Refused, readingKey, refuse } from "../call.ts";
import { requireDone, type Service } from "../service.ts";

/**
 * Decides in the name of the person, who has come with nothing but a code. A caller with a wrong
 * code may be somebody else.
 */
export function decideAsPerson(
  { execute }: Service,
  userId: string,
  decide: (user: UserState | undefined, nowMs: number) => UserDecision,
) {
  return execute({
    actor: userId,
    refusedActor: stranger,
    writes: { user: { noun: user, id: userId } },
    decide: (states, nowMs) => decide(states.user, nowMs),
  });
}

/**
 * Checks the code that a person has come with, and loads the person. Throws `Refused` where the
 * code is wrong; a wrong try has been recorded by then, unless the call only reads.
 */
export async function checkPerson(
  service: Service,
  userId: string,
  check: Parameters<typeof decideAsPerson>[2],
  { values }: Pick<HandlerContext, "values">,
): Promise<UserState> {
  const isReading = values.get(readingKey);
  if (!isReading) requireDone(await decideAsPerson(service, userId, check));
  const found = await readCounted(service.store, user, userId);
  const { rejection } = isReading ? check(found?.state, service.now()) : {};
  if (rejection !== undefined) throw new Refused(rejection);
  return found?.state ?? refuse("CONFLICT");
}
