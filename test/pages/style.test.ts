import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";

/** Properties and values that stay where they are when a page runs from right to left. */
const physical = /(?<![\w-])(?:[a-z]+-)*(?:left|right)(?:-[a-z]+)?(?=\s*[:;}])/g;

/** Shorthands of four values whose second, on the right, is not the fourth, on the left. */
function uneven(css: string): readonly string[] {
  const shorthands = css.matchAll(/(?<![\w-])(?:margin|padding|inset)\s*:\s*([^;"}]+)/g);
  return [...shorthands].flatMap(([whole, values = ""]) => {
    const [, right, , left] = values.trim().split(/\s+/);
    return left === undefined || left === right ? [] : [whole];
  });
}

const found = (css: string) => [...(css.match(physical) ?? []), ...uneven(css)];

test.each(["src/pages/assets/style.css", "src/notify/message/mail-html.ts"])(
  "%s names no side of a page, which languages read from either",
  (path) => {
    const text = readFileSync(path, "utf8");
    expect(text).toMatch(/margin|padding/);
    expect(found(text)).toEqual([]);
  },
);

test.each([
  "margin-left: 1rem",
  "padding-right:0;",
  "border-left: 4px solid",
  "border-left-width: 1px;",
  "left: 0;",
  "inset: 0 1px 0 0;",
  "text-align: right;",
  "float: left}",
  "margin: 0 1rem 0 0",
])("%j would stay where it is", (css) => {
  expect(found(css)).toHaveLength(1);
});

test.each(["padding-inline-start: 1rem;", "margin: 0 1rem 2rem 1rem;", "color: var(--right);"])(
  "%j runs along with the text",
  (css) => {
    expect(found(css)).toEqual([]);
  },
);
