import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";

interface Found {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

const axe = join(import.meta.dirname, "../../node_modules/axe-core/axe.min.js");
const source = await readFile(axe, "utf8");

/** What has to hold: WCAG 2.2 on level AA, and what axe recommends besides. */
const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The rules of these that depend on colours and sizes. */
const looks = ["color-contrast", "link-in-text-block", "target-size"];

/**
 * What keeps people out of the page as it is now, and what axe cannot decide; in words. Colours
 * must not be on their way to others, so the page is to be asked for reduced motion. What is in the
 * way is looked for again behind the next frame: a busy browser may not have laid out the page yet.
 */
export async function barriersOf(
  page: Page,
  rules: "everything" | "looks" = "everything",
): Promise<readonly string[]> {
  // The browser's own door: what the page may run does not limit it.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source);
  const runOnly = rules === "looks" ? looks : everything;
  const found = await findIn(page, runOnly);
  if (found.length === 0) return found;
  await page.evaluate("new Promise((seen) => requestAnimationFrame(() => setTimeout(seen)))");
  return await findIn(page, runOnly);
}

async function findIn(page: Page, runOnly: readonly string[]): Promise<readonly string[]> {
  const { violations, incomplete } = await page.evaluate<{
    readonly violations: readonly Found[];
    readonly incomplete: readonly Found[];
  }>(`axe.run(document, ${JSON.stringify({ runOnly })})`);
  return [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = "" }) => `${id}: ${html} ${failureSummary}`),
  );
}
