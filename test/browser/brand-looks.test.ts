import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import type { LabelPolicy } from "../../src/domain/policy/label.ts";
import { mailHtml } from "../../src/notify/message/mail-html.ts";
import { readAssets } from "../../src/pages/assets.ts";
import { shownOf, styleOf } from "../../src/pages/brand-style.ts";
import { onwardScript } from "../../src/pages/html/onward.ts";
import { documentOf } from "../../src/pages/html/page.ts";
import { languages } from "../../src/text/language.ts";
import { shortened } from "../harness/extent.ts";
import { brandOf, faint, violet } from "../pages/brands.ts";
import { pagesWith, placeIn } from "../pages/pages.ts";
import { barriersOf } from "./axe.ts";
import { describeInChromium, launchChromium, newProfile } from "./chromium.ts";
import { type File, type FileServer, serveFiles } from "./files.ts";

const pages = pagesWith("Donaudampfschifffahrtsgesellschaft".repeat(5));
const brands: readonly (readonly [string, LabelPolicy])[] = [
  ["violet", violet],
  ["faint", faint],
  ["light", { ...violet, themeMode: "LIGHT" }],
  ["dark", { ...violet, themeMode: "DARK" }],
];
const looks = [
  { viewport: { width: 320, height: 640 }, colorScheme: "light" },
  { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
] as const;

/** Where an element is, in CSS pixels. */
type Box = Readonly<Record<"top" | "bottom" | "left" | "right" | "width", number>>;

/** One of 1 by 1 pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

describeInChromium("what has a brand", () => {
  let files: FileServer;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    files = await serveFiles(await siteOf());
    browser = await launchChromium();
    page = await (await newProfile(browser)).newPage();
  });
  afterAll(async () => {
    await browser?.close();
    await files?.close();
  });

  /** Looks at a document in both looks; nothing is wrong, and nothing too wide. */
  async function look(path: string): Promise<void> {
    await page.goto(`http://127.0.0.1:${files.port}${path}`);
    for (const { viewport, colorScheme } of looks) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect(await barriersOf(page, "looks")).toEqual([]);
      const width = await page.evaluate("document.documentElement.scrollWidth");
      expect(width).toBe(viewport.width);
    }
  }

  const seen = brands.flatMap(([brand]) => [...pages.keys()].map((name) => [name, brand] as const));
  test.each(shortened(seen, 4))("the page %s of the brand %s is for everybody", (name, brand) =>
    look(pathOf(brand, name)),
  );

  test("the logo is above the list of an account page, which is beside the content", async () => {
    await page.setViewportSize(looks[1].viewport);
    await page.goto(`http://127.0.0.1:${files.port}${pathOf("violet", "own account")}`);
    const of = (name: string) =>
      `document.querySelector("${name}").getBoundingClientRect().toJSON()`;
    const boxes = await page.evaluate(`[${["header", "nav", "main"].map(of)}]`);
    const [logo, list, content] = boxes as [Box, Box, Box];
    expect(list.top).toBeGreaterThanOrEqual(logo.bottom);
    expect(content.top).toBe(list.top);
    expect(content.left).toBeGreaterThanOrEqual(list.right);
    expect(content.width).toBeGreaterThan(list.width);
  });

  const read = brands.flatMap(([brand]) => languages.map((language) => [brand, language] as const));
  test.each(shortened(read, 2))(
    "the mail of the brand %s in %s is for everybody",
    (brand, language) => look(pathOf(brand, `mail ${language}`)),
  );

  test("the ground and the letters are those of the policy", async () => {
    for (const [brand, scheme, ground] of [
      ["violet", "light", "rgb(255, 251, 235)"],
      ["violet", "dark", "rgb(30, 16, 51)"],
      ["light", "dark", "rgb(255, 251, 235)"],
      ["dark", "light", "rgb(30, 16, 51)"],
    ] as const) {
      for (const name of ["login", "mail en"]) {
        await page.goto(`http://127.0.0.1:${files.port}${pathOf(brand, name)}`);
        await page.emulateMedia({ colorScheme: scheme });
        const found = await page.evaluate("getComputedStyle(document.body).backgroundColor");
        expect([brand, name, scheme, found]).toEqual([brand, name, scheme, ground]);
      }
    }
  });
});

async function siteOf() {
  const files = new Map<string, File>();
  for (const [name, { contentType, bytes: body }] of Object.entries(await readAssets())) {
    files.set(`/assets/v/${name}`, { contentType, body });
  }
  for (const [name, label] of brands) {
    const brand = brandOf(label, { owner: name });
    const style = styleOf(brand);
    files.set(`/${style?.path}`, { contentType: "text/css", body: style?.text ?? "" });
    for (const [title, page] of pages) {
      const place = { ...placeIn("en", "../../"), ...shownOf(brand), query: "" };
      const body = documentOf(page, place).replace(onwardScript, "");
      files.set(pathOf(name, title), { contentType: "text/html", body });
    }
    for (const language of languages) {
      const body = mailIn(language, label).replace("cid:logo", `/${"a".repeat(64)}.png`);
      files.set(pathOf(name, `mail ${language}`), { contentType: "text/html", body });
    }
  }
  const image: File = { contentType: "image/png", body: png };
  return async (path: string) => (/\.(?:png|jpg|webp)$/.test(path) ? image : files.get(path));
}

function mailIn(language: (typeof languages)[number], label: LabelPolicy): string {
  const link = `https://iam.example.com/ui/initialize?${"x".repeat(100)}`;
  return mailHtml({
    ...{ language, link, subject: "Set up your account", label: "Set up your account" },
    text: `Hello Ada Lovelace,\n\nan account was created for you.\n\n${link}\n\nYour code is ABC234.\n`,
    ...{ why: "You received this email because your address was given.", organization: "ACME" },
    links: [{ href: "https://acme.example.com/terms", text: "Terms" }],
    brand: {
      label: { ...label, isDefault: false },
      privacy: brandOf(label).privacy,
      logo: { id: "logo", type: "image/png", bytes: png },
    },
  });
}

function pathOf(brand: string, name: string): string {
  return `/pages/${brand}/${encodeURIComponent(name)}`;
}
