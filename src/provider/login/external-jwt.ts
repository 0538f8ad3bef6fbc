import { signInOf } from "../../domain/idp-sign-in.ts";
import { readProviders } from "../../execute/providers.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import { findAskedLogin, takeAsk } from "../external/asks.ts";
import { putHandle } from "../external/handles.ts";
import { jwtParameters } from "../external/jwt.ts";
import { ExternalFailed } from "../external/protocol.ts";
import { isTrial } from "../external/trial.ts";
import { showTrial } from "./external-trial.ts";
import { expired, type LoginSite } from "./open.ts";

/**
 * Takes a token that a proxy of a provider hands over, without the browser's cookies. It is
 * answered with an address that goes on in the browser alone in which the login began, which the
 * proxy passes on to the browser that has come to it.
 */
export async function takeToken(site: LoginSite, { request, fields }: Visit): Promise<Answer> {
  const state = fields.of(jwtParameters.state);
  const asked = await findAskedLogin(site, state);
  if (asked === undefined) return expired;
  const { uid, idpId } = asked;
  const [provider] = await readProviders(site.store, [idpId]);
  const signIn = provider && signInOf(provider);
  if (provider === undefined || signIn?.kind !== "jwt") return expired;
  // A trial may come before a provider is brought into use.
  if (provider.isInactive && !isTrial(uid)) return expired;
  const secrets = await takeAsk(site, { uid, idpId, state });
  if (secrets?.nonce !== fields.of(jwtParameters.nonce)) return expired;
  const header = request.headers[(signIn.headerName || "authorization").toLowerCase()];
  const token = String(header ?? "").replace(/^Bearer +/i, "");
  const { organization } = provider;
  const verify = () =>
    site.protocols.jwt.verify({ id: idpId, organization, signIn }, token, [site.publicUrl()]);
  if (isTrial(uid)) return await showTrial(provider, verify);
  // Absolute: the proxy passes it on from where it is.
  const back = `${site.publicUrl()}/ui/login/${uid}/idps/${idpId}`;
  try {
    const verified = await verify();
    const handle = await putHandle(site, { uid, idpId, token }, verified);
    if (handle === undefined) throw new ExternalFailed("UNUSABLE", "the token was used before");
    return { location: `${back}?${new URLSearchParams({ handle })}` };
  } catch (error) {
    if (!(error instanceof ExternalFailed)) throw error;
    const { reason, message: problem } = error;
    site.log.warn({ idpId, reason, problem }, "no login came of an identity provider");
    return { location: back };
  }
}
