import { readFile } from "node:fs/promises";

/** The name and the version of this program. */
export async function readVersion(): Promise<{ readonly name: string; readonly version: string }> {
  const manifest = new URL("../../package.json", import.meta.url);
  return JSON.parse(await readFile(manifest, "utf8"));
}
