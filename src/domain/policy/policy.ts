import type { NewEvent } from "../../event.ts";
import { accept, type Decision, type Refusal, reject } from "../decision.ts";
import { instanceId } from "../instance.ts";
import type { Nothing, Noun } from "../noun.ts";

/**
 * What happens to every policy: an organization gets it, its settings are replaced, or it is taken
 * back. Settings are all but what other events change, for example the images of a label policy.
 */
export type PolicyEvent<Name extends string, Policy, Kept extends keyof Policy = never> =
  | {
      readonly type: `policy.${Name}.added`;
      readonly payload: Omit<Policy, Kept> & Partial<Pick<Policy, Kept>>;
    }
  | { readonly type: `policy.${Name}.changed`; readonly payload: Omit<Policy, Kept> }
  | { readonly type: `policy.${Name}.removed`; readonly payload: Nothing };

/** A policy as its events leave it: that of an organization, or the default of the instance. */
export type PolicyState<Policy> = Policy & {
  /** The organization that owns it; the default belongs to that of the instance. */
  readonly organization: string;
  /** Set where the organization has it for itself, and the policy makes claims. */
  readonly isOwn?: true;
};

/** A kind of policy. */
export interface PolicyKind<
  Name extends string,
  Policy,
  Kept extends keyof Policy = never,
  More extends NewEvent = never,
> {
  /** Its name in events. */
  readonly name: Name;
  readonly noun: Noun<PolicyState<Policy>, PolicyEvent<Name, Policy, Kept> | More>;
  /** What counts where nobody has set anything. */
  readonly defaults: Policy;
  /** What is no setting. */
  readonly kept: readonly Kept[];
  /** The refusal of a policy as it would be; left out, its fields say all. */
  refuse?(policy: Policy): Refusal | undefined;
}

/** What the nouns of policies have in common. */
export const policyNoun = {
  secrets: [],
  claims: () => [],
  row: ({ organization }: { readonly organization: string }) => {
    return { parent: organization, fields: {} };
  },
} as const;

/** The id of an organization's policy, of whatever kind; without one, of the instance's default. */
export function policyId(organization: string | undefined): string {
  return organization ?? instanceId;
}

/** A decision on a policy. */
export type PolicyDecision<Event> = Decision<{ policy?: readonly Event[] }>;

/** The name, defaults and rule of a kind, of which decisions are made. */
type Ruled<Name extends string, Policy, Kept extends keyof Policy> = Omit<
  PolicyKind<Name, Policy, Kept>,
  "noun"
>;

/** Gives an organization a policy of its own. */
export function addPolicy<Name extends string, Policy, Kept extends keyof Policy>(
  { name, defaults, refuse }: Ruled<Name, Policy, Kept>,
  state: PolicyState<Policy> | undefined,
  given: Omit<Policy, Kept> & Partial<Pick<Policy, Kept>>,
): PolicyDecision<PolicyEvent<Name, Policy, Kept>> {
  if (state !== undefined) return reject("POLICY_EXISTS");
  return (
    refuse?.({ ...defaults, ...given }) ??
    accept({ policy: [{ type: `policy.${name}.added` as const, payload: given }] })
  );
}

/** The policy that a change is made to; undefined where an organization has none of its own. */
export function policyBefore<Policy>(
  { defaults }: { readonly defaults: Policy },
  state: PolicyState<Policy> | undefined,
  organization: string | undefined,
): Policy | undefined {
  return state ?? (organization === undefined ? defaults : undefined);
}

/** Replaces the settings of a policy. */
export function changePolicy<Name extends string, Policy extends object, Kept extends keyof Policy>(
  { name, kept, refuse }: Ruled<Name, Policy, Kept>,
  before: Policy | undefined,
  settings: Omit<Policy, Kept>,
): PolicyDecision<PolicyEvent<Name, Policy, Kept>> {
  if (before === undefined) return reject("POLICY_NOT_FOUND");
  const there = kept.filter((one) => before[one] !== undefined);
  const others = Object.fromEntries(there.map((one) => [one, before[one]])) as Pick<Policy, Kept>;
  const after = { ...settings, ...others } as Policy;
  if (isSame(before, after)) return reject("NOTHING_CHANGED");
  return (
    refuse?.(after) ??
    accept({ policy: [{ type: `policy.${name}.changed` as const, payload: settings }] })
  );
}

/** Takes a policy of an organization back, so that the default holds again. */
export function removePolicy<Name extends string, Policy, Kept extends keyof Policy>(
  { name }: Ruled<Name, Policy, Kept>,
  state: PolicyState<Policy> | undefined,
): PolicyDecision<PolicyEvent<Name, Policy, Kept>> {
  if (state === undefined) return reject("POLICY_NOT_FOUND");
  return accept({ policy: [{ type: `policy.${name}.removed` as const, payload: {} }] });
}

/** Whether two policies say the same: their fields are plain JSON. */
function isSame<Policy>(a: Policy, b: Policy): boolean {
  const plain = (policy: Policy) => {
    const { organization: _owner, isOwn: _whose, ...fields } = policy as PolicyState<object>;
    return JSON.stringify(Object.entries(fields).toSorted(([x], [y]) => (x < y ? -1 : 1)));
  };
  return plain(a) === plain(b);
}
