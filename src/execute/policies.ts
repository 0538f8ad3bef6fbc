import { type Noun, streamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { type LabelPolicy, label } from "../domain/policy/label.ts";
import { type LoginPolicy, login } from "../domain/policy/login.ts";
import { policyId } from "../domain/policy/policy.ts";
import { type PrivacyPolicy, privacy } from "../domain/policy/privacy.ts";
import type { NewEvent } from "../event.ts";
import type { Store, StoredObject } from "../store/store.ts";
import { standingOf } from "./owner.ts";

/** The policies that count somewhere. */
export interface Policies {
  readonly label: Counting<LabelPolicy>;
  readonly privacy: Counting<PrivacyPolicy>;
  readonly login: Counting<LoginPolicy>;
}

/** A policy that counts somewhere, and whether it is the default of the instance. */
export type Counting<Policy> = Policy & { readonly isDefault: boolean };

/**
 * Reads the policies that count in an organization: each is its own, else the default of the
 * instance. Without an organization, and in one that was removed, all are the default.
 */
export async function findPolicies(
  store: Pick<Store, "load">,
  organization: string | undefined,
): Promise<Policies> {
  const [ofLabel, ofPrivacy, ofLogin] = await findAll(store, [label, privacy, login], organization);
  return {
    label: counting(ofLabel as FoundPolicy<LabelPolicy>),
    privacy: counting(ofPrivacy as FoundPolicy<PrivacyPolicy>),
    login: counting(ofLogin as FoundPolicy<LoginPolicy>),
  };
}

/** A policy that counts somewhere, with where it stands in the log. */
export interface FoundPolicy<Policy> {
  readonly policy: Policy;
  readonly isDefault: boolean;
  /** Undefined where nobody has set anything. */
  readonly stored: StoredObject | undefined;
}

/** Reads the policy of one kind that counts, as `findPolicies` does. */
export async function findPolicy<Policy>(
  store: Pick<Store, "load">,
  kind: Kind<Policy>,
  organization: string | undefined,
): Promise<FoundPolicy<Policy>> {
  const [found] = await findAll(store, [kind], organization);
  return found as FoundPolicy<Policy>;
}

/** What is looked at of a kind of policy. */
interface Kind<Policy> {
  readonly noun: Pick<Noun<unknown, NewEvent>, "kind">;
  readonly defaults: Policy;
}

async function findAll(
  { load }: Pick<Store, "load">,
  kinds: readonly Kind<unknown>[],
  organization: string | undefined,
): Promise<readonly FoundPolicy<unknown>[]> {
  const streamsOf = (owner: string | undefined) =>
    kinds.map(({ noun }) => streamOf(noun, policyId(owner)));
  const owner = organization === undefined ? [] : [streamOf(org, organization)];
  const own = organization === undefined ? [] : streamsOf(organization);
  const found = await load([...streamsOf(undefined), ...owner, ...own]);
  const isThere = found.slice(kinds.length, kinds.length + owner.length).some(isStanding);
  return kinds.map(({ defaults }, index) => {
    const ofOrganization = found[kinds.length + owner.length + index];
    const isOwn = isThere && ofOrganization?.state !== undefined;
    const stored = isOwn ? ofOrganization : found[index];
    const policy = stored?.state === undefined ? defaults : JSON.parse(stored.state);
    return { policy, isDefault: !isOwn, stored: stored?.state === undefined ? undefined : stored };
  });
}

function isStanding({ version, state }: StoredObject): boolean {
  return standingOf({ version, state }) !== "removed";
}

function counting<Policy>({ policy, isDefault }: FoundPolicy<Policy>): Counting<Policy> {
  return { ...policy, isDefault };
}
