import { createHash } from "node:crypto";
import { contrastMin, contrastOf, mix, textOn } from "../domain/policy/contrast.ts";
import { label as kind, type LabelPolicy } from "../domain/policy/label.ts";
import { type Palette, paletteOf, themesOf } from "../domain/policy/theme.ts";
import type { Brand } from "./brand.ts";

/** The style sheet of a brand, and its path below `/ui/`, which changes with what is in it. */
export interface BrandStyle {
  readonly path: string;
  readonly text: string;
}

/** The style sheet of a brand; undefined where its pages look as all do. */
export function styleOf({ owner, label }: Pick<Brand, "owner" | "label">): BrandStyle | undefined {
  if (looks.every((name) => label[name] === kind.defaults[name])) return undefined;
  const text = sheetOf(label);
  const version = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return { path: `brand/${owner}/${version}/style.css`, text };
}

/** What a page is made with of its brand. */
export function shownOf(brand: Brand | undefined) {
  return brand === undefined ? {} : { brand, brandStyle: styleOf(brand)?.path };
}

function sheetOf(label: LabelPolicy): string {
  const [first, second] = themesOf(label);
  const scheme = second === undefined ? first : `${first} ${second}`;
  const other = second && rulesOf(paletteOf(label, second));
  const inOther = `@media (prefers-color-scheme: ${second}) {\n:root {\n${other}\n}\n}\n`;
  return `:root {
color-scheme: ${scheme};
${rulesOf(paletteOf(label, first))}
}
${other === undefined ? "" : inOther}`;
}

/** Contrast of what is seen and not read, for example the edge of a field (WCAG 2.2, 1.4.11). */
const edgeContrastMin = 3;

/**
 * The custom properties of `style.css`. What is read has the pairs that a label policy guarantees,
 * or shades of which the contrast is looked at here.
 */
function rulesOf({ primary, warn, background, font }: Palette): string {
  const onAccent = textOn(primary);
  const properties = {
    ...{ page: background, card: background, field: background, "wrong-back": background },
    ...{ text: font, wrong: warn, accent: primary, right: primary, "on-accent": onAccent },
    edge: mix(background, font, 0.15),
    quiet: faintest(font, background, contrastMin),
    "field-edge": faintest(font, background, edgeContrastMin),
    // Away from the text on it.
    "accent-strong": mix(primary, textOn(onAccent), 0.2),
    shadow: "none",
  };
  return Object.entries(properties)
    .map(([name, value]) => `--${name}: ${value};`)
    .join("\n");
}

/** The shade of a colour that is nearest to its ground, and still has the contrast. */
function faintest(color: string, ground: string, least: number): string {
  const shades = shares.map((share) => mix(ground, color, share));
  return shades.find((shade) => contrastOf(shade, ground) >= least) ?? color;
}

const shares = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95];

const { images: _images, ...ofSheet } = kind.defaults;
/** What the sheet is made of. Of the default it says what `style.css` says. */
const looks = Object.keys(ofSheet) as (keyof typeof ofSheet)[];
