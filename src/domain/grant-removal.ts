import { accept, type Decision, reject } from "./decision.ts";
import { type GrantEvent, type Granted, type GrantState, holderOf, refuseGrant } from "./grant.ts";
import type { ProjectState } from "./project.ts";
import type { ProjectGrantState } from "./project-grant.ts";
import type { ActedUser, Acting } from "./user/state/acting.ts";
import type { UserState } from "./user/state/user.ts";

/** Grants of users, with what each rests on, by the names that `grantNames` gives. */
export interface ActingOnGrants extends Pick<Acting, "caller"> {
  readonly [name: `${"grant" | "user" | "project" | "projectGrant"} ${string}`]: unknown;
}

/** A grant, and what it is of. */
export interface GrantKeys extends Pick<Granted, "userId" | "projectId" | "projectGrantId"> {
  readonly grantId: string;
}

/** The names under which decisions are given a grant and what it rests on. */
export function grantNames({ grantId, userId, projectId, projectGrantId }: GrantKeys) {
  return {
    grant: `grant ${grantId}`,
    user: `user ${userId}`,
    project: `project ${projectId}`,
    projectGrant: `projectGrant ${projectGrantId}`,
  } as const;
}

/** Removes several grants, or none. */
export function removeGrants(
  states: ActingOnGrants,
  grants: readonly GrantKeys[],
  { organization }: Pick<ActedUser, "organization">,
): Decision<{ readonly [name: string]: readonly GrantEvent[] }> {
  const removed: GrantEvent = { type: "user.grant.removed", payload: {} };
  for (const one of grants) {
    const names = grantNames(one);
    const acting = {
      caller: states.caller,
      grant: states[names.grant] as GrantState | undefined,
      user: states[names.user] as UserState | undefined,
      project: states[names.project] as ProjectState | undefined,
      projectGrant: states[names.projectGrant] as ProjectGrantState | undefined,
    };
    const refused = refuseGrant(acting, { organization, userId: one.userId });
    if (refused === undefined) continue;
    // Whose it is, is not asked here.
    const isUnknown = refused.rejection.reason === "USER_NOT_FOUND";
    return isUnknown ? reject("USER_GRANT_NOT_FOUND") : refused;
  }
  return accept(Object.fromEntries(grants.map((one) => [grantNames(one).grant, [removed]])));
}

/** What a grant becomes when one of its roles is removed: without any, nothing is left of it. */
export function withoutRole(state: GrantState, roleId: string): readonly GrantEvent[] {
  const left = state.roleIds.filter((id) => id !== roleId);
  if (left.length === state.roleIds.length) return [];
  return left.length === 0
    ? endOfGrant(state)
    : [{ type: `${holderOf(state)}.grant.changed`, payload: { roleIds: left } }];
}

/** The event by which a grant ends. */
export function endOfGrant(state: GrantState): readonly GrantEvent[] {
  return [{ type: `${holderOf(state)}.grant.removed`, payload: {} }];
}
