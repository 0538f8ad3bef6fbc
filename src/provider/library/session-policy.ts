import type { KoaContextWithOIDC } from "oidc-provider";
import { isKept } from "../../domain/policy/obey.ts";
import { sessionOf } from "../../domain/user/state/session.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findLoginPolicy, withPolicyOf } from "../base/policy.ts";
import { findUser } from "../base/rows.ts";

/**
 * Whether somebody who is logged in has to log in again: the policy of what is logged in to, or of
 * the person, asks for more than was shown, or for a session that is not as old.
 */
export async function isOverByPolicy(
  parts: ProviderParts,
  { oidc }: KoaContextWithOIDC,
): Promise<boolean> {
  const { session, client, params } = oidc;
  if (session?.accountId === undefined || client === undefined) return false;
  const found = await findUser(parts, session.accountId);
  const begun = sessionOf(found?.state, session.uid, parts.now());
  if (begun === undefined) return false;
  const scope = String(params?.scope ?? "");
  const ofLogin = await findLoginPolicy(parts, { clientId: client.clientId, scope });
  return !isKept(await withPolicyOf(parts, ofLogin, found), begun, parts.now());
}
