import { describe, expect, test } from "@jest/globals";
import { type LabelPolicy, label } from "../../src/domain/policy/label.ts";
import { privacy } from "../../src/domain/policy/privacy.ts";
import type { Brand } from "../../src/pages/brand.ts";
import { shownOf } from "../../src/pages/brand-style.ts";
import { documentOf } from "../../src/pages/html/page.ts";
import { texts } from "../../src/pages/translations.ts";
import { languages } from "../../src/text/language.ts";
import { brandOf, links, violet } from "./brands.ts";
import { emptyPage, pagesWith, placeIn } from "./pages.ts";

const documentWith = (brand: Brand, language: (typeof languages)[number] = "en", query = "") =>
  documentOf(emptyPage("Title"), { ...placeIn(language, "../"), ...shownOf(brand), query });

/** The parts of a document that match, in order. */
const all = (text: string, part: RegExp) => [...text.matchAll(part)].map(([found]) => found);

describe("a page with a brand", () => {
  test("has its logo, its icon and its style sheet, each for both looks", () => {
    const text = documentWith(brandOf(violet));
    const [logo, darkLogo, icon] = [
      `../images/${"a".repeat(64)}.png`,
      `../images/${"b".repeat(64)}.webp`,
      `../images/${"c".repeat(64)}.jpg`,
    ];
    expect(all(text, /<(?:source|img) [^>]*>/g)).toEqual([
      `<source srcset="${darkLogo}" media="(prefers-color-scheme: dark)">`,
      `<img class="logo" src="${logo}" alt="ACME">`,
    ]);
    expect(all(text, /<link rel="icon"[^>]*>/g)).toEqual([`<link rel="icon" href="${icon}">`]);
    const [own, theirs, ...others] = all(text, /<link rel="stylesheet" href="[^"]*">/g);
    expect([own, others]).toEqual([expect.stringContaining("../assets/v/style.css"), []]);
    expect(theirs).toMatch(/href="\.\.\/brand\/[\da-f-]+\/[\da-f]{16}\/style\.css"/);
  });

  test("has its logo before the list of parts, so that the content is beside the list", () => {
    const account = pagesWith("abc-123").get("own account")!;
    const text = documentOf(account, { ...placeIn("en", "../"), ...shownOf(brandOf(violet)) });
    const order = ['class="skip"', "<header>", "<nav", "<main"].map((part) => text.indexOf(part));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  test.each([
    ["AUTO", "light dark", ["a", "b"]],
    ["LIGHT", "light", ["a"]],
    ["DARK", "dark", ["b"]],
  ] as const)("of the mode %s has the logo of that look", (themeMode, scheme, logos) => {
    const text = documentWith(brandOf({ ...violet, themeMode }));
    expect(text).toContain(`<meta name="color-scheme" content="${scheme}">`);
    const shown = all(text, /images\/[ab]{64}/g).map((path) => path.at(-1));
    expect(shown.sort()).toEqual([...logos]);
  });

  test.each([
    ["light", { light: violet.images.logo.light! }, "a"],
    ["dark", { dark: violet.images.logo.dark! }, "b"],
  ])("with a %s logo alone has it in both looks", (_, logo, digit) => {
    const text = documentWith(brandOf({ ...violet, images: { logo, icon: {} } }));
    expect(all(text, /<source/g)).toEqual([]);
    expect(text).toContain(`src="../images/${digit.repeat(64)}.`);
    expect(text).toContain('<link rel="icon" type="image/svg+xml" href="../assets/v/icon.svg">');
  });

  test("has the links of the privacy policy, and none that is not set", () => {
    const found = all(documentWith(brandOf(violet)), /<li><a href="[^"]*">[^<]*<\/a>/g);
    expect(found).toEqual([
      '<li><a href="https://acme.example.com/terms?a=1&amp;b=2">Terms</a>',
      '<li><a href="https://acme.example.com/privacy">Privacy</a>',
      '<li><a href="https://acme.example.com/help">Help</a>',
      '<li><a href="https://acme.example.com/docs">Documentation</a>',
      '<li><a href="https://status.acme.example.com/">Status</a>',
      '<li><a href="mailto:help@acme.example.com">Contact support</a>',
    ]);
    const nothing = brandOf(violet, { privacy: privacy.defaults });
    expect(documentWith(nothing)).not.toContain('class="links"');
    const unnamed = brandOf(violet, { privacy: { ...links, customLinkText: "" } });
    expect(documentWith(unnamed)).toContain(">status.acme.example.com</a>");
  });

  test("has an address for questions in which nothing else begins", () => {
    const given = { ...links, supportEmail: "a?subject=b&c#d@example.com" };
    const text = documentWith(brandOf(violet, { privacy: given }));
    expect(text).toContain('"mailto:a%3Fsubject%3Db%26c%23d@example.com"');
  });

  test("escapes what others chose", () => {
    const hostile = `"><script>alert(1)</script>`;
    const given = { ...links, customLinkText: hostile, supportEmail: `${hostile}@example.com` };
    const text = documentWith(brandOf(violet, { name: hostile, privacy: given }), "en", hostile);
    expect(text).not.toContain("<script>");
    expect(text).toContain('alt="&quot;&gt;&lt;script&gt;');
  });

  test("of the default looks as all pages do", () => {
    const plain = { ...placeIn("en"), query: "" };
    const brand = { ...brandOf(label.defaults), name: "", privacy: privacy.defaults };
    expect(documentOf(emptyPage("x"), { ...plain, ...shownOf(brand) })).toBe(
      documentOf(emptyPage("x"), plain),
    );
  });

  test("is no larger than 30 KB, whatever page it is", () => {
    const query = new URLSearchParams({ userID: "x".repeat(36), code: "x".repeat(32) }).toString();
    for (const language of languages) {
      for (const page of pagesWith("Donaudampfschifffahrt").values()) {
        const brand = shownOf(brandOf(violet as LabelPolicy));
        const text = documentOf(page, { ...placeIn(language), ...brand, query });
        expect(Buffer.byteLength(text)).toBeLessThan(30 * 1024);
      }
    }
  });
});

describe("the choice of a language", () => {
  test.each(languages)("is on the page in %s, each in its own words", (language) => {
    const text = documentWith(brandOf(violet), language, "a=1&b=2");
    const [form = ""] = /<form class="languages".*?<\/form>/s.exec(text) ?? [];
    expect(form).toContain(`aria-label="${texts[language].languages}"`);
    expect(form).toContain('<input type="hidden" name="query" value="a=1&amp;b=2">');
    const buttons = all(form, /<button [^>]*>/g);
    expect(buttons.map((button) => /lang="([a-z]{2})"/.exec(button)?.[1])).toEqual([...languages]);
    const current = buttons.filter((button) => button.includes('aria-current="true"'));
    expect(current).toEqual([expect.stringContaining(`value="${language}"`)]);
  });

  test("is not where the page answers a form, which would be lost", () => {
    const text = documentOf(emptyPage("x"), { ...placeIn("en"), ...shownOf(brandOf(violet)) });
    expect(text).not.toContain('name="language"');
  });
});
