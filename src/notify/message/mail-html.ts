import { textOn } from "../../domain/policy/contrast.ts";
import type { ShownLink } from "../../domain/policy/links.ts";
import { type Palette, paletteOf, themesOf } from "../../domain/policy/theme.ts";
import { type Html, html, htmlText } from "../../text/html.ts";
import { directionOf, type Language } from "../../text/language.ts";
import type { MailBrand } from "./mail-brand.ts";

/** A mail in plain text, and the one line of it that is a link, where there is one. */
export interface PlainMail {
  readonly language: Language;
  readonly subject: string;
  readonly text: string;
  readonly link?: string;
  /** What the button says that the link becomes. */
  readonly label: string;
  /** Why the person gets it. */
  readonly why: string;
  readonly links: readonly ShownLink[];
  readonly brand: MailBrand;
  /** The name of the organization, whose the logo is unless that is the default. */
  readonly organization: string;
}

/**
 * The same words as HTML, for mail programs that show that instead. The paragraph that is the link
 * becomes a button, with the link below it. Many mail programs know no style sheets: theirs is the
 * first look, which stands in the elements. Some keep nothing but the content of the body: language
 * and direction stand there, too.
 */
export function mailHtml(mail: PlainMail): string {
  const { language, subject, text, link, label, why, links, brand, organization } = mail;
  const themes = themesOf(brand.label);
  const [first, second] = themes.map((theme) => paletteOf(brand.label, theme));
  const colors = first ?? paletteOf(brand.label, "light");
  const content = text
    .trimEnd()
    .split("\n\n")
    .map((words) => (words === link ? button(words, label, colors) : plain(words)));
  const name = brand.label.isDefault ? "" : organization;
  const above = brand.logo && logo(brand.logo.id, name, colors);
  const written = html`lang="${language}" dir="${directionOf(language)}"`;
  return htmlText(html`<!doctype html>
<html ${written}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${themes.join(" ")}">
<title>${subject}</title>
${second && otherLook(second)}</head>
<body class="ground" style="margin: 0; padding: 1.5rem; font: 1rem/1.5 system-ui, sans-serif;
 background: ${colors.background}; color: ${colors.font}">
<div ${written} style="max-width: 32rem; margin: 0 auto; overflow-wrap: anywhere">
${above}${content}${closing(why, links)}</div>
</body>
</html>
`);
}

function plain(words: string): Html {
  return html`<p style="margin: 0 0 1rem">${words}</p>\n`;
}

function button(link: string, label: string, { primary }: Palette): Html {
  return html`<p style="margin: 0 0 1rem">
<a class="action" href="${link}" style="display: inline-block; padding: 0.75rem 1.25rem;
 border-radius: 0.5rem; background: ${primary}; color: ${textOn(primary)}; font-weight: 600;
 text-decoration: none">${label}</a>
</p>
<p style="margin: 0 0 1rem; font-size: 0.875rem" dir="ltr">${link}</p>\n`;
}

/** The ground of the first look stays behind the logo, which was made for it. */
function logo(id: string, name: string, { background }: Palette): Html {
  return html`<p style="margin: 0 0 1.5rem">
<img src="cid:${id}" alt="${name}" height="56" style="max-width: 100%; height: 3.5rem;
 padding: 0.25rem; border-radius: 0.25rem; background: ${background}; object-fit: contain">
</p>\n`;
}

function closing(why: string, links: readonly ShownLink[]): Html {
  const items = links.map(
    ({ href, text }) => html`<a href="${href}" style="color: inherit">${text}</a>&emsp;\n`,
  );
  const list = html`<p style="margin: 0; font-size: 0.875rem">\n${items}</p>\n`;
  return html`<hr style="margin: 1.5rem 0 1rem; border: 0; border-top: 1px solid">
<p style="margin: 0 0 0.5rem; font-size: 0.875rem">${why}</p>
${links.length === 0 ? undefined : list}`;
}

/** What differs in the other look, for the mail programs that know style sheets. */
function otherLook({ primary, background, font }: Palette): Html {
  return html`<style>
@media (prefers-color-scheme: dark) {
.ground { background: ${background} !important; color: ${font} !important }
.action { background: ${primary} !important; color: ${textOn(primary)} !important }
}
</style>\n`;
}
