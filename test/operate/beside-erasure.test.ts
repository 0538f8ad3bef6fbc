import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "@jest/globals";
import { few } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { importPeople, startIn } from "../log/erased.ts";
import { environment } from "../log/forgeries.ts";
import { run } from "../start/command.ts";

// What is copied while people are erased is a whole log: of each, all or nothing.

few().each([
  ["export", (directory: string) => ["export", join(directory, "log.ndjson")]],
  ["copy", (directory: string) => ["copy", "--to", join(directory, "copied")]],
  ["backup", (directory: string) => ["backup", join(directory, "backup.db")]],
] as const)("%s beside erasures makes a whole log", async (name, args) => {
  await inDirectory(async (directory) => {
    const data = join(directory, "data");
    const service = await startIn(data);
    const people = await importPeople(service, 60);
    let isMade = false;
    const made = run([...args(directory), `--data-dir=${data}`], environment).finally(() => {
      isMade = true;
    });
    let erased = 0;
    for (const id of people) {
      if (isMade) break;
      const { status } = await service.call(`/management/v1/users/${id}/_erase`, {});
      expect(status).toBe(200);
      erased += 1;
    }
    expect(await made).toMatchObject({ code: 0 });
    expect(erased).toBeGreaterThan(0);
    await service.close();
    const other = join(directory, name === "copy" ? "copied" : "other");
    if (name === "export") {
      await mkdir(other, { mode: 0o700 });
      const file = join(directory, "log.ndjson");
      const imported = await run(["import", file, `--data-dir=${other}`], environment);
      expect(imported).toMatchObject({ code: 0 });
    }
    if (name === "backup") {
      const file = join(directory, "backup.db");
      expect(await run(["restore", file, `--data-dir=${other}`], environment)).toMatchObject({
        code: 0,
      });
    }
    const verified = await run(["verify", `--data-dir=${other}`], environment);
    expect(verified).toMatchObject({ code: 0 });
  });
});
