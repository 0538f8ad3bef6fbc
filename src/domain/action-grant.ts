import { reject } from "./decision.ts";
import { type Giving, type GrantDecision, type Granting, giveRoles } from "./grant.ts";

/**
 * Grants a person roles in the name of an action of its organization, which gives nothing that the
 * organization itself could not.
 */
export function addGrantByAction(states: Omit<Granting, "caller">, given: Giving): GrantDecision {
  const { user } = states;
  const isTheirs = user?.organization === given.organization && user.human !== undefined;
  return isTheirs ? giveRoles(states, given) : reject("USER_NOT_FOUND");
}
