import { chmod, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { expect, test } from "@jest/globals";
import { inDirectory } from "../harness/process.ts";
import { findChromium } from "./find.ts";

test("a browser is looked for in the path, and only where CHROMIUM names none", async () => {
  await inDirectory(async (directory) => {
    const PATH = ["/nowhere", "", directory].join(delimiter);
    const installed = join(directory, "chromium-browser");
    expect(findChromium({ PATH })).toBeUndefined();
    await writeFile(installed, "");
    expect(findChromium({ PATH, CHROMIUM: "" })).toBeUndefined();
    await chmod(installed, 0o755);
    expect(findChromium({ PATH, CHROMIUM: "" })).toBe(installed);
    expect(findChromium({ PATH: "", CHROMIUM: installed })).toBe(installed);
    expect(findChromium({})).toBeUndefined();

    const CHROMIUM = join(directory, "missing");
    expect(() => findChromium({ PATH, CHROMIUM })).toThrow(`CHROMIUM names ${CHROMIUM}`);
  });
});
