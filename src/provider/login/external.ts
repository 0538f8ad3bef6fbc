import { accountNameOf } from "../../domain/identity.ts";
import type { IDPState } from "../../domain/idp.ts";
import { signInOf } from "../../domain/idp-sign-in.ts";
import {
  findUsableAmong,
  findUsableProviders,
  readProviders,
  type Usable,
} from "../../execute/providers.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import { type AccountElsewhere, externalProblemPage } from "../../pages/html/external.ts";
import type { OfferedProvider } from "../../pages/html/login.ts";
import { queryOf } from "../../pages/routes.ts";
import { providerIn } from "../base/organization-scope.ts";
import { aheadMs } from "../base/parts.ts";
import { findUser } from "../base/rows.ts";
import { hintParameter } from "../base/site.ts";
import { type Arrived, findArrived } from "../external/arrived.ts";
import { findAskedLogin, putAsk, takeAsk } from "../external/asks.ts";
import { discoveryLimits } from "../external/discovery.ts";
import { takeHandle } from "../external/handles.ts";
import { askOf, protocolOf } from "../external/offers.ts";
import { ExternalFailed, type ExternalReason, type Identified } from "../external/protocol.ts";
import { isTrial } from "../external/trial.ts";
import { problems, walkTrial, whereBack } from "./external-trial.ts";
import { expired, type LoginSite, notAllowed, type Open } from "./open.ts";

/** The providers that the first page of a login offers. */
export async function findOffers(open: Open): Promise<readonly OfferedProvider[]> {
  const { site, policy } = open;
  if (!policy.allowExternal) return [];
  const usable = await findUsableProviders(site, await organizationOf(open));
  return usable.map(({ id, state }) => {
    return { id, name: state.name, isGoogle: state.stylingType === "GOOGLE" };
  });
}

/** Whose providers are offered; to who is logged in to the account page, those of their own. */
async function organizationOf({ site, organization, details }: Open): Promise<string | undefined> {
  const { session } = details;
  if (organization !== undefined || session === undefined) return organization;
  return (await findUser(site, session.accountId))?.state.organization;
}

/** The provider with this id, where the login offers it as rows and policies are now. */
export async function findOffered(open: Open, idpId: string): Promise<Usable | undefined> {
  const { site, policy } = open;
  if (!policy.allowExternal) return undefined;
  const [usable] = await findUsableAmong(site, await organizationOf(open), [idpId]);
  return usable;
}

/** The provider that the application wants people to log in by, where it is offered. */
export async function findHinted(open: Open): Promise<Usable | undefined> {
  const { scope, [hintParameter]: hint } = open.details.params;
  const idpId = providerIn(String(scope ?? "")) ?? hint;
  return typeof idpId === "string" && idpId !== "" ? await findOffered(open, idpId) : undefined;
}

/** Leads to a provider that is offered. */
export async function askProvider(open: Open, usable: Usable): Promise<Answer> {
  const { site, target } = open;
  const secrets = await putAsk(site, { uid: target.uid, idpId: usable.id });
  try {
    const protocol = protocolOf(site.protocols, usable.state);
    const ask = askOf(site, usable, secrets, maxAgeOf(open));
    return { location: (await protocol.address(ask)).href };
  } catch (error) {
    return failed(open, usable, error);
  }
}

/** The page to which a provider leads browsers back: on to the login, whose cookie decides. */
export async function comeBack(site: LoginSite, visit: Visit): Promise<Answer> {
  const { request, fields } = visit;
  const { idpId } = request.params as { readonly idpId: string };
  const asked = await findAskedLogin(site, fields.of("state"));
  if (asked?.idpId !== idpId) return expired;
  if (isTrial(asked.uid)) return await walkTrial(site, visit, asked);
  return { redirect: `login/${asked.uid}/idps/${idpId}?${queryOf(request)}` };
}

/** Who has come from a provider into the login; an answer where that is nobody. */
export async function readComer(
  open: Open,
): Promise<{ readonly usable: Usable; readonly identified: Identified } | Answer> {
  const { site, target, visit } = open;
  const { idpId } = visit.request.params as { readonly idpId: string };
  const at = { uid: target.uid, idpId };
  const usable = await findOffered(open, idpId);
  if (usable === undefined) return notAllowed(open);
  const handle = visit.fields.of("handle");
  if (handle !== "") {
    const identified = await takeHandle(site, { ...at, handle });
    return identified === undefined ? expired : { usable, identified };
  }
  // To a provider that hands tokens over, browsers come back without one only where that failed.
  if (signInOf(usable.state).kind === "jwt") return problemOf(open, "UNUSABLE");
  const secrets = await takeAsk(site, { ...at, state: visit.fields.of("state") });
  if (secrets === undefined) return expired;
  const ask = askOf(site, usable, secrets);
  try {
    const protocol = protocolOf(site.protocols, usable.state);
    const identified = await protocol.identify(ask, whereBack(ask, visit));
    return { usable, identified };
  } catch (error) {
    return failed(open, usable, error);
  }
}

/** Seconds that may have passed since somebody was asked who it is; undefined where any may. */
function maxAgeOf({ details: { params } }: Open): number | undefined {
  if (String(params.prompt).split(" ").includes("login")) return 0;
  return params.max_age === undefined ? undefined : Number(params.max_age);
}

/**
 * Whether a login has to be fresher than the provider says that it is: it asked the person (by the
 * clock of the log; left out, it does not say) before the login began, and longer ago than is
 * allowed.
 */
export function isStale(open: Open, askedMs = 0): boolean {
  const maxAge = maxAgeOf(open);
  if (maxAge === undefined) return false;
  const { details, site } = open;
  const beganMs = details.iat * 1_000 + aheadMs(site);
  const fromMs = Math.min(beganMs, site.now() - maxAge * 1_000);
  return askedMs < fromMs - discoveryLimits.skewSeconds * 1_000;
}

/** Logs why no login came of a provider, and says what to do. */
export function failed(open: Open, { id }: Usable, error: unknown): Answer {
  if (!(error instanceof ExternalFailed)) throw error;
  const { reason, message } = error;
  const noted = { idpId: id, reason, problem: message };
  open.site.log.warn(noted, "no login came of an identity provider");
  return problemOf(open, reason);
}

function problemOf({ site, clientId, target }: Open, reason: ExternalReason): Answer {
  site.countFactor({ application: clientId, factor: "external", outcome: "failure" });
  const [status, problem] = problems[reason];
  return { status, page: externalProblemPage(target, problem) };
}

/** What people know an account by with which somebody has come. */
export async function elsewhereOf(
  { site }: Pick<Open, "site">,
  { idpId, comer }: Arrived,
): Promise<AccountElsewhere> {
  const [state] = await readProviders(site.store, [idpId]);
  return {
    account: accountNameOf(comer),
    provider: (state as IDPState | undefined)?.name ?? "",
  };
}

/** The account that is linked behind the login. */
export async function findLinking(open: Open): Promise<AccountElsewhere | undefined> {
  const arrived = await findArrived(open.site, open.target.uid);
  return arrived?.isLinking ? await elsewhereOf(open, arrived) : undefined;
}
