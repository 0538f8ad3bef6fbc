import { streamOf } from "../../domain/noun.ts";
import { type OrgState, org } from "../../domain/org.ts";
import { type LoginPolicy, login, stricter } from "../../domain/policy/login.ts";
import { isKept } from "../../domain/policy/obey.ts";
import type { ExternalAccount } from "../../domain/user/state/factor-traits.ts";
import type { Session } from "../../domain/user/state/login-state.ts";
import { findPolicy } from "../../execute/policies.ts";
import { findUsableAmong } from "../../execute/providers.ts";
import { accountClientId, findDestination } from "./destination.ts";
import { organizationIn } from "./organization-scope.ts";
import type { FoundUser, Rows } from "./rows.ts";

/** What a login was begun with, as far as policies depend on it. */
export interface Beginning {
  readonly clientId: string;
  readonly scope: string | undefined;
}

/**
 * The policy of a login before anybody has shown who it is: that of the application's organization,
 * and that of the organization which a scope names. The stricter rules count: a browser chooses the
 * scope, so it relaxes nothing. The account page has the policy of the instance.
 */
export async function findLoginPolicy(rows: Rows, begun: Beginning): Promise<LoginPolicy> {
  const named = organizationIn(begun.scope);
  const [ofLogin, ofScope] = await Promise.all([
    findOrganization(rows, begun.clientId).then((owner) => policyOf(rows, owner)),
    named === undefined ? undefined : policyOf(rows, named),
  ]);
  return ofScope === undefined ? ofLogin : stricter(ofLogin, ofScope);
}

/** The same once it is known who logs in: the organization of the person has a say as well. */
export async function withPolicyOf(
  rows: Rows,
  ofLogin: LoginPolicy,
  person: FoundUser | undefined,
): Promise<LoginPolicy> {
  // It is read for nobody as well, so that the time does not tell who is there.
  return stricter(ofLogin, await policyOf(rows, person?.state.organization));
}

/** The policy of somebody who is logged in to the account page. */
export async function findAccountPolicy(rows: Rows, person: FoundUser): Promise<LoginPolicy> {
  return await withPolicyOf(rows, await policyOf(rows, undefined), person);
}

/**
 * The organization that the pages of a login are of, until somebody has proven who they are: the
 * one that the scope names, else that of the application; undefined for the instance, which the
 * account page belongs to. One that is not in use counts as not named.
 */
export async function findPageOrganization(
  rows: Rows,
  begun: Beginning,
): Promise<string | undefined> {
  const named = organizationIn(begun.scope);
  const [found] = named === undefined ? [] : await rows.objects.current([streamOf(org, named)]);
  const state = found?.state as OrgState | undefined;
  const isInUse = state !== undefined && !state.isInactive;
  return isInUse ? named : await findOrganization(rows, begun.clientId);
}

/** Undefined for the account page. */
async function findOrganization(rows: Rows, clientId: string): Promise<string | undefined> {
  if (clientId === accountClientId) return undefined;
  return (await findDestination(rows, clientId))?.organization;
}

/**
 * Whether a person may log in by an account at a provider: one that the organization of the person
 * lets its people log in by. Where none was shown, nothing is in the way.
 */
export async function mayComeFrom(
  rows: Rows,
  person: FoundUser | undefined,
  account: Pick<ExternalAccount, "idpId"> | undefined,
): Promise<boolean> {
  if (account === undefined) return true;
  const organization = person?.state.organization;
  return (await findUsableAmong(rows, organization, [account.idpId])).length > 0;
}

/** Whether a session of a person goes on by what policies say now of what was shown for it. */
export async function goesOn(
  rows: Rows & { now(): number },
  policy: LoginPolicy,
  person: FoundUser | undefined,
  session: Session,
): Promise<boolean> {
  const isKeptBy = isKept(policy, session, rows.now());
  return isKeptBy && (await mayComeFrom(rows, person, session.external));
}

async function policyOf({ objects }: Rows, organization: string | undefined): Promise<LoginPolicy> {
  return (await findPolicy(objects.current, login, organization)).policy;
}
