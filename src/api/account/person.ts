import type { UserDecision } from "../../domain/user/acting.ts";
import { type UserState, user } from "../../domain/user/user.ts";
import { Refused } from "../call.ts";
import { findObject } from "../listing.ts";
import { accepted, type Service } from "../service.ts";

/** What is decided for people who come with nothing but a code. */
export function persons(service: Service) {
  /** Decides in the name of the person, who has come with nothing but a code. */
  function decided(
    userId: string,
    decide: (user: UserState | undefined, nowMs: number) => UserDecision,
  ) {
    return service.execute({
      actor: userId,
      writes: { user: { noun: user, id: userId } },
      relies: {},
      decide: (states, nowMs) => decide(states.user, nowMs),
    });
  }

  /** The person whose code it is. Throws `Refused` where it is not; that has been counted. */
  async function person(...check: Parameters<typeof decided>): Promise<UserState> {
    accepted(await decided(...check));
    const found = await findObject(service, user, check[0]);
    if (found === undefined) throw new Refused({ reason: "CONFLICT", message: "Repeat the call." });
    return found.state;
  }

  return { decided, person };
}
