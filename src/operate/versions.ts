import { projector } from "../log/projector.ts";
import { readVersion } from "../start/version.ts";
import { form } from "../store/chain/line.ts";
import { floor, schema } from "../store/sqlite/schema.ts";

/** What this program is, which files it reads, and on what it runs, as lines. */
export async function versions(): Promise<string> {
  const { name, version } = await readVersion();
  const { revision } = projector;
  return [
    `${name} ${version}`,
    `schema ${schema}, upgrades files of ${floor} to ${schema - 1} and refuses others`,
    `projection ${revision}, rebuilds rows of lower ones and refuses those of higher ones`,
    `export ${form}`,
    `Node ${process.versions.node}`,
  ].join("\n");
}
