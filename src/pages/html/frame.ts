import { type Html, html } from "../../text/html.ts";
import { type Language, languages } from "../../text/language.ts";
import { languageNames } from "../../text/language-names.ts";
import { type Brand, imageFor, imagePath, type Theme, themesOf } from "../brand.ts";
import type { Frame } from "./page.ts";

/** The form by which people choose a language: its fields are of the query that it makes. */
export const choiceFields = { language: "language", query: "query" } as const;

/** The logo of a brand, above the content; nothing where it has none. */
export function logoOf({ base, brand }: Frame): Html | undefined {
  const images = brand && imagesOf(brand, "logo");
  if (brand === undefined || images === undefined) return undefined;
  const { path, inDark } = images;
  const dark = html`<source srcset="${base}${inDark}" media="${darkOnly}">\n`;
  return html`<header>
<picture>
${inDark === undefined ? undefined : dark}<img class="logo" src="${base}${path}" alt="${brand.name}">
</picture>
</header>
`;
}

/** The icon of a brand, or that of the service. */
export function iconOf({ base, brand, assetPath }: Frame): Html {
  const images = brand && imagesOf(brand, "icon");
  if (images === undefined) {
    return html`<link rel="icon" type="image/svg+xml" href="${base}${assetPath("icon.svg")}">\n`;
  }
  const { path, inDark } = images;
  const dark = html`<link rel="icon" href="${base}${inDark}" media="${darkOnly}">\n`;
  return html`<link rel="icon" href="${base}${path}">\n${inDark === undefined ? undefined : dark}`;
}

const darkOnly = "(prefers-color-scheme: dark)";

/** The paths of the images of a kind: of all looks, or of the first and then of the dark one. */
function imagesOf({ label }: Brand, kind: "logo" | "icon") {
  const [first, second] = themesOf(label).map((theme: Theme) => imageFor(label, kind, theme));
  if (first === undefined) return undefined;
  const path = imagePath(first);
  const inDark = second && imagePath(second);
  return { path, inDark: inDark === path ? undefined : inDark };
}

/** What stands below every page: where people find more and help, and the other languages. */
export function footerOf(frame: Frame): Html | undefined {
  const parts = [linksOf(frame), languageForm(frame)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : html`<footer>\n${parts}</footer>\n`;
}

function linksOf({ texts, brand }: Frame): Html | undefined {
  if (brand === undefined) return undefined;
  const { privacy } = brand;
  const { terms, privacy: ofPrivacy, help, documentation, support } = texts.footer;
  const links = [
    [privacy.tosLink, terms],
    [privacy.privacyLink, ofPrivacy],
    [privacy.helpLink, help],
    [privacy.docsLink, documentation],
    [privacy.customLink, privacy.customLinkText || hostOf(privacy.customLink)],
    [privacy.supportEmail && `mailto:${encodeURI(privacy.supportEmail)}`, support],
  ].filter(([to]) => to !== "");
  if (links.length === 0) return undefined;
  const items = links.map(([to, text]) => html`<li><a href="${to}">${text}</a></li>\n`);
  return html`<ul class="links">\n${items}</ul>\n`;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}

/** A button for each language, which leads back to the page that was opened. */
function languageForm({ language: current, texts, query }: Frame): Html | undefined {
  if (query === undefined) return undefined;
  const button = (language: Language) => {
    const isCurrent = language === current ? html` aria-current="true"` : undefined;
    return html`<button name="${choiceFields.language}" value="${language}" lang="${language}"${isCurrent}>
${languageNames[language]}</button>\n`;
  };
  const kept = html`<input type="hidden" name="${choiceFields.query}" value="${query}">\n`;
  return html`<form class="languages" method="get" aria-label="${texts.footer.languages}">
${query === "" ? undefined : kept}${languages.map(button)}</form>\n`;
}
