import type { IDPState } from "../../domain/idp.ts";
import { readProviders } from "../../execute/providers.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import type { ExternalProblem } from "../../pages/external-texts.ts";
import { externalTrialPage } from "../../pages/html/external.ts";
import { queryOf } from "../../pages/routes.ts";
import { takeAsk } from "../external/asks.ts";
import { askOf, protocolOf } from "../external/offers.ts";
import {
  type Ask,
  ExternalFailed,
  type ExternalReason,
  type Identified,
} from "../external/protocol.ts";
import { expired, type LoginSite } from "./open.ts";

/** How a request to a provider came to nothing, with the status of its page. */
export const problems: { readonly [reason in ExternalReason]: [number, ExternalProblem] } = {
  DENIED: [400, "denied"],
  UNREACHABLE: [502, "unreachable"],
  UNUSABLE: [502, "unusable"],
  STALE: [403, "stale"],
};

/** Shows what a provider says of somebody who walks a trial of it; nobody is logged in. */
export async function walkTrial(
  site: LoginSite,
  visit: Visit,
  { uid, idpId }: { readonly uid: string; readonly idpId: string },
): Promise<Answer> {
  const secrets = await takeAsk(site, { uid, idpId, state: visit.fields.of("state") });
  const [state] = await readProviders(site.store, [idpId]);
  if (secrets === undefined || state === undefined) return expired;
  const ask = askOf(site, { id: idpId, state }, secrets);
  return await showTrial(state, () =>
    protocolOf(site.protocols, state).identify(ask, whereBack(ask, visit)),
  );
}

/** The address at which a browser came back from a provider, as the provider knows it. */
export function whereBack({ callback }: Pick<Ask, "callback">, { request }: Visit): URL {
  return new URL(`${callback}?${queryOf(request)}`);
}

/** The page that says who somebody is at a provider, or why that is not known. */
export async function showTrial(
  { name }: Pick<IDPState, "name">,
  identify: () => Promise<Identified>,
): Promise<Answer> {
  try {
    const { identity } = await identify();
    return { status: 200, page: externalTrialPage(name, { identity }) };
  } catch (error) {
    if (!(error instanceof ExternalFailed)) throw error;
    const [status, problem] = problems[error.reason];
    // Who tries a provider may know what was wrong: it repeats nothing that the provider has sent.
    return { status, page: externalTrialPage(name, { problem, detail: error.message }) };
  }
}
