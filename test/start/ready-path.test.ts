import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";
import { isFull } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { start } from "./command.ts";

/** Anybody may read `/readyz`: whatever fails, it names no path of the machine. */

type Put = (path: string) => Promise<unknown>;

/** What may lie where a file should be. */
const placements: { readonly [what: string]: Put } = {
  "a directory": (path) => mkdir(path),
  "a link to itself": (path) => symlink(path, path),
  "a link to nowhere": (path) => symlink("/nowhere/at/all", path),
  nothing: async () => {},
  "another file": (path) => writeFile(path, "something else\n"),
};
const chosen = isFull ? Object.keys(placements) : ["a directory"];

/** The head is written at each start, and on another file that is refused. */
const heads = ["iam.head", "anchor"];
const rows = chosen.flatMap((what) => [
  ...["iam.db", "iam.db-wal", "master.key"].map((name) => [what, name] as const),
  ...(what === "another file" ? [] : heads.map((name) => [what, name] as const)),
]);

/** All that `/readyz` says. */
async function readyOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/readyz`);
  return `${JSON.stringify([...answer.headers])} ${await answer.text()}`;
}

test.each(rows)("%s as %s", async (what, name) => {
  await inDirectory(async (data) => {
    const path = join(data, name);
    const place = async () => {
      await rm(path, { force: true });
      await placements[what]?.(path);
    };
    const anchor = pathToFileURL(join(data, "anchor")).href;
    const flags = [`--data-dir=${data}`, "--port=0", `--anchor-url=${anchor}`];
    if (heads.includes(name)) {
      await (await start(flags)).close();
      await place();
    }
    const service = await start(flags);
    try {
      if (!heads.includes(name)) await place();
      const said = await readyOf(service.url);
      expect(said).not.toMatch(/iam-test-|nowhere/);
      const isMended = heads.includes(name) && !/directory|itself/.test(what);
      expect(said.includes('"warnings":[]')).toBe(isMended);
    } finally {
      await service.close();
    }
  });
});

few().each<readonly [string, Put]>([
  ["a directory", mkdir],
  ["a link", (path) => symlink("elsewhere", path)],
])("%s where the data directory was", async (_, put) => {
  await inDirectory(async (directory) => {
    const data = join(directory, "data");
    const service = await start([`--data-dir=${data}`, "--port=0"]);
    try {
      await rename(data, join(directory, "elsewhere"));
      expect(await readyOf(service.url)).not.toMatch(/iam-test-|elsewhere/);
      await put(data);
      expect(await readyOf(service.url)).not.toMatch(/iam-test-|elsewhere/);
    } finally {
      await service.close();
    }
  });
});
