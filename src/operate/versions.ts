import { readFile } from "node:fs/promises";
import { projector } from "../log/projector.ts";
import { form } from "../store/chain/line.ts";
import { floor, schema } from "../store/sqlite/schema.ts";

/** What this program is, which files it reads, and on what it runs, as lines. */
export async function versions(): Promise<string> {
  const manifest = new URL("../../package.json", import.meta.url);
  const { name, version } = JSON.parse(await readFile(manifest, "utf8"));
  const { revision } = projector;
  return [
    `${name} ${version}`,
    `schema ${schema}, upgrades files of ${floor} to ${schema - 1} and refuses others`,
    `projection ${revision}, rebuilds rows of lower ones and refuses those of higher ones`,
    `export ${form}`,
    `Node ${process.versions.node}`,
  ].join("\n");
}
