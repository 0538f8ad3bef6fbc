import { describe, expect, test } from "@jest/globals";
import { contrastMin, contrastOf, nearestReadable } from "../../src/domain/policy/contrast.ts";
import { type LabelPolicy, label } from "../../src/domain/policy/label.ts";
import { styleOf } from "../../src/pages/brand-style.ts";
import { fc } from "../harness/laws.ts";
import { brandOf, faint, violet } from "./brands.ts";

/** The custom properties of a theme; the first theme is the one without a condition. */
function propertiesIn(text: string, theme: "first" | "second") {
  const [first = "", second = ""] = text.split("@media");
  const found = (theme === "first" ? first : second).matchAll(/--([a-z-]+): (#[\da-f]{6});/g);
  return new Map([...found].map(([, name = "", value = ""]) => [name, value]));
}

const sheetOf = (given: LabelPolicy) => styleOf(brandOf(given))?.text ?? "";

describe("the style sheet of a brand", () => {
  test("is not there where the policy says what all pages look like", () => {
    expect(styleOf(brandOf(label.defaults))).toBeUndefined();
    const images = { logo: violet.images.logo, icon: {} };
    expect(styleOf(brandOf({ ...label.defaults, images }))).toBeUndefined();
  });

  test("has a path of its own for each look, and none for what is not looks", () => {
    const paths = [
      violet,
      { ...violet, fontColorDark: "#ffffff" },
      { ...violet, themeMode: "LIGHT" } as const,
      { ...violet, themeMode: "DARK" } as const,
    ].map((given) => styleOf(brandOf(given))?.path);
    expect(new Set(paths).size).toBe(paths.length);
    const others = { ...violet, images: label.defaults.images };
    expect(styleOf(brandOf(others))?.path).toBe(paths[0]);
    expect(paths[0]).toMatch(/^brand\/[\da-f-]{36}\/[\da-f]{16}\/style\.css$/);
  });

  test("has the colours of the policy, light and dark", () => {
    const text = sheetOf(violet);
    expect(text).toContain("color-scheme: light dark;");
    expect(text).toContain("@media (prefers-color-scheme: dark) {");
    for (const [theme, properties] of [
      ["first", { page: "#fffbeb", text: "#3b0764", accent: "#6d28d9", wrong: "#9f1239" }],
      ["second", { page: "#1e1033", text: "#ede9fe", accent: "#c4b5fd", wrong: "#fda4af" }],
    ] as const) {
      expect(Object.fromEntries(propertiesIn(text, theme))).toMatchObject(properties);
    }
  });

  test.each([
    ["LIGHT", "light", "#fffbeb"],
    ["DARK", "dark", "#1e1033"],
  ] as const)("of the mode %s has one look, whatever the browser prefers", (mode, scheme, page) => {
    const text = sheetOf({ ...violet, themeMode: mode });
    expect(text).toContain(`color-scheme: ${scheme};`);
    expect(text).not.toContain("@media");
    expect(propertiesIn(text, "first").get("page")).toBe(page);
  });

  test("has every colour that pages have", () => {
    const plain = ["page", "card", "edge", "text", "quiet", "field", "field-edge", "accent"];
    const others = ["accent-strong", "on-accent", "wrong", "wrong-back", "right"];
    for (const theme of ["first", "second"] as const) {
      const names = [...propertiesIn(sheetOf(violet), theme).keys()];
      expect(names.sort()).toEqual([...plain, ...others].sort());
    }
  });
});

describe("what is read has the contrast that it needs", () => {
  const readable = (text: string) => {
    for (const theme of ["first", "second"] as const) {
      const found = propertiesIn(text, theme);
      const contrast = (one: string, ground: string) =>
        contrastOf(found.get(one)!, found.get(ground)!);
      for (const ground of ["page", "card", "field", "wrong-back"]) {
        for (const one of ["text", "quiet", "accent", "wrong", "right"]) {
          expect(contrast(one, ground)).toBeGreaterThanOrEqual(contrastMin);
        }
        expect(contrast("field-edge", ground)).toBeGreaterThanOrEqual(3);
      }
      for (const ground of ["accent", "accent-strong"]) {
        expect(contrast("on-accent", ground)).toBeGreaterThanOrEqual(contrastMin);
      }
    }
  };

  test.each([
    ["violet", violet],
    ["as faint as may be", faint],
  ])("in the brand %s", (_, given) => readable(sheetOf(given)));

  test("in whatever a policy may have", () => {
    const color = fc
      .integer({ min: 0, max: 0xffffff })
      .map((value) => `#${value.toString(16).padStart(6, "0")}`);
    const palette = fc.tuple(color, color, color, color).map(([background, ...others]) => {
      const [primary = "", warn = "", font = ""] = others.map((one) =>
        nearestReadable(one, background),
      );
      return { background, primary, warn, font };
    });
    fc.assert(
      fc.property(palette, palette, (light, dark) =>
        readable(
          sheetOf({
            ...label.defaults,
            ...{ primaryColor: light.primary, warnColor: light.warn },
            ...{ backgroundColor: light.background, fontColor: light.font },
            ...{ primaryColorDark: dark.primary, warnColorDark: dark.warn },
            ...{ backgroundColorDark: dark.background, fontColorDark: dark.font },
          }),
        ),
      ),
    );
  });
});
