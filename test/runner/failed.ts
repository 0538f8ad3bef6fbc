import { relative } from "node:path";

/** What Jest tells of a run when it is over. */
interface Results {
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly numFailingTests: number;
    readonly testExecError?: unknown;
  }[];
}

/** A reporter of Jest that sends test/run.ts, which started it, the files that fail. */
// biome-ignore lint/style/noDefaultExport: Jest takes a reporter in no other way.
export default class Failed {
  onRunComplete(_contexts: unknown, { testResults }: Results): void {
    const failed = testResults.filter(
      ({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError !== undefined,
    );
    process.send?.(failed.map(({ testFilePath }) => relative(process.cwd(), testFilePath)));
  }
}
