import type { NewEvent } from "../event.ts";
import { action } from "./action.ts";
import { app } from "./app/app.ts";
import { accept, type Decision, reject } from "./decision.ts";
import { idp } from "./idp.ts";
import type { InstanceState } from "./instance.ts";
import { mustExist, type Noun } from "./noun.ts";
import { type OrgEvent, type OrgTaking, refuseTaking } from "./org.ts";
import { isWithin } from "./permission.ts";
import { labelPolicy } from "./policy/label.ts";
import { loginPolicy } from "./policy/login.ts";
import { privacyPolicy } from "./policy/privacy.ts";
import { project } from "./project.ts";
import { metadata } from "./user/metadata.ts";
import { type UserState, user } from "./user/user.ts";

/** An organization that is to be removed, what counts for that, and what ends with it. */
export type OrgRemoval = OrgTaking & {
  readonly instance: InstanceState | undefined;
  readonly [name: string]: unknown;
};

/** Removes an organization, and with it what ends in the same append. */
export function removeOrg(
  states: OrgRemoval,
  dependants: readonly Dependant[],
  { organization }: { readonly organization: string },
): Decision<{ readonly [name: string]: readonly NewEvent[] }> {
  if (mustExist(states.instance).organization === organization) {
    return reject("INSTANCE_ORGANIZATION");
  }
  // Who calls again is told so, where the role of the caller did not go with it.
  if (states.org === undefined) return reject("NOTHING_CHANGED");
  const removed: OrgEvent = { type: "org.removed", payload: {} };
  return (
    refuseTaking(states) ??
    accept({ org: [removed], ...endDependants(states, dependants, { organization }) })
  );
}

/** How what depends on an organization ends with it: a user of another one loses roles alone. */
export type DependantKind = keyof typeof removals | "member";

/** What ends with an organization, by the name of its stream. */
export interface Dependant {
  readonly stream: string;
  readonly kind: DependantKind;
  /** What belongs to it; left out, nothing does. */
  readonly parts?: {
    /** The name of their group, of which the decision knows the number. */
    readonly group: string;
    /** The streams of those that end with it. */
    readonly streams: readonly string[];
  };
}

/** The nouns of what ends with an organization. */
export const dependantNouns: { readonly [kind in DependantKind]: Noun<unknown, NewEvent> } = {
  ...{ action, app, idp, labelPolicy, loginPolicy, metadata, privacyPolicy, project, user },
  member: user,
};

/**
 * The event of each dependant that is there still. What has parts that do not end with it stays:
 * without it they would not be found.
 */
export function endDependants(
  states: { readonly [name: string]: unknown },
  dependants: readonly Dependant[],
  { organization }: { readonly organization: string },
): { readonly [stream: string]: readonly NewEvent[] } {
  const isThere = (stream: string) => states[stream] !== undefined;
  const isWhole = ({ parts }: Dependant) =>
    parts === undefined || states[parts.group] === parts.streams.filter(isThere).length;
  const ending = dependants.filter((one) => isThere(one.stream) && isWhole(one));
  return Object.fromEntries(
    ending.map(({ stream, kind }) => [stream, endOf(kind, states[stream], organization)]),
  );
}

function endOf(kind: DependantKind, state: unknown, organization: string): readonly NewEvent[] {
  if (kind !== "member") return [{ type: removals[kind], payload: {} }];
  const { memberships } = state as UserState;
  return memberships.some(({ scope }) => isWithin(scope, organization))
    ? [{ type: "user.memberships.removed", payload: { organization } }]
    : [];
}

const removals = {
  action: "action.removed",
  app: "project.application.removed",
  idp: "idp.removed",
  labelPolicy: "policy.label.removed",
  loginPolicy: "policy.login.removed",
  privacyPolicy: "policy.privacy.removed",
  metadata: "user.metadata.erased",
  project: "project.removed",
  user: "user.removed",
} as const;
