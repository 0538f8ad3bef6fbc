import { expect } from "@jest/globals";
import type { Locator, Page } from "playwright-core";

/** The most stops of one page: past them the keyboard does not get there. */
const stopsMax = 80;

/** Somebody who has no mouse: all that is done with a page is done by keys. */
export interface Keyboard {
  /** Writes into the fields with these labels, in place of what stands there. */
  write(fields: { readonly [label: string]: string }): Promise<void>;
  /** Presses the button with that name. */
  press(name: string): Promise<void>;
  /** Follows the link with that name; left out, the only one. */
  follow(name?: string): Promise<void>;
}

export function keyboardOf(page: Page): Keyboard {
  /** Goes from stop to stop until the keyboard is at what is wanted, and seen to be there. */
  async function go(wanted: Locator): Promise<void> {
    await wanted.waitFor();
    const there = wanted.and(page.locator(":focus"));
    for (let stops = 0; (await there.count()) === 0; stops += 1) {
      expect(stops).toBeLessThan(stopsMax);
      await page.keyboard.press("Tab");
    }
    const outline = "getComputedStyle(document.activeElement).outlineStyle";
    expect(await page.evaluate(outline)).not.toBe("none");
  }

  return {
    async write(fields) {
      for (const [label, text] of Object.entries(fields)) {
        await go(page.getByLabel(label, { exact: true }));
        await page.keyboard.press("Control+A");
        await page.keyboard.type(text);
      }
    },
    async press(name) {
      await go(page.getByRole("button", { name, exact: true }));
      await page.keyboard.press("Enter");
    },
    async follow(name) {
      await go(page.getByRole("link", name === undefined ? {} : { name, exact: true }));
      await page.keyboard.press("Enter");
    },
  };
}
