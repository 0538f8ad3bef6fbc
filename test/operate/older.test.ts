import { join } from "node:path";
import { expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { inDirectory } from "../harness/process.ts";
import { run, start } from "../start/command.ts";
import { takeBack } from "../store/sqlite-forge.ts";

test("a log of another version is not copied, which says what to do", async () => {
  await inDirectory(async (directory) => {
    const dataDir = join(directory, "data");
    await (await start(["--port=0", `--data-dir=${dataDir}`])).close();
    const path = logIn(dataDir);
    const db = new Database(path);
    const needed = Number(db.pragma("user_version", { simple: true }));
    const backUp = () => run(["backup", join(directory, "copy.db"), `--data-dir=${dataDir}`]);
    const restore = () => run(["restore", path, `--data-dir=${join(directory, "new")}`]);

    db.pragma(`user_version = ${needed + 1}`);
    const newer = `${path} has schema ${needed + 1}, and this program needs ${needed}: use the`;
    for (const copy of [backUp, restore]) {
      const { code, stderr } = await copy();
      expect(code).toBe(1);
      expect(stderr).toContain(newer);
    }

    db.pragma(`user_version = ${needed}`);
    takeBack(db);
    const older = `${path} has schema 11, and this program needs ${needed}: start the service`;
    for (const copy of [backUp, restore]) {
      const { code, stderr } = await copy();
      expect(code).toBe(1);
      expect(stderr).toContain(older);
    }
    expect((await run(["verify", `--data-dir=${dataDir}`])).stdout).toContain(
      `it has schema 11, this program schema ${needed}: rebuild or the service brings it up to date`,
    );
    db.pragma("user_version = 10");
    db.close();
    const tooOld = `${path} has schema 10, and this program needs ${needed}: open it once with`;
    for (const copy of [backUp, restore]) {
      const { code, stderr } = await copy();
      expect(code).toBe(1);
      expect(stderr).toContain(tooOld);
    }
    const { code, stderr } = await run(["token", "--user=admin", `--data-dir=${dataDir}`]);
    expect(code).toBe(1);
    expect(stderr).toContain("open it once with commit 226d0ee, then with this program");
  });
});
