import type { Image, LabelPolicy } from "../domain/policy/label.ts";
import type { PrivacyPolicy } from "../domain/policy/privacy.ts";

/** What pages show of an organization, or of the instance where an organization has nothing. */
export interface Brand {
  /** Whose colours and images they are: the id of an organization, or `instanceBrand`. */
  readonly owner: string;
  /** The name of that organization; empty for the instance. */
  readonly name: string;
  readonly label: LabelPolicy;
  readonly privacy: PrivacyPolicy;
  /** The organization that one of both is of; undefined where both are the default. */
  readonly organization: string | undefined;
}

/** The owner of what the instance shows: no organization has such an id. */
export const instanceBrand = "instance";

/** Whose brand a page shows: what belongs to an organization, or to a person. */
export type Whose = { readonly organization: string } | { readonly userId: string };

/**
 * Finds the brand of an organization or a person; without one, that of the instance. It finds none
 * where the log cannot be read.
 */
export type FindBrand = (whose?: Whose) => Promise<Brand | undefined>;

/** The looks of a page. */
export type Theme = "light" | "dark";

/** The looks that a page has; the first one where the browser asks for none. */
export function themesOf({ themeMode }: LabelPolicy): readonly [Theme, ...Theme[]] {
  if (themeMode === "AUTO") return ["light", "dark"];
  return themeMode === "DARK" ? ["dark"] : ["light"];
}

/** The image of a kind for a theme, or the one of the other theme. */
export function imageFor(
  { images }: LabelPolicy,
  kind: "logo" | "icon",
  theme: Theme,
): Image | undefined {
  const { light, dark } = images[kind];
  return theme === "light" ? (light ?? dark) : (dark ?? light);
}

/** The path of an image below `/ui/`; it changes with what is in it. */
export function imagePath({ sha256, type }: Image): string {
  return `images/${sha256}.${extensions[type]}`;
}

const extensions = { "image/png": "png", "image/jpeg": "jpg", "image/webp": "webp" } as const;
