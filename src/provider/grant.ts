import type { Grant, KoaContextWithOIDC } from "oidc-provider";
import { beginSession, hasSession } from "../domain/user/login.ts";
import type { Factor } from "../domain/user/login-state.ts";
import { user } from "../domain/user/user.ts";
import { createClientSecret } from "../secrets/tokens.ts";
import type { ProviderParts } from "./parts.ts";
import { findUser } from "./rows.ts";

/** What our pages tell of a login beside what the library asks for. */
export interface ToldLogin {
  readonly factors: readonly Factor[];
  readonly browser: string;
}

/** The name under which they do. */
export const toldLogin = "ours";

/**
 * What the person grants the application: all that it asks for of what is known of the person. One
 * grant lasts as long as the session, or what came from it before would end with each login.
 * Somebody who has just logged in has a session from here on.
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
    await begin(parts, { session, accountId, clientId: client.clientId, told });
  }
  const known = session.grantIdFor(client.clientId);
  const before = known === undefined ? undefined : await provider.Grant.find(known);
  const isTheirs = before?.accountId === accountId;
  const grant =
    before !== undefined && isTheirs
      ? before
      : new provider.Grant({ accountId, clientId: client.clientId });
  grant.addOIDCScope(String(params?.scope ?? "openid"));
  grant.addOIDCClaims([...requestParamClaims]);
  await grant.save();
  return grant;
}

interface Begun {
  readonly session: NonNullable<KoaContextWithOIDC["oidc"]["session"]>;
  readonly accountId: string;
  readonly clientId: string;
  readonly told: ToldLogin;
}

/** Records the login. Throws where the user may not log in any more. */
async function begin(
  parts: ProviderParts,
  { session, accountId, clientId, told }: Begun,
): Promise<void> {
  const found = await findUser(parts, accountId);
  // What came from a session that has ended must not live again with another of its name.
  if (!hasSession(found?.state, session.uid)) session.uid = createClientSecret(parts.random);
  const made = { sessionId: session.uid, clientId, ...told };
  const outcome = await parts.execute({
    actor: accountId,
    writes: { user: { noun: user, id: accountId } },
    decide: (states) => beginSession(states.user, made),
  });
  if (outcome.kind !== "done") throw new Error(`a login was not recorded: ${outcome.kind}`);
}
