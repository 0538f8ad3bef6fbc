import type { Configuration, ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import type { Exchange } from "../../gateway/front.ts";
import { type Assets, readAssets } from "../../pages/assets.ts";
import type { FindBrand } from "../../pages/brand.ts";
import { shownOf } from "../../pages/brand-style.ts";
import { type DeviceNotice, deviceNoticePage } from "../../pages/html/device.ts";
import { loginNoticePage, logoutPage } from "../../pages/html/login.ts";
import { nobodyLogoutPage, onwardPage, onwardScript } from "../../pages/html/onward.ts";
import { documentOf, type Frame, type Page, type PageContext } from "../../pages/html/page.ts";
import { refusedPage } from "../../pages/html/refused.ts";
import { languageFor } from "../../pages/language-choice.ts";
import { problemOf } from "../../pages/problem.ts";
import { documentFields, sendPage } from "../../pages/response.ts";
import { type Language, languageOfLocales } from "../../text/language.ts";
import { requestIdOf } from "../base/record.ts";

/** What the library shows to people by itself. */
export interface Screens {
  logout(ctx: KoaContextWithOIDC): Promise<void>;
  loggedOut(ctx: KoaContextWithOIDC): Promise<void>;
  /** The logout of a browser in which nobody is logged in. */
  nobodyLogout(ctx: KoaContextWithOIDC): Promise<void>;
  /** The end of a login on a device. */
  deviceAllowed(ctx: KoaContextWithOIDC): Promise<void>;
  /** What an application is told by a form. */
  formPost(ctx: KoaContextWithOIDC, redirectUri: string, payload: object): Promise<void>;
  readonly error: NonNullable<Configuration["renderError"]>;
  /** Answers a request that the library is not asked about. */
  refusal(exchange: Exchange, refusal: Parameters<typeof problemOf>[0]): Promise<void>;
}

/**
 * Makes the pages in the style of all others, with the brand of the instance: nobody has proven to
 * it who asks. They have no choice of language, since to open one again may begin another login.
 */
export function createScreens(findBrand: FindBrand): Screens {
  let assets: Promise<Assets> | undefined;
  const contextAt = async (path: string, language: Language): Promise<PageContext> => {
    assets ??= readAssets();
    const files = await assets;
    const base = `${"../".repeat(path.split("/").length - 2)}ui/`;
    const assetPath: PageContext["assetPath"] = (name) => files[name].path;
    return { language, base, assetPath, ...shownOf(await findBrand()) };
  };
  const show = async (
    ctx: KoaContextWithOIDC,
    page: (frame: Frame) => Page,
    about: Pick<Parameters<typeof documentFields>[0], "leadsOn" | "script"> = {},
  ) => {
    const asked = languageOfLocales(ctx.oidc?.params?.ui_locales ?? ctx.query.ui_locales);
    const language = languageFor(ctx.headers, asked);
    ctx.body = documentOf(page, await contextAt(ctx.path, language));
    ctx.set(documentFields({ language, ...about }));
    ctx.vary("accept-language");
  };
  const onward = { leadsOn: true, script: onwardScript };
  return {
    logout: async (ctx) => {
      const { session, params } = ctx.oidc;
      const secret = String(session?.state?.secret ?? "");
      const leadsTo = params?.post_logout_redirect_uri;
      const { ui_locales } = params ?? {};
      if (session?.state && leadsTo === undefined && typeof ui_locales === "string") {
        // The library would lead to the same page without the language.
        const last = ctx.oidc.urlFor("end_session_success");
        session.state.postLogoutRedirectUri = `${last}?${new URLSearchParams({ ui_locales })}`;
      }
      await show(ctx, logoutPage({ secret }), { leadsOn: leadsTo !== undefined });
    },
    loggedOut: (ctx) => show(ctx, loginNoticePage("loggedOut")),
    nobodyLogout: async (ctx) => {
      const secret = String(ctx.oidc.session?.state?.secret ?? "");
      await show(ctx, nobodyLogoutPage({ secret }), onward);
    },
    formPost: async (ctx, action, payload) => {
      if (ctx.status < 500) ctx.status = "error" in payload ? 400 : 200;
      const fields = Object.entries(payload).map(([name, value]) => [name, String(value)]);
      await show(ctx, onwardPage({ action, fields: Object.fromEntries(fields) }), onward);
    },
    deviceAllowed: (ctx) => show(ctx, deviceNoticePage("allowed")),
    error: async (ctx, out: ErrorOut, cause) => {
      const ofDevice = deviceNotices.get(cause.name);
      if (ofDevice === "over") ctx.status = 400;
      if (ofDevice !== undefined) return await show(ctx, deviceNoticePage(ofDevice));
      // The application asked for nothing wrong, and can do nothing but begin again.
      if (cause.name === "SessionNotFound") return await show(ctx, loginNoticePage("expired"));
      const { error, error_description: description = "" } = out;
      const ofLogout = ctx.oidc?.route?.startsWith("end_session");
      const { client, params = {} } = ctx.oidc ?? {};
      const sent = ofLogout ? params.post_logout_redirect_uri : params.redirect_uri;
      await show(
        ctx,
        refusedPage({
          ...{ error, description, ofLogout, requestId: requestIdOf(ctx.req) ?? "" },
          clientId: client?.clientId ?? textOf(params.client_id),
          ...(aboutURI.test(description) ? { uri: textOf(sent) } : {}),
        }),
      );
    },
    refusal: async ({ request: { url, query, headers }, reply }, refusal) => {
      const [path = ""] = url.split("?", 1);
      const { ui_locales } = query as { readonly ui_locales?: unknown };
      const language = languageFor(headers, languageOfLocales(ui_locales));
      const { status, page } = problemOf(refusal, "code", { requestId: "" });
      const text = documentOf(page, await contextAt(path, language));
      void sendPage(reply, { status, text, language });
    },
  };
}

/** What is said where the library throws so, once somebody has entered the code of a device. */
const deviceNotices: ReadonlyMap<string, DeviceNotice> = new Map([
  ["AbortedError", "denied"],
  ...["NotFoundError", "ExpiredError", "AlreadyUsedError", "ExpiredToken"].map(
    (name) => [name, "over"] as const,
  ),
]);

/** What the library says of a URI that is none of the application's. */
const aboutURI = /registered/;

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
