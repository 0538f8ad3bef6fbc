import type { Claim, ClaimGroup, Envelope } from "../../../event.ts";

/** An event by which a user becomes a member of a group, or is one no more. */
export interface JoinedEvent {
  readonly type: "user.group.joined" | "user.group.left";
  readonly payload: { readonly groupId: string };
}

/** What each of these events says: see `Noun.events`. */
export const joinedEvents: { readonly [type in JoinedEvent["type"]]: string } = {
  "user.group.joined": "The user became a member of a group of its organization",
  "user.group.left": "The user is no member of the group any more, or the group was removed",
};

/** The groups of a user, in the order in which it joined them. */
export interface Joined {
  /** Their ids, also of those that were just removed; left out where it was never in one. */
  readonly groups?: readonly string[];
}

/** The bound on the groups of a user, whose claims tokens have. */
export const joinedLimits = { groupsOfUser: 100 } as const;

/** Whether the user is a member of the group. */
export function isMember({ groups = [] }: Joined, groupId: string): boolean {
  return groups.includes(groupId);
}

/** The claims of which each member of a group holds one. */
export function membersOf(groupId: string): ClaimGroup {
  return { kind: "user.group", scope: groupId };
}

/** The claims of which each member holds one who has roles in this service. */
export function managersAmong(groupId: string): ClaimGroup {
  return { kind: "user.group.manager", scope: groupId };
}

/** The claims by which a user is found as a member of its groups. */
export function claimsInGroups(
  { groups = [], memberships }: Joined & { readonly memberships: readonly unknown[] },
  value: string,
): readonly Claim[] {
  const kinds = memberships.length > 0 ? [membersOf, managersAmong] : [membersOf];
  return groups.flatMap((groupId) => kinds.map((kind) => ({ ...kind(groupId), value })));
}

/** The same user in one group more, or one less. */
export function evolveJoined<State extends Joined>(
  state: State,
  { type, payload: { groupId } }: JoinedEvent & Envelope,
): State {
  const others = (state.groups ?? []).filter((id) => id !== groupId);
  return { ...state, groups: type === "user.group.joined" ? [...others, groupId] : others };
}
