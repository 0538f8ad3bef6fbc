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

/** How often something must be found, one look after another, to be a barrier. */
const looksMax = 5;

/** Script that waits until size and scroll position of the page stay the same for ten frames. */
const untilSteady = `new Promise((steady) => {
  const layout = () => String([innerWidth, innerHeight, scrollX, scrollY,
    document.documentElement.scrollWidth, document.documentElement.scrollHeight]);
  let last = layout();
  let frames = 0;
  const look = () => {
    const now = layout();
    frames = now === last ? frames + 1 : 0;
    last = now;
    if (frames === 10) steady();
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/** Script that scrolls to the end of the page; whether that is elsewhere. */
const toEnd = `(() => {
  const before = scrollY;
  scrollTo(0, document.documentElement.scrollHeight);
  return scrollY !== before;
})()`;

/**
 * What keeps people out of the page as it is now, and at the end of a page that is longer than the
 * window; also what axe cannot decide, in words. What stays in sight may cover what it passes, so
 * the end is looked at, too. Colours must not be on their way to others, so the page is to be asked
 * for reduced motion. A busy browser still lays out the page, or scrolls to the field with the
 * focus, after it said that it has another size; so what is found counts if it stays.
 */
export async function barriersOf(
  page: Page,
  rules: "everything" | "looks" = "everything",
): Promise<readonly string[]> {
  // The browser's own door: what the page may run does not limit it.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(source);
  const here = await lastingIn(page, rules === "looks" ? looks : everything);
  if (here.length > 0 || !(await page.evaluate(toEnd))) return here;
  const there = await lastingIn(page, looks);
  return there.map((barrier) => `at the end of the page: ${barrier}`);
}

async function lastingIn(page: Page, runOnly: readonly string[]): Promise<readonly string[]> {
  for (let look = 1; ; look += 1) {
    const found = await findIn(page, runOnly);
    if (found.length === 0 || look === looksMax) return found;
    await page.evaluate(untilSteady);
  }
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
