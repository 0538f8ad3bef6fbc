import type { Claim, ClaimsWithin } from "../../../event.ts";
import { foldText } from "../../../text/fold.ts";
import { foldName } from "../../name.ts";
import type { Status } from "../../status.ts";
import type { Person } from "./human-state.ts";

/** A user, as far as it concerns who looks for an address. */
interface Addressed extends Status {
  readonly userName: string;
  readonly organization: string;
  readonly human?: Pick<Person, "email" | "isEmailVerified">;
}

/**
 * By what those are found who have an e-mail address that is verified: all of the instance, and
 * those of an organization. No address and no name has a line break.
 */
export function claimsOfAddress(address: string, organization: string) {
  const folded = foldText(address.trim());
  return [
    { kind: "user.email", scope: "", prefix: `${folded}\n` },
    { kind: "user.email", scope: organization, prefix: `${folded}\n` },
  ] as const satisfies readonly ClaimsWithin[];
}

/** Whether a person in use has this address, and it is verified. */
export function hasAddress({ human, isInactive }: Addressed, address: string): boolean {
  if (isInactive || !human?.isEmailVerified) return false;
  return foldText(human.email) === foldText(address.trim());
}

/** What a user claims of it: nothing that another one may not claim as well. */
export function addressClaims(state: Addressed): readonly Claim[] {
  const { human, organization, userName } = state;
  if (human === undefined || !hasAddress(state, human.email)) return [];
  return claimsOfAddress(human.email, organization).map(({ prefix, ...group }) => {
    return { ...group, value: prefix + foldName(userName) };
  });
}
