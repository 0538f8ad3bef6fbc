import { type Noun, streamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { type LabelPolicy, label } from "../domain/policy/label.ts";
import { policyId } from "../domain/policy/policy.ts";
import { type PrivacyPolicy, privacy } from "../domain/policy/privacy.ts";
import type { NewEvent } from "../event.ts";
import type { Objects, StreamObject } from "../store/objects.ts";
import { standingOf } from "./owner.ts";

/** The policies that count somewhere for what people are shown. */
export interface Policies {
  readonly label: Counting<LabelPolicy>;
  readonly privacy: Counting<PrivacyPolicy>;
}

/** A policy that counts somewhere, and whether it is the default of the instance. */
export type Counting<Policy> = Policy & { readonly isDefault: boolean };

/**
 * Reads the policies that count in an organization: each is its own, else the default of the
 * instance. Without an organization, and in one that was removed, all are the default.
 */
export async function findPolicies(
  read: Objects["load"],
  organization: string | undefined,
): Promise<Policies> {
  const [ofLabel, ofPrivacy] = await findAll(read, [label, privacy], organization);
  return {
    label: counting(ofLabel as FoundPolicy<LabelPolicy>),
    privacy: counting(ofPrivacy as FoundPolicy<PrivacyPolicy>),
  };
}

/** A policy that counts somewhere, with where it stands in the log. */
export interface FoundPolicy<Policy> {
  readonly policy: Policy;
  readonly isDefault: boolean;
  /** Undefined where nobody has set anything. */
  readonly stored: StreamObject | undefined;
}

/** Reads the policy of one kind that counts, as `findPolicies` does. */
export async function findPolicy<Policy>(
  read: Objects["load"],
  kind: Kind<Policy>,
  organization: string | undefined,
): Promise<FoundPolicy<Policy>> {
  const [found] = await findAll(read, [kind], organization);
  return found as FoundPolicy<Policy>;
}

/** What is looked at of a kind of policy. */
interface Kind<Policy> {
  readonly noun: Pick<Noun<unknown, NewEvent>, "kind">;
  readonly defaults: Policy;
}

async function findAll(
  read: Objects["load"],
  kinds: readonly Kind<unknown>[],
  organization: string | undefined,
): Promise<readonly FoundPolicy<unknown>[]> {
  const streamsOf = (owner: string | undefined) =>
    kinds.map(({ noun }) => streamOf(noun, policyId(owner)));
  const owner = organization === undefined ? [] : [streamOf(org, organization)];
  const own = organization === undefined ? [] : streamsOf(organization);
  const found = await read([...streamsOf(undefined), ...owner, ...own]);
  const isThere = found
    .slice(kinds.length, kinds.length + owner.length)
    .some((one) => standingOf(one) !== "removed");
  return kinds.map(({ defaults }, index) => {
    const ofOrganization = found[kinds.length + owner.length + index];
    const isOwn = isThere && ofOrganization?.state !== undefined;
    const stored = isOwn ? ofOrganization : found[index];
    const policy = stored?.state ?? defaults;
    return { policy, isDefault: !isOwn, stored: stored?.state === undefined ? undefined : stored };
  });
}

function counting<Policy>({ policy, isDefault }: FoundPolicy<Policy>): Counting<Policy> {
  return { ...policy, isDefault };
}
