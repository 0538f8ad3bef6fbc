import type { Grant, KoaContextWithOIDC } from "oidc-provider";
import { reject } from "../../domain/decision.ts";
import { lackOf } from "../../domain/policy/obey.ts";
import { findConsentAt, siteOf } from "../../domain/user/login/consent.ts";
import { beginSession, joinSession } from "../../domain/user/login/login.ts";
import { resetsOf } from "../../domain/user/login/reset.ts";
import { isStillShown } from "../../domain/user/login/rules.ts";
import type { Consent, NewSession } from "../../domain/user/state/login-event.ts";
import { stranger } from "../../domain/user/state/made.ts";
import { sessionOf } from "../../domain/user/state/session.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { decide } from "../base/decide.ts";
import { eventFrom, type From } from "../base/from.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findLoginPolicy, mayComeFrom, withPolicyOf } from "../base/policy.ts";
import { findUser } from "../base/rows.ts";
import { oursOf } from "../token/client.ts";
import { consentIn } from "../token/granted.ts";
import { apiAudience, apiScope, boundScopes } from "../token/scopes.ts";

/** What our pages tell of a login beside what the library asks for. */
export interface ToldLogin
  extends Pick<NewSession, "factors" | "browser" | "passkey" | "external"> {
  /** How often the password had been reset: who knew it before is logged out. */
  readonly resets: number;
  /** A hash of what was kept of the password that was shown; left out where none was. */
  readonly password?: string;
  readonly from?: From;
}

/** The name under which they do. */
export const toldLogin = "ours";

/**
 * What the person grants the application: all that it asks for of what is known of the person, and
 * to act for the person where that has consented to it. One grant goes on with each login of a
 * session, or what came from it before would end with each. Somebody who has just logged in has a
 * session from here on.
 */
export async function grantFor(
  parts: ProviderParts,
  ctx: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, session, account, provider, params, requestParamClaims, result } = ctx.oidc;
  if (client === undefined || session === undefined || account === undefined) return undefined;
  const { accountId } = account;
  const told = result?.[toldLogin] as ToldLogin | undefined;
  if (result?.login !== undefined && told !== undefined) {
    const begun = { clientId: client.clientId, scope: String(params?.scope ?? "") };
    const isBegun = await begin(parts, { session, accountId, ...begun, told });
    if (!isBegun) return undefined;
  }
  const { clientId } = client;
  if (oursOf(client).isTold) {
    const joined = { sessionId: session.uid, clientId };
    const person = await findUser(parts, accountId);
    if (person === undefined) return undefined;
    await decide(parts, person, (state, nowMs) => joinSession(state, joined, nowMs));
  }
  const asked = String(params?.scope ?? "openid").split(" ");
  const at = { clientId, site: siteOf(params?.redirect_uri) };
  const consent = asked.includes(apiScope)
    ? findConsentAt((await findUser(parts, accountId))?.state, at)
    : undefined;
  const known = session.grantIdFor(clientId);
  const before = known === undefined ? undefined : await provider.Grant.find(known);
  const isKept = before?.accountId === accountId && mayHold(before, asked, consent);
  const grant = before && isKept ? before : new provider.Grant({ accountId, clientId });
  // It lasts from the last login to the application on.
  delete grant.exp;
  // Without consent the scope is missing, so the library has the person asked.
  const granted = consent ? asked : asked.filter((scope) => scope !== apiScope);
  const scope = boundScopes([...grant.getOIDCScope().split(" "), ...granted].filter(Boolean));
  grant.openid = { ...grant.openid, scope };
  if (consent !== undefined) grant.addResourceScope(apiAudience, consent.consentId);
  grant.addOIDCClaims([...requestParamClaims]);
  await grant.save();
  // A person who was logged out meanwhile is granted nothing.
  const now = await findUser(parts, accountId);
  return sessionOf(now?.state, session.uid, parts.now()) === undefined ? undefined : grant;
}

/**
 * Whether what is asked for now may be added to the grant: not to let the application act for the
 * person where it did by a consent that has ended, since what came from that must not live again.
 */
function mayHold(before: Grant, asked: readonly string[], consent: Consent | undefined): boolean {
  if (!asked.includes(apiScope)) return true;
  const held = consentIn(before);
  return held === undefined || held === consent?.consentId;
}

interface Begun {
  readonly session: NonNullable<KoaContextWithOIDC["oidc"]["session"]>;
  readonly accountId: string;
  readonly clientId: string;
  readonly scope: string;
  readonly told: ToldLogin;
}

/** Records the login. Resolves to whether it may be: somebody may have changed that meanwhile. */
async function begin(
  parts: ProviderParts,
  { session, accountId, clientId, scope, told }: Begun,
): Promise<boolean> {
  const found = await findUser(parts, accountId);
  const ofLogin = await findLoginPolicy(parts, { clientId, scope });
  const policy = await withPolicyOf(parts, ofLogin, found);
  if (lackOf(policy, told.factors) !== undefined) return false;
  if (!(await mayComeFrom(parts, found, told.external))) return false;
  // What came from a session that has ended must not live again with another of its name.
  if (sessionOf(found?.state, session.uid, parts.now()) === undefined) {
    session.uid = createClientSecret(parts.random);
  }
  const { resets: _counted, password: _shown, from, ...shown } = told;
  // Kept with it: see `library.ts`.
  Object.assign(session, { from });
  const made = {
    ...{ userId: accountId, sessionId: session.uid, clientId, ...shown },
    ...eventFrom(parts, from),
    ...(policy.sessionLifetimeMs === undefined ? {} : { lifetimeMs: policy.sessionLifetimeMs }),
  };
  const outcome = await parts.execute({
    actor: accountId,
    refusedActor: stranger,
    writes: { user: { noun: user, id: accountId } },
    decide: ({ user: state }, nowMs) =>
      isStill(state, told) ? beginSession(state, made, nowMs) : reject("UNAUTHENTICATED"),
  });
  if (outcome.kind !== "done") return false;
  for (const factor of told.factors) {
    parts.countFactor({ application: clientId, factor, outcome: "success" });
  }
  return true;
}

/** Whether the person can still get in with what was shown, as far as it is not a passkey. */
function isStill(person: UserState | undefined, told: ToldLogin): boolean {
  if (told.resets !== resetsOf(person)) return false;
  const isPassword = (hash: string) => told.password === hashSecret(hash);
  return person?.human !== undefined && isStillShown(person.human, { ...told, isPassword });
}
