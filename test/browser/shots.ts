import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** Where pictures of all pages go; undefined where nobody wants any. */
const directory = process.env.IAM_TEST_SHOTS;

/** Whether somebody wants pictures: what takes them runs for nobody else. */
export const wantsShots = directory !== undefined;

/** How each page is pictured: its size in CSS pixels and its colours. */
export const shotLooks = [
  { look: "light", viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { look: "dark", viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
  { look: "360", viewport: { width: 360, height: 740 }, colorScheme: "light" },
] as const;

/** Has the page look so, and answers what keeps a picture of a whole page that is open there. */
export async function photographer(
  page: Page,
  { look, viewport, colorScheme }: (typeof shotLooks)[number],
): Promise<(language: string, name: string) => Promise<void>> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
  return async (language, name) => {
    const folder = join(directory ?? "", language);
    await mkdir(folder, { recursive: true });
    const path = join(folder, `${name.replaceAll(/[^a-z0-9]+/gi, "-")}-${look}.png`);
    await page.screenshot({ path, fullPage: true });
  };
}
