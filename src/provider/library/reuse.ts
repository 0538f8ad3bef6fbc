import type { errors, KoaContextWithOIDC } from "oidc-provider";
import { reuseToken, revokeTokens } from "../../domain/user/login/login.ts";
import { stranger } from "../../domain/user/state/made.ts";
import { user } from "../../domain/user/state/user.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import type { Reuse } from "./adapter.ts";

interface Library {
  readonly Provider: { readonly ctx: KoaContextWithOIDC | undefined };
  readonly errors: Pick<typeof errors, "InvalidGrant">;
}

/**
 * Revokes what the library has revoked, and writes the event in the same transaction. At the token
 * endpoint there is one reason for it: a code or a refresh token came a second time, and a thief
 * may have it. At the endpoint of revocation, an application gives a token back.
 */
export function createReuse(parts: ProviderParts, { Provider, errors }: Library): Reuse {
  /** The library asks once for each kind of token. */
  const told = new WeakMap<object, Promise<void>>();
  const { artifacts } = parts.unit;

  const removeFamily = async (family: string) =>
    void (await artifacts.write([{ kind: "removeFamily", family }]));

  async function record(ctx: KoaContextWithOIDC, family: string): Promise<void> {
    const grant = hashSecret(family);
    const kept = await artifacts.find(`Grant:${grant}`);
    const { accountId } = JSON.parse(kept?.payload ?? "{}") as { readonly accountId?: string };
    const clientId = ctx.oidc.client?.clientId;
    if (accountId !== undefined && clientId !== undefined) {
      const { route, params } = ctx.oidc;
      const kind = params?.grant_type === "refresh_token" ? "refresh" : "code";
      const isGivenBack = route === "revocation";
      await parts.execute({
        actor: isGivenBack ? accountId : stranger,
        families: [family],
        writes: { user: { noun: user, id: accountId } },
        decide: (states, nowMs) =>
          isGivenBack
            ? revokeTokens(states.user, { clientId, grant }, nowMs)
            : reuseToken(states.user, { clientId, kind, grant }, nowMs),
      });
    }
    await removeFamily(family);
  }

  async function revoke(family: string): Promise<void> {
    const { ctx } = Provider;
    const isTold = ctx?.oidc.route === "token" || ctx?.oidc.route === "revocation";
    if (!isTold) return await removeFamily(family);
    const once = told.get(ctx) ?? record(ctx, family);
    told.set(ctx, once);
    await once;
  }

  return {
    revoke,
    async lose(family) {
      await revoke(family);
      throw new errors.InvalidGrant("it was already used");
    },
  };
}
