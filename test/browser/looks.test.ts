import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Browser, Page } from "playwright-core";
import { readAssets } from "../../src/pages/assets.ts";
import { onwardScript } from "../../src/pages/html/onward.ts";
import { languages } from "../../src/text/language.ts";
import { shortened } from "../harness/extent.ts";
import { documentIn, pagesWith } from "../pages/pages.ts";
import { barriersOf } from "./axe.ts";
import { describeInChromium, launchChromium, newProfile } from "./chromium.ts";
import { type File, type FileServer, serveFiles } from "./files.ts";
import { photographer, shotLooks, wantsShots } from "./shots.ts";

/** Whatever is shown of a person has no place where a line could break. */
const pages = pagesWith("Donaudampfschifffahrtsgesellschaft".repeat(5));

/** The same as people see them, for those who look at pictures of them. */
const pictured = pagesWith("Ada Lovelace");

/** The narrowest screen that has to do (WCAG 2.2, 1.4.10), and a wide one, in CSS pixels. */
const phone = { width: 320, height: 640 };
const desktop = { width: 1280, height: 800 };

/** The first look is examined in full, the others for what can be different in them. */
const looks = shortened(
  [
    { viewport: phone, colorScheme: "light", rules: "everything" },
    { viewport: phone, colorScheme: "dark", rules: "looks" },
    { viewport: desktop, colorScheme: "dark", rules: "looks" },
    { viewport: desktop, colorScheme: "light", rules: "looks" },
  ] as const,
  2,
);

describeInChromium("a page", () => {
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

  const at = (path: string) => `http://127.0.0.1:${files.port}${path}`;

  test.each(shortened([...pages.keys()], 3))(
    "%s is for everybody, light or dark, small or large",
    async (name) => {
      await page.goto(at(pathOf("en", name)));
      for (const { viewport, colorScheme, rules } of looks) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        expect(await barriersOf(page, rules)).toEqual([]);
        expect(Math.min(...(await gapsBelowFields(page)))).toBeGreaterThan(outlineMax);
      }
    },
  );

  test.each(shortened(["ar", "ja"]))("in %s is for everybody, too", async (language) => {
    for (const name of shortened(["login", "wrong code", "sessions", "names", "activity"])) {
      await page.goto(at(pathOf(language, name)));
      await page.setViewportSize(phone);
      expect(await barriersOf(page, "everything")).toEqual([]);
    }
  });

  test("in Arabic runs from right to left, but for what is read sign by sign", async () => {
    const directionIn = async (name: string, selector: string) => {
      await page.goto(at(pathOf("ar", name)));
      const found = await page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(selector)})]
          .map((one) => getComputedStyle(one).direction)`,
      );
      return new Set(found as readonly string[]);
    };
    expect(await directionIn("wrong code", "html, main :is(h1, p, label, button)")).toEqual(
      new Set(["rtl"]),
    );
    for (const [name, selector] of [
      ["wrong code", ".code"],
      ["recovery codes", "code"],
      ["own phone that waits", "bdi[dir], #phone"],
      ["own e-mail", "#email"],
      ["login with a name", "#username"],
    ] as const)
      expect([name, await directionIn(name, selector)]).toEqual([name, new Set(["ltr"])]);
  });

  test.each(shortened(languages))("in %s fits the smallest screen", async (language) => {
    const paths = [...pages.keys()].map((name) => pathOf(language, name));
    await page.goto(at("/"));
    const given = JSON.stringify(paths.map((src) => ({ ...phone, src })));
    const widths = await page.evaluate(`Promise.all(${given}.map(({ src, ...size }) => {
      const screen = Object.assign(document.createElement("iframe"), size, { src });
      document.body.append(screen);
      return new Promise((resolve) => {
        screen.onload = () => resolve([src, screen.contentDocument.documentElement.scrollWidth]);
      });
    }))`);
    expect(widths).toEqual(paths.map((path) => [path, phone.width]));
  });

  if (wantsShots) {
    const all = languages.flatMap((language) => shotLooks.map((look) => ({ language, ...look })));
    test.each(all)("in $language, $look, is pictured", async ({ language, ...look }) => {
      const shoot = await photographer(page, look);
      for (const name of pictured.keys()) {
        await page.goto(at(`/pictured${pathOf(language, name)}`));
        await shoot(language, name);
      }
    });
  }
});

/** Pixels of the outline of a field with the focus, 3 and 2 from the field, and some room. */
const outlineMax = 10;

/** Pixels between each field and the button below it; none where there is no such pair. */
function gapsBelowFields(page: Page): Promise<readonly number[]> {
  return page.$$eval("input:not([type=hidden]) + button[type=submit], .field + button", (buttons) =>
    buttons.map((button) => {
      const before = button.previousElementSibling;
      const field = before?.querySelector("input") ?? before;
      const { bottom = 0 } = field?.getBoundingClientRect() ?? {};
      return button.getBoundingClientRect().top - bottom;
    }),
  );
}

/** Every page in every language, and what they are made with, by their paths. */
async function siteOf() {
  const files = new Map<string, File>([["/", { contentType: "text/html", body: "" }]]);
  for (const [name, { bytes: body }] of Object.entries(await readAssets())) {
    const contentType = name.endsWith(".css") ? "text/css" : "text/javascript";
    files.set(`/assets/v/${name}`, { contentType, body });
  }
  const folders = [
    { folder: "", shown: pages, base: "../" },
    { folder: "/pictured", shown: pictured, base: "../../" },
  ];
  for (const language of languages) {
    for (const { folder, shown, base } of folders) {
      for (const [name, page] of shown) {
        // What goes on by itself would be gone before anybody has looked.
        const body = documentIn(language, page, base).replace(onwardScript, "");
        files.set(folder + pathOf(language, name), { contentType: "text/html", body });
      }
    }
  }
  return async (path: string) => files.get(path);
}

function pathOf(language: string, name: string): string {
  return `/${language}/${encodeURIComponent(name)}`;
}
