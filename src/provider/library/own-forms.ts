import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import type { Shown } from "./shown.ts";

/** The library with a page of ours where it would tell an application something by a form. */
export function withOwnForms(Library: typeof Provider, { formPost }: Shown): typeof Provider {
  return class extends Library {
    // It registers its own when it is made, and keeps whichever comes first.
    override registerResponseMode(...[name, mode]: Parameters<Provider["registerResponseMode"]>) {
      super.registerResponseMode(name, name === "form_post" ? formPost : mode);
    }
  };
}

/** Has a page of ours in place of the form by which the library logs out a browser of nobody. */
export function showNobodyLogout({ nobodyLogout }: Shown) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { route, session } = ctx.oidc ?? {};
    const isOfNobody = session !== undefined && session.accountId === undefined;
    if (route === "end_session" && isOfNobody && ctx.status === 200) await nobodyLogout(ctx);
  };
}
