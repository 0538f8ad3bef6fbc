import { relative } from "node:path";

/** What Jest tells of a test file. */
interface File {
  readonly path: string;
}

/** A reporter of Jest that names the files under way when the run is told to end. */
// biome-ignore lint/style/noDefaultExport: Jest takes a reporter in no other way.
export default class UnderWay {
  readonly #paths = new Set<string>();

  constructor() {
    process.once("SIGTERM", () => {
      const names = [...this.#paths].map((path) => relative(process.cwd(), path));
      process.stderr.write(`Under way were: ${names.join(", ")}\n`);
      process.exit(1);
    });
  }

  onTestFileStart({ path }: File): void {
    this.#paths.add(path);
  }

  onTestFileResult({ path }: File): void {
    this.#paths.delete(path);
  }
}
