import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { inDirectory } from "../harness/process.ts";
import { run, start } from "../start/command.ts";

test.each([[["version"]], [["--version"]], [["verify", "--version"]]])(
  "%j says which program this is, and which logs it reads",
  async (args) => {
    const { code, stdout, stderr } = await run(args, { IAM_PORT: "no port" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const manifest = JSON.parse(await readFile("package.json", "utf8"));
    expect(stdout.split("\n")).toEqual([
      `iam ${manifest.version}`,
      expect.stringMatching(/^schema \d+, upgrades files of 11 to \d+ and refuses others/),
      expect.stringMatching(/^projection \d+, /),
      "export iam log 1",
      `Node ${process.versions.node}`,
      "",
    ]);
  },
);

test("what it says is what a file of its own has", async () => {
  await inDirectory(async (dataDir) => {
    await (await start([`--data-dir=${dataDir}`, "--port=0"])).close();
    const db = new Database(join(dataDir, "iam.db"), { readonly: true });
    const schema = db.pragma("user_version", { simple: true });
    const revision = db.prepare("SELECT revision FROM projection").pluck().get();
    db.close();
    const { stdout } = await run(["version"]);
    expect(stdout).toContain(`\nschema ${schema}, upgrades files of 11 to ${Number(schema) - 1} `);
    expect(stdout).toContain(`\nprojection ${revision}, `);
  });
});
