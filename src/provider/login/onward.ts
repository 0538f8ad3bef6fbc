import { lackOf, type Next, nextOf } from "../../domain/policy/obey.ts";
import { acrOf } from "../../domain/user/login/acr.ts";
import { mayLogInToday } from "../../domain/user/login/login.ts";
import { resetsOf } from "../../domain/user/login/reset.ts";
import { amrOf, neededFactor } from "../../domain/user/login/rules.ts";
import type { Factor } from "../../domain/user/state/factor.ts";
import type { Answer } from "../../pages/account.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { fromOf } from "../base/from.ts";
import { removeRegistration } from "../base/pending-registration.ts";
import { mayComeFrom, withPolicyOf } from "../base/policy.ts";
import { mayLogIn } from "../base/roles.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { findStep, putStep, removeStep, type Step } from "../base/step.ts";
import { type ToldLogin, toldLogin } from "../library/grant.ts";
import { decodePart } from "../token/jws.ts";
import { isOfOrganizations } from "../token/scopes.ts";
import { afterLogin } from "./actions.ts";
import { knowBrowser } from "./browser.ts";
import { answeredBesides, askedClaims } from "./consent.ts";
import { linkArrived } from "./external-link.ts";
import { expired, finish, type LoginSite, notAllowed, type Open, refuse, toLogin } from "./open.ts";

/** On to what else has to be shown or done, or back to the application. */
export async function goOn(
  open: Open,
  found: FoundUser,
  { hash, ...shown }: Pick<Step, "shown" | "external"> & { readonly hash: string },
): Promise<Answer> {
  const { site, target } = open;
  const resets = resetsOf(found.state);
  const step = { userId: found.userId, ...shown, password: hashSecret(hash), resets };
  if ((await findNext(open, found, step)) !== undefined) {
    await putStep(site, target.uid, step);
    // One that another page of the login has begun would be shown first.
    await removeRegistration(site, target.uid);
    return toLogin(open);
  }
  return await letIn(open, found, shownIn(step));
}

/** What somebody has shown who has come so far. */
export function shownIn({ shown, external, password }: Step): Shown {
  return { factors: shown, password, ...(external === undefined ? {} : { external }) };
}

/** What somebody has shown in a login. */
type Shown = Pick<ToldLogin, "factors" | "passkey" | "external" | "password">;

/** What a person has to show or do yet; undefined for nothing. */
export async function findNext(
  { site, policy }: Pick<Open, "site" | "policy">,
  found: FoundUser,
  { shown }: Pick<Step, "shown">,
): Promise<Next | undefined> {
  const { human } = found.state;
  return human && nextOf(await withPolicyOf(site, policy, found), human, shown);
}

/** Back to the application, of a person who has shown all that was asked for. */
export async function letIn(open: Open, found: FoundUser, shown: Shown): Promise<Answer> {
  const { site, target, visit } = open;
  await removeStep(site, target.uid);
  const policy = await withPolicyOf(site, open.policy, found);
  const isUsable = await mayComeFrom(site, found, shown.external);
  if (lackOf(policy, shown.factors) !== undefined || !isUsable) return notAllowed(open);
  const acr = acrOf(shown.factors, wantedAcrs(open.details));
  if (acr === undefined) {
    return await finish(open, {
      error: "unmet_authentication_requirements",
      error_description: "the person did not log in as the request asks for",
    });
  }
  if (!(await mayLogIn(site, found, open.project))) {
    return await refuse(open, "the person may not use this application");
  }
  if (!isOfOrganizations(found.state, open.details.params.scope)) {
    return await refuse(open, "the person is of another organization than the request asks for");
  }
  if (!mayLogInToday(found.state, site.now())) {
    return await refuse(open, "the person has logged in too often today");
  }
  if (asksForAnother(open.details, found.userId)) {
    return await finish(open, {
      error: "login_required",
      error_description: "another person logged in than the request asks for",
    });
  }
  const unlinked = await linkArrived(open, found, shown);
  if (unlinked !== undefined) return unlinked;
  await afterLogin(open, found, shown.factors);
  const browser = knowBrowser(visit.request, visit.reply, site);
  const from = fromOf(visit.request);
  const told: ToldLogin = { ...shown, browser, from, resets: resetsOf(found.state) };
  const amr = amrOf(shown.factors);
  return await finish(open, {
    login: { accountId: found.userId, acr, amr, remember: true },
    ...{ ...answeredBesides(open.details), [toldLogin]: told },
  });
}

/**
 * Whether the application wants another person to log in, whom it names by `id_token_hint` or by a
 * claim (OpenID Connect Core 1.0, 3.1.2.1 and 5.5.1). Both were checked when the login began.
 */
function asksForAnother({ params }: Open["details"], userId: string): boolean {
  const { id_token_hint: hint } = params;
  const asked = askedClaims(params).id_token;
  const [, payload = ""] = String(hint ?? "").split(".");
  return [asked?.sub?.value, decodePart(payload)?.sub].some(
    (sub) => sub !== undefined && sub !== userId,
  );
}

/** The classes of which the login must have one; undefined where any will do. */
function wantedAcrs({ params }: Open["details"]): readonly string[] | undefined {
  const { essential, value, values } = askedClaims(params).id_token?.acr ?? {};
  if (essential !== true) return undefined;
  const wanted = [...(Array.isArray(values) ? values : []), value];
  const named = wanted.filter((one): one is string => typeof one === "string");
  return named.length === 0 ? undefined : named;
}

/** The factor that has to be shown yet; undefined for none. */
export function needed({ state }: FoundUser, { shown }: Pick<Step, "shown">): Factor | undefined {
  return state.human && neededFactor(state.human, shown);
}

/** Takes a form of somebody who has come so far; others are told that the login has ended. */
export function soFar(
  take: (open: Open, found: FoundUser, step: Step) => Promise<Answer>,
): (open: Open) => Promise<Answer> {
  return async (open) => {
    const step = await findStep(open.site, open.target.uid);
    const found = step && (await findShown(open.site, step));
    return step === undefined || found === undefined ? expired : await take(open, found, step);
  };
}

/** The person who has come so far, unless that has ended, or another password was set meanwhile. */
export async function findShown(site: LoginSite, step: Step): Promise<FoundUser | undefined> {
  const found = await findUser(site, step.userId);
  const human = found?.state.isInactive ? undefined : found?.state.human;
  const isSame = hashSecret(human?.passwordHash ?? "") === step.password;
  return isSame && resetsOf(found?.state) === step.resets ? found : undefined;
}
