import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";
import { inDirectory } from "../harness/process.ts";
import { start } from "./command.ts";

/** What may lie where a file of the service should be. */
const placements: readonly (readonly [what: string, put: (path: string) => Promise<unknown>])[] = [
  ["a directory", (path) => mkdir(path)],
  ["a link to nowhere", (path) => symlink("/nowhere/at/all", path)],
  ["a link to itself", (path) => symlink(path, path)],
  ["a file that is none", (path) => writeFile(path, "something else\n")],
  ["nothing", async () => {}],
];

const files = ["iam.db", "iam.db-wal", "iam.head", "master.key", "anchor"];

/** All that `/readyz` says, which anybody may read, in whatever words. */
async function readyOf(url: string): Promise<string> {
  const answer = await fetch(`${url}/readyz`);
  return `${JSON.stringify([...answer.headers])} ${await answer.text()}`;
}

const isWarned = (said: string) => !said.includes('"warnings":[]');

test.each(files)("no path of the machine is in /readyz, whatever lies as %s", async (name) => {
  await inDirectory(async (directory) => {
    for (const [what, put] of placements) {
      const data = join(directory, what.replaceAll(" ", "-"));
      const anchor = pathToFileURL(join(data, "anchor")).href;
      const flags = [`--data-dir=${data}`, "--port=0", `--anchor-url=${anchor}`];
      const before = await start(flags);
      await before.close();
      // The heads are written at the start, the others are looked at when somebody asks.
      const isHead = name === "iam.head" || name === "anchor";
      const path = join(data, name);
      const place = async () => {
        await rm(path, { force: true });
        await put(path);
      };
      if (isHead) await place();
      const service = await start(flags);
      try {
        if (!isHead) await place();
        const said = await readyOf(service.url);
        expect(said).not.toMatch(/iam-test-|nowhere/);
        const isMended = isHead && what !== "a directory" && what !== "a link to itself";
        expect([what, isWarned(said)]).toEqual([what, !isMended]);
      } finally {
        await service.close();
      }
    }
  });
});

test("nor whatever becomes of the data directory", async () => {
  await inDirectory(async (directory) => {
    const data = join(directory, "data");
    const service = await start([`--data-dir=${data}`, "--port=0"]);
    try {
      await rename(data, join(directory, "elsewhere"));
      for (const put of [mkdir, (path: string) => symlink("elsewhere", path)]) {
        await rm(data, { recursive: true, force: true });
        await put(data);
        expect(await readyOf(service.url)).not.toMatch(/iam-test-|elsewhere/);
      }
    } finally {
      await service.close();
    }
  });
});
