import type { NewEvent } from "../event.ts";
import { action } from "./action.ts";
import { app } from "./app/app.ts";
import { accept, type Decision } from "./decision.ts";
import { type FlowState, flow, withoutAction } from "./flow.ts";
import { type GrantState, grant } from "./grant.ts";
import { endOfGrant, withoutRole } from "./grant-removal.ts";
import { group } from "./group.ts";
import { idp } from "./idp.ts";
import type { Noun } from "./noun.ts";
import { idOfScope, isWithin } from "./permission.ts";
import { labelPolicy } from "./policy/label.ts";
import { loginPolicy, type NamingPolicy } from "./policy/login.ts";
import { withoutProvider } from "./policy/offer.ts";
import { privacyPolicy } from "./policy/privacy.ts";
import { project } from "./project.ts";
import { type ProjectGrantState, projectGrant, withdrawRole } from "./project-grant.ts";
import { role } from "./role.ts";
import { metadata } from "./user/metadata.ts";
import { isMember } from "./user/state/joined.ts";
import { type UserState, user } from "./user/state/user.ts";

/** What was removed by one event, and what rests on it ends by that. */
export interface Removed {
  readonly kind: "org" | "project" | "projectGrant" | "role" | "group" | "idp" | "action" | "user";
  readonly id: string;
}

/**
 * How what rests on something ends with it: a user of another organization loses the roles in it
 * alone, a member of a project those on it alone, a member of a group the group alone, a login
 * policy the provider that it names alone, a flow the action alone, a project grant the role alone,
 * and a grant too, unless that was its last.
 */
export type DependantKind =
  | keyof typeof removals
  | ("grant" | "grouped" | "flowing" | "holder" | "member" | "naming")
  | ("projectHolder" | "projectMember");

/** What ends with something, by the name of its stream. */
export interface Dependant {
  readonly stream: string;
  readonly kind: DependantKind;
  /** What belongs to it, by kinds; left out, nothing does. */
  readonly parts?: readonly Belongings[];
}

/** What belongs to a dependant. */
export interface Belongings {
  /** The name of their group, of which the decision knows the number. */
  readonly group: string;
  /** The streams of those that end with it. */
  readonly streams: readonly string[];
}

const removals = {
  action: "action.removed",
  app: "project.application.removed",
  flow: "flow.cleared",
  group: "group.removed",
  idp: "idp.removed",
  labelPolicy: "policy.label.removed",
  loginPolicy: "policy.login.removed",
  privacyPolicy: "policy.privacy.removed",
  metadata: "user.metadata.erased",
  project: "project.removed",
  projectGrant: "project.grant.removed",
  role: "project.role.removed",
  user: "user.removed",
} as const;

/** The nouns of what ends with something. */
export const dependantNouns: { readonly [kind in DependantKind]: Noun<unknown, NewEvent> } = {
  ...{ action, app, flow, grant, group, idp, labelPolicy, loginPolicy, privacyPolicy, metadata },
  ...{ project, projectGrant, role, user },
  ...{ grouped: user, member: user, projectMember: user },
  ...{ holder: grant, projectHolder: projectGrant },
  ...{ naming: loginPolicy, flowing: flow },
};

/**
 * The event of each dependant that is there still. What has parts that do not end with it stays:
 * without it they would not be found.
 */
export function endDependants(
  states: { readonly [name: string]: unknown },
  dependants: readonly Dependant[],
  removed: Removed,
): { readonly [stream: string]: readonly NewEvent[] } {
  const isThere = (stream: string) => states[stream] !== undefined;
  const isWhole = ({ parts = [] }: Dependant) =>
    parts.every(({ group, streams }) => states[group] === streams.filter(isThere).length);
  const ending = dependants.filter((one) => isThere(one.stream) && isWhole(one));
  return Object.fromEntries(
    ending.map(({ stream, kind }) => [stream, endOf(kind, states[stream], removed)]),
  );
}

/** A decision by which something ends with what rests on it. */
export type Removal = Decision<{ readonly [name: string]: readonly NewEvent[] }>;

/** Removes something, and with it what ends in the same append. */
export function removeWithDependants(
  states: { readonly [name: string]: unknown },
  dependants: readonly Dependant[],
  removed: Removed,
): Removal {
  const type = removed.kind === "org" ? "org.removed" : removals[removed.kind];
  const ended = endDependants(states, dependants, removed);
  return accept({ [removed.kind]: [{ type, payload: {} }], ...ended });
}

function endOf(kind: DependantKind, state: unknown, { id }: Removed): readonly NewEvent[] {
  switch (kind) {
    case "holder":
      return withoutRole(state as GrantState, id);
    case "projectHolder":
      return withdrawRole(state as ProjectGrantState, id);
    case "grant":
      return endOfGrant(state as GrantState);
    case "member": {
      const isThere = (state as UserState).memberships.some(({ scope }) => isWithin(scope, id));
      const payload = { organization: id };
      return isThere ? [{ type: "user.memberships.removed", payload }] : [];
    }
    case "projectMember": {
      const { memberships } = state as UserState;
      const held = memberships.filter(({ scope }) => idOfScope(scope) === id);
      return held.map(({ scope }) => ({ type: "user.membership.removed", payload: { scope } }));
    }
    case "grouped": {
      const payload = { groupId: id };
      return isMember(state as UserState, id) ? [{ type: "user.group.left", payload }] : [];
    }
    case "flowing":
      return withoutAction(state as FlowState, id);
    case "naming":
      return withoutProvider(state as NamingPolicy, id);
    default:
      return [{ type: removals[kind], payload: {} }];
  }
}
