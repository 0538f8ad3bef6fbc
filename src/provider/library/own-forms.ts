import type { KoaContextWithOIDC } from "oidc-provider";
import type { Screens } from "./screens.ts";

/** Has a page of ours in place of the form by which the library logs out a browser of nobody. */
export function showNobodyLogout({ nobodyLogout }: Screens) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { route, session } = ctx.oidc ?? {};
    const isOfNobody = session !== undefined && session.accountId === undefined;
    if (route === "end_session" && isOfNobody && ctx.status === 200) await nobodyLogout(ctx);
  };
}
