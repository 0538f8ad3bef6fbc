import type { errors, KoaContextWithOIDC } from "oidc-provider";
import { reuseToken } from "../domain/user/login.ts";
import { user } from "../domain/user/user.ts";
import { hashSecret } from "../secrets/tokens.ts";
import type { Reuse } from "./adapter.ts";
import type { ProviderParts } from "./parts.ts";

interface Library {
  readonly Provider: { readonly ctx: KoaContextWithOIDC | undefined };
  readonly errors: Pick<typeof errors, "InvalidGrant">;
}

/**
 * Revokes what the library has revoked. At the token endpoint it does so for one reason: a code or
 * a refresh token came a second time, and whoever has it need not be who it was given to. Then the
 * event is written in the same transaction.
 */
export function createReuse(parts: ProviderParts, { Provider, errors }: Library): Reuse {
  /** The library asks once for each kind of token. */
  const told = new WeakMap<object, Promise<void>>();
  const { artifacts } = parts.store;

  async function record(ctx: KoaContextWithOIDC, family: string): Promise<void> {
    const grant = await artifacts.find(`Grant:${hashSecret(family)}`, parts.now());
    const { accountId } = JSON.parse(grant?.payload ?? "{}") as { readonly accountId?: string };
    const clientId = ctx.oidc.client?.clientId;
    if (accountId !== undefined && clientId !== undefined) {
      const kind = ctx.oidc.params?.grant_type === "refresh_token" ? "refresh" : "code";
      await parts.execute({
        actor: accountId,
        families: [family],
        writes: { user: { noun: user, id: accountId } },
        decide: (states) => reuseToken(states.user, { clientId, kind }),
      });
    }
    await artifacts.removeFamily(family);
  }

  async function revoke(family: string): Promise<void> {
    const { ctx } = Provider;
    if (ctx?.oidc.route !== "token") return await artifacts.removeFamily(family);
    const once = told.get(ctx) ?? record(ctx, family);
    told.set(ctx, once);
    await once;
  }

  return {
    revoke,
    async lose(family) {
      await revoke(family);
      throw new errors.InvalidGrant("it was used already");
    },
  };
}
