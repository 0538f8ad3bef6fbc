import { describe, test } from "@jest/globals";
import { isFull, shortened } from "./extent.ts";

/** Runs nothing: neither a test nor those of a table. */
const none = Object.assign(() => {}, { each: () => () => {} });

/** A test that is left out of the short form, where others fail by the same mistake. */
export const inFull = isFull ? test : (none as unknown as typeof test);

/** Tests that are left out of the short form. */
export const describeInFull = isFull ? describe : (none as unknown as typeof describe);

/** A table of tests that is `shortened`; its rows keep the types that `test.each` finds. */
export function few(count = 1): Pick<typeof test, "each"> {
  return {
    each: ((rows: readonly unknown[]) =>
      test.each(shortened(rows, count))) as unknown as typeof test.each,
  };
}

/** A table of tests, several for each row, that is `shortened`. */
export function describeFew(count = 1): Pick<typeof describe, "each"> {
  const each = (rows: readonly unknown[]) => describe.each(shortened(rows, count));
  return { each: each as unknown as typeof describe.each };
}
