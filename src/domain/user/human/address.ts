import type { Claim, ClaimGroup } from "../../../event.ts";
import { foldText } from "../../../text/fold.ts";
import { foldName } from "../../name.ts";
import type { Status } from "../../status.ts";
import type { Person } from "./state.ts";

/** A user, as far as it concerns who looks for an address. */
interface Addressed extends Status {
  readonly userName: string;
  readonly organization: string;
  readonly human?: Pick<Person, "email" | "isEmailVerified">;
}

/**
 * By what those are found who have an e-mail address that is verified: all of the instance, and
 * those of an organization.
 */
export function addressGroups(address: string, organization: string): readonly ClaimGroup[] {
  const folded = foldText(address.trim());
  return [
    { kind: "user.email", scope: folded },
    { kind: "org.email", scope: `${organization} ${folded}` },
  ];
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
  const value = foldName(userName);
  return addressGroups(human.email, organization).map((group) => ({ ...group, value }));
}
