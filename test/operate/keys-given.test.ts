import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { inDirectory } from "../harness/process.ts";
import { run, start } from "../start/command.ts";

test("keys are not rotated in a file that a setting takes the place of", () =>
  inDirectory(async (data) => {
    const flag = `--data-dir=${data}`;
    await (await start([flag, "--port=0"])).close();
    const before = await readFile(join(data, "master.key"), "utf8");
    const environment = { IAM_MASTER_KEY: before.trim() };
    const { code, stderr } = await run(["keys", "rotate", flag], environment);
    expect([code, stderr]).toEqual([1, expect.stringContaining("in IAM_MASTER_KEY: rotate")]);
    expect(await readFile(join(data, "master.key"), "utf8")).toBe(before);
  }));
