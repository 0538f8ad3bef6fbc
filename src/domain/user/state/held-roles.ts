import type { Claim, ClaimGroup, Envelope } from "../../../event.ts";
import { idOfScope, type Membership, type Scope, sameScope } from "../../permission.ts";
import type { StayingSessions } from "./factor-traits.ts";
import { sortableTime } from "./sortable-time.ts";

/** An event by which a user gets roles in a scope, or others in the place of those there. */
export interface RolesGiven {
  readonly type: "user.membership.granted" | "user.membership.changed";
  readonly payload: Membership & StayingSessions;
}

/** A membership, and when it was granted and its roles were replaced last (Unix milliseconds). */
export interface HeldMembership extends Membership {
  readonly addedMs: number;
  readonly changedMs: number;
}

/** The membership in a scope; undefined for none. */
export function membershipIn<One extends Membership>(
  memberships: readonly One[],
  scope: Scope,
): One | undefined {
  return memberships.find((one) => sameScope(one.scope, scope));
}

/** The memberships after an event that gives roles, in the order in which they were granted. */
export function withRoles(
  memberships: readonly HeldMembership[],
  { payload: { scope, roles }, timeMs }: RolesGiven & Envelope,
): readonly HeldMembership[] {
  const held = membershipIn(memberships, scope);
  const given = { scope, roles, addedMs: held?.addedMs ?? timeMs, changedMs: timeMs };
  if (held === undefined) return [...memberships, given];
  return memberships.map((one) => (one === held ? given : one));
}

/** The roles that are not held in the scope yet. */
export function newRoles(
  memberships: readonly Membership[],
  { scope, roles }: Membership,
): Membership["roles"] {
  const held = membershipIn(memberships, scope);
  return roles.filter((role) => !held?.roles.includes(role));
}

/** The claims of which each member of the scope holds one. */
export function membersIn(scope: Scope): ClaimGroup {
  return membersOfPlace(idOfScope(scope));
}

/** The claims of which each member of the place with this id holds one: see `idOfScope`. */
export function membersOfPlace(id: string): ClaimGroup {
  return { kind: "user.membership", scope: id };
}

/** The claims by which the members of scopes are found. */
export function memberClaims(memberships: readonly Membership[], value: string): readonly Claim[] {
  return memberships.map(({ scope }) => ({ ...membersIn(scope), value }));
}

/** The fields that lists of the members of the instance are sorted by: only those have them. */
export const instanceFields = {
  added: "instanceAdded",
  changed: "instanceChanged",
  organization: "instanceOrganization",
} as const;

/** What such lists see of a user. */
export function instanceRow(memberships: readonly HeldMembership[], organization: string) {
  const held = membershipIn(memberships, { level: "instance" });
  if (held === undefined) return {};
  return {
    [instanceFields.added]: sortableTime(held.addedMs),
    [instanceFields.changed]: sortableTime(held.changedMs),
    [instanceFields.organization]: organization,
  };
}
