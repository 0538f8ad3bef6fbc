import type { Claim, ClaimGroup } from "../../../event.ts";
import { isWithin, type Membership, sameScope } from "../../permission.ts";

/** An event by which a user loses roles: those in one scope, or all in an organization. */
export type RolesRemoved =
  | { readonly type: "user.membership.removed"; readonly payload: Pick<Membership, "scope"> }
  | {
      readonly type: "user.memberships.removed";
      readonly payload: { readonly organization: string };
    };

/** The roles of a user, and the organization that it belongs to. */
interface Belonging {
  readonly organization: string;
  readonly memberships: readonly Membership[];
}

/** The claims of which each user of the organization holds one who has roles outside of it. */
export function holdersBeyond(organization: string): ClaimGroup {
  return { kind: "user.beyond", scope: organization };
}

/** The claims of which each user of another organization holds one who has roles in this one. */
export function membersFromBeyond(organization: string): ClaimGroup {
  return { kind: "user.member", scope: organization };
}

/** The other organizations in which the user has roles. */
export function organizationsBeyond({ organization, memberships }: Belonging): readonly string[] {
  const organizations = memberships.flatMap(({ scope }) =>
    scope.level === "instance" || isWithin(scope, organization) ? [] : scope.organization,
  );
  return [...new Set(organizations)];
}

/** The claims by which a user is found who has roles outside of its organization. */
export function claimsBeyond(user: Belonging, value: string): readonly Claim[] {
  const { organization, memberships } = user;
  const isBeyond = memberships.some(({ scope }) => !isWithin(scope, organization));
  const groups = organizationsBeyond(user).map(membersFromBeyond);
  return [...(isBeyond ? [holdersBeyond(organization)] : []), ...groups].map((group) => {
    return { ...group, value };
  });
}

/** The roles that are left where those in the organization and its projects are gone. */
export function withoutRolesIn<One extends Membership>(
  memberships: readonly One[],
  organization: string,
): readonly One[] {
  return memberships.filter(({ scope }) => !isWithin(scope, organization));
}

/** The roles that are left after an event that takes some away. */
export function withoutRoles<One extends Membership>(
  memberships: readonly One[],
  event: RolesRemoved,
): readonly One[] {
  if (event.type === "user.memberships.removed") {
    return withoutRolesIn(memberships, event.payload.organization);
  }
  return memberships.filter(({ scope }) => !sameScope(scope, event.payload.scope));
}
