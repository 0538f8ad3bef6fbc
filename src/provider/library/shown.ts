import type { Configuration, ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { type Assets, readAssets } from "../../pages/assets.ts";
import { loginNoticePage, logoutPage, refusedPage } from "../../pages/html/login.ts";
import { documentOf, type Frame, type Page } from "../../pages/html/page.ts";
import { documentFields } from "../../pages/response.ts";
import { languageOf } from "../../text/accept-language.ts";

/** What the library shows to people by itself. */
export interface Shown {
  logout(ctx: KoaContextWithOIDC): Promise<void>;
  loggedOut(ctx: KoaContextWithOIDC): Promise<void>;
  readonly error: NonNullable<Configuration["renderError"]>;
}

/** Makes the pages in the style of all others. */
export function createShown(): Shown {
  let assets: Promise<Assets> | undefined;
  const show = async (ctx: KoaContextWithOIDC, page: (frame: Frame) => Page, formTo?: string) => {
    assets ??= readAssets();
    const files = await assets;
    const language = languageOf(ctx.get("accept-language"));
    const depth = ctx.path.split("/").length - 2;
    ctx.body = documentOf(page, {
      language,
      base: `${"../".repeat(depth)}ui/`,
      assetPath: (name) => files[name].path,
    });
    ctx.set(documentFields({ language, formTo }));
  };
  return {
    logout: async (ctx) => {
      const { session, params } = ctx.oidc;
      const secret = String(session?.state?.secret ?? "");
      const leadsTo = params?.post_logout_redirect_uri;
      const formTo = typeof leadsTo === "string" ? formTargetOf(leadsTo) : undefined;
      await show(ctx, logoutPage({ secret }), formTo);
    },
    loggedOut: (ctx) => show(ctx, loginNoticePage("loggedOut")),
    error: async (ctx, out: ErrorOut) => {
      const { error, error_description: description = "" } = out;
      await show(ctx, refusedPage({ error, description }));
    },
  };
}

/** What a policy of the browser calls the place that a URI leads to: its origin, or its scheme. */
export function formTargetOf(uri: string): string | undefined {
  const parsed = URL.parse(uri);
  if (parsed === null) return undefined;
  return parsed.origin === "null" ? parsed.protocol : parsed.origin;
}
