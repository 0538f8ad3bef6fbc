import { themesOf } from "../../domain/policy/theme.ts";
import { type Html, html, htmlText } from "../../text/html.ts";
import { directionOf } from "../../text/language.ts";
import type { Texts } from "../texts.ts";
import { texts } from "../translations.ts";
import { type FrameContext, footerOf, iconOf, logoOf } from "./frame.ts";

/** A page before it has its frame. */
export interface Page {
  readonly title: string;
  /** What it is a part of, behind the title of its tab; left out, of nothing. */
  readonly of?: string;
  /** The way to its neighbours, which those who cannot see may skip. */
  readonly navigation?: Html;
  /** Everything below the heading. */
  readonly content: Html;
  /** In the order in which they run. */
  readonly scripts?: readonly Script[];
  /** Whether something is wrong; the title then says so, because it is heard first. */
  readonly isProblem?: boolean;
}

/** `webauthn.js` is the bundle of @simplewebauthn/browser. */
export type Script =
  | "login.js"
  | "passkey.js"
  | "passkey-form.js"
  | "passkey-login.js"
  | "passkey-register.js"
  | "passkey-send.js"
  | "password.js"
  | "time.js"
  | "webauthn.js";

/** The files that pages are made with. */
export type AssetName = Script | "style.css" | "icon.svg";

/** Where a page stands, and the files that it is made with. */
export interface PageContext extends FrameContext {
  /** The path of a file below `/ui/`. */
  assetPath(name: AssetName): string;
  /** The path of the style sheet of the brand below `/ui/`, where it has one. */
  readonly brandStyle?: string | undefined;
}

/** What a page is made of besides its data. */
export interface Frame extends PageContext {
  readonly texts: Texts;
}

/** The whole document, as text. */
export function documentOf(make: (frame: Frame) => Page, context: PageContext): string {
  const { language, base } = context;
  const frame = { ...context, texts: texts[language] };
  const { title, of, navigation, content, scripts = [], isProblem = false } = make(frame);
  const tab = of === undefined ? title : `${title} – ${of}`;
  const path = (name: AssetName) => `${base}${context.assetPath(name)}`;
  const { brand, brandStyle } = context;
  const schemes = brand === undefined ? ["light", "dark"] : themesOf(brand.label);
  const ownStyle = html`<link rel="stylesheet" href="${base}${brandStyle}">\n`;
  const scriptTags = scripts.map((name) => html`<script src="${path(name)}" defer></script>\n`);
  const beginning = navigation === undefined ? undivided(frame) : parted(navigation, frame);
  const icon = iconOf(context, context.assetPath("icon.svg"));
  return htmlText(html`<!doctype html>
<html lang="${language}" dir="${directionOf(language)}">
<head>
<meta charset="utf-8">
<title>${isProblem ? `${frame.texts.error}: ${tab}` : tab}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${schemes.join(" ")}">
<link rel="stylesheet" href="${path("style.css")}">
${brandStyle === undefined ? undefined : ownStyle}${icon}${scriptTags}</head>
${beginning}<main id="content" tabindex="-1">
<h1>${title}</h1>
${content}
</main>
${footerOf(context, frame.texts.languages)}</body>
</html>
`);
}

/** The beginning of a page that is no part of others. */
function undivided(context: FrameContext): Html {
  return html`<body>
${logoOf(context)}`;
}

/**
 * The beginning of a page of several parts: the way past what follows, the logo, and the way to the
 * parts. The logo is not between them and the content: it would part the two columns.
 */
function parted(navigation: Html, frame: Frame): Html {
  const { skip } = frame.texts;
  return html`<body class="parted">
<a class="skip" href="#content">${skip}</a>
${logoOf(frame)}${navigation}
`;
}
