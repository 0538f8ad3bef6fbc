import { imagePath } from "../../domain/policy/image.ts";
import { linksOf } from "../../domain/policy/links.ts";
import { imageFor, themesOf } from "../../domain/policy/theme.ts";
import { type Html, html } from "../../text/html.ts";
import { type Language, languages } from "../../text/language.ts";
import { languageNames } from "../../text/language-names.ts";
import { linkTexts } from "../../text/link-texts.ts";
import type { Brand } from "../brand.ts";

/** Where a page stands. Its links are relative: under which name people came is nobody's to say. */
export interface FrameContext {
  readonly language: Language;
  /** The way from the page to `/ui/`: nothing, or `../` as often as it takes. */
  readonly base: string;
  /** What it shows of an organization or of the instance; left out, nothing. */
  readonly brand?: Brand;
  /** The query that it was opened with; left out where it cannot be opened again. */
  readonly query?: string | undefined;
}

/** The form by which people choose a language: its fields are of the query that it makes. */
export const choiceFields = { language: "language", query: "query" } as const;

/** The logo of a brand, above the content; nothing where it has none. */
export function logoOf({ base, brand }: FrameContext): Html | undefined {
  const images = brand && imagesOf(brand, "logo");
  if (brand === undefined || images === undefined) return undefined;
  const { path, inDark } = images;
  const image = html`<img class="logo" src="${base}${path}" alt="${brand.name}">`;
  const dark = html`<source srcset="${base}${inDark}" media="${darkOnly}">\n`;
  return html`<header>
<picture>
${inDark === undefined ? undefined : dark}${image}
</picture>
</header>
`;
}

/** The icon of a brand, or that of the service. */
export function iconOf({ base, brand }: FrameContext, ownIcon: string): Html {
  const images = brand && imagesOf(brand, "icon");
  if (images === undefined) {
    return html`<link rel="icon" type="image/svg+xml" href="${base}${ownIcon}">\n`;
  }
  const { path, inDark } = images;
  const dark = html`<link rel="icon" href="${base}${inDark}" media="${darkOnly}">\n`;
  return html`<link rel="icon" href="${base}${path}">\n${inDark === undefined ? undefined : dark}`;
}

const darkOnly = "(prefers-color-scheme: dark)";

/** The paths of the images of a kind: of all looks, or of the first and then of the dark one. */
function imagesOf({ label }: Brand, kind: "logo" | "icon") {
  const [first, second] = themesOf(label).map((theme) => imageFor(label, kind, theme));
  if (first === undefined) return undefined;
  const path = imagePath(first);
  const inDark = second && imagePath(second);
  return { path, inDark: inDark === path ? undefined : inDark };
}

/** What stands below every page: where people find more and help, and the other languages. */
export function footerOf(frame: FrameContext, label: string): Html | undefined {
  const parts = [linkList(frame), languageForm(frame, label)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : html`<footer>\n${parts}</footer>\n`;
}

function linkList({ brand, language }: FrameContext): Html | undefined {
  const links = brand === undefined ? [] : linksOf(brand.privacy, linkTexts[language]);
  if (links.length === 0) return undefined;
  const items = links.map(({ href, text }) => html`<li><a href="${href}">${text}</a></li>\n`);
  return html`<ul class="links">\n${items}</ul>\n`;
}

/** A button for each language, which leads back to the page that was opened. */
function languageForm({ language: current, query }: FrameContext, label: string): Html | undefined {
  if (query === undefined) return undefined;
  const button = (language: Language) => {
    const isCurrent = language === current ? html` aria-current="true"` : undefined;
    const { language: name } = choiceFields;
    return html`<button name="${name}" value="${language}" lang="${language}"${isCurrent}>
${languageNames[language]}</button>\n`;
  };
  const kept = html`<input type="hidden" name="${choiceFields.query}" value="${query}">\n`;
  return html`<form class="languages" method="get" aria-label="${label}">
${query === "" ? undefined : kept}${languages.map(button)}</form>\n`;
}
