import { randomUUID } from "node:crypto";
import { claimsOfScope } from "../../domain/user/claims.ts";
import {
  findConsent,
  giveConsent,
  revokeConsent,
  siteOf,
} from "../../domain/user/login/consent.ts";
import { shownUserName } from "../../domain/user/state/user.ts";
import type { Answer } from "../../pages/account.ts";
import { type AskedConsent, consentPage } from "../../pages/html/consent.ts";
import type { Grant } from "../../pages/texts.ts";
import { decide } from "../base/decide.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { toldLogin } from "../library/grant.ts";
import { apiScope, isForApi } from "../token/scopes.ts";
import { expired, finish, type Open, ok, refuse } from "./open.ts";

/** Whether a person who is logged in is asked to let a device in, or an application call here. */
export function asksForConsent({ prompt, session, params }: Open["details"]): boolean {
  if (session === undefined) return false;
  return isOfDevice({ prompt }) || (prompt.name === "consent" && isForApi(String(params.scope)));
}

/** Whether the person is asked whether a device may log in: see `policyOf` of the library. */
function isOfDevice({ prompt }: Pick<Open["details"], "prompt">): boolean {
  return prompt.name === "device";
}

/** The prompts that are over with who logs in or goes on: it may have registered, or need not. */
const chosen = { select_account: {}, create: {} };

/**
 * What a person who logs in or goes on has answered besides: not whether the application may act,
 * where the person is to be asked, even if it let the application before.
 */
export function answeredBesides({ params }: Open["details"]) {
  const isToBeAsked = String(params.prompt).split(" ").includes("consent");
  const isOpen = isToBeAsked && isForApi(String(params.scope));
  return { ...(isOpen ? {} : { consent: {} }), ...chosen };
}

export async function showConsent(open: Open): Promise<Answer> {
  const { details, target } = open;
  const found = await findAsked(open);
  if (found === undefined) return expired;
  const displayName = shownUserName(found.state);
  return ok(consentPage(target, { displayName, ...askedOf(details) }));
}

/** What the application asks for, and where it hears the answer. */
function askedOf(details: Open["details"]): Omit<AskedConsent, "displayName"> {
  const scopes = String(details.params.scope).split(" ");
  const { userinfo, id_token: idToken } = askedClaims(details.params);
  const claims = Object.keys({ ...userinfo, ...idToken });
  const asks = grants.flatMap(([grant, scope, told = []]) =>
    scopes.includes(scope) || told.some((claim) => claims.includes(claim)) ? [grant] : [],
  );
  if (isOfDevice(details)) return { asks };
  const { host, protocol } = new URL(String(details.params.redirect_uri));
  return { site: host === "" ? protocol : host, asks };
}

/** The claims that a request asks for by name (OpenID Connect Core 1.0, 5.5): it was checked. */
export function askedClaims({ claims = "{}" }: Open["details"]["params"]): AskedClaims {
  return JSON.parse(String(claims)) as AskedClaims;
}

/** Those of userinfo, and those of the id token. */
interface AskedClaims {
  readonly userinfo?: NamedClaims;
  readonly id_token?: NamedClaims;
}

interface NamedClaims {
  readonly [claim: string]: AskedClaim | null;
}

interface AskedClaim {
  readonly essential?: unknown;
  readonly value?: unknown;
  readonly values?: unknown;
}

/** What the person is told of each scope, and of claims that it stands for, in this order. */
const grants: readonly (readonly [Grant, scope: string, claims?: readonly string[]])[] = [
  ["api", apiScope],
  ["profile", "profile", claimsOfScope.profile],
  ["email", "email", claimsOfScope.email],
  ["phone", "phone", claimsOfScope.phone],
  ["away", "offline_access"],
];

/**
 * Records the consent of the person in whose session the page was shown, as far as the application
 * is to act for it, and goes on.
 */
export async function allow(open: Open): Promise<Answer> {
  const { site, details } = open;
  const found = await findAsked(open);
  const consent = {
    userId: found?.userId ?? "",
    sessionId: details.session?.uid ?? "",
    ...{ clientId: open.clientId, consentId: randomUUID() },
    site: siteOf(details.params.redirect_uri),
  };
  const give = (by: FoundUser) =>
    decide(site, by, (state, nowMs) => giveConsent(state, consent, nowMs));
  const isGiven = found && (!isForApi(String(details.params.scope)) || (await give(found)));
  if (!isGiven) return expired;
  const { lastSubmission, iat } = details;
  // Who has just logged in did so before the question, and is not to begin another session.
  const login = lastSubmission?.login && { login: { ...lastSubmission.login, ts: iat } };
  return await finish(open, {
    ...{ ...login, consent: {}, device: {}, ...chosen },
    [toldLogin]: undefined,
  });
}

/**
 * Tells the application that it may not. Whatever it was allowed before has ended, but not where a
 * device asked, since somebody else may have sent its code, or a site that was not allowed.
 */
export async function deny(open: Open): Promise<Answer> {
  const { site, details, clientId } = open;
  const found = await findAsked(open);
  const { sites } = findConsent(found?.state, clientId) ?? {};
  const isOfOthers = sites?.includes(siteOf(details.params.redirect_uri)) === false;
  if (found !== undefined && !isOfDevice(details) && !isOfOthers) {
    await decide(site, found, (state) => revokeConsent(state, { clientId }));
  }
  return await refuse(open, "the person does not consent");
}

async function findAsked({ site, details }: Open): Promise<FoundUser | undefined> {
  const userId = details.session?.accountId;
  return userId === undefined ? undefined : await findUser(site, userId);
}
