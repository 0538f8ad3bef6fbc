import { relative } from "node:path";
import { findChromium } from "./find.ts";

/** What Jest tells of a run when it is over. */
interface Results {
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly numPendingTests: number;
  }[];
}

/** A reporter of Jest that says at the end of a run which tests had no browser to run in. */
// biome-ignore lint/style/noDefaultExport: Jest takes a reporter in no other way.
export default class MissingBrowser {
  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    const files = testResults
      .filter(({ numPendingTests }) => numPendingTests > 0)
      .map(({ testFilePath }) => relative(`${import.meta.dirname}/../..`, testFilePath))
      .filter((file) => file.startsWith("test/browser/"))
      .sort();
    if (files.length === 0 || findChromium() !== undefined) return;
    process.stderr.write(`
==================== NOT TESTED IN A BROWSER ====================
There is no Chromium on this machine, so these tests were skipped:

${files.map((file) => `  ${file}\n`).join("")}
Install it (apt-get install chromium) or name one in CHROMIUM.
=================================================================
`);
  }
}
