import type { Image } from "./image.ts";
import type { LabelPolicy } from "./label.ts";

/** A look of pages and mails. */
export type Theme = "light" | "dark";

/** The looks that a policy allows; the first one where nothing else is asked for. */
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

/** The colours that a policy has for a theme. */
export interface Palette {
  readonly primary: string;
  readonly warn: string;
  readonly background: string;
  readonly font: string;
}

/** The colours of a policy in a theme. */
export function paletteOf(policy: LabelPolicy, theme: Theme): Palette {
  return theme === "light"
    ? {
        ...{ primary: policy.primaryColor, warn: policy.warnColor },
        ...{ background: policy.backgroundColor, font: policy.fontColor },
      }
    : {
        ...{ primary: policy.primaryColorDark, warn: policy.warnColorDark },
        ...{ background: policy.backgroundColorDark, font: policy.fontColorDark },
      };
}
