import { readFile } from "node:fs/promises";
import { form } from "../store/chain/line.ts";
import { floor, schema } from "../store/sqlite/schema.ts";
import { projector } from "./projector.ts";

/** What this program is, which files it reads, and on what it runs, as lines. */
export async function versions(): Promise<string> {
  const manifest = new URL("../../package.json", import.meta.url);
  const { name, version } = JSON.parse(await readFile(manifest, "utf8"));
  const { revision } = projector;
  return [
    `${name} ${version}`,
    `schema ${schema}, brings files of ${floor} to ${schema - 1} up to date and refuses others`,
    `projection ${revision}, rebuilds what a lower one made and refuses what a higher one did`,
    `export ${form}`,
    `Node ${process.versions.node}`,
  ].join("\n");
}
