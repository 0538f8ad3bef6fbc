import { mkdirSync, statfsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { sentenceOf } from "../../src/config/sentence.ts";
import { logIn } from "../../src/log/in-file.ts";
import { few } from "../harness/in-full.ts";
import { canMount, mount, unmount } from "../harness/mount.ts";
import { inDirectory } from "../harness/process.ts";
import { refusalOf, run, start } from "../start/command.ts";

const flags = (dataDir: string) => [`--data-dir=${dataDir}`, "--port=0"];

/** Serves a new instance, and changes its rows past the store once it has ended. */
async function changed(dataDir: string, sql: string): Promise<void> {
  await (await start(flags(dataDir))).close();
  const db = new Database(logIn(dataDir));
  db.exec(sql);
  db.close();
}

const forge = (streams: string) =>
  `UPDATE objects SET state = replace(state, '"', '" ') WHERE stream LIKE '${streams}'`;
const forged = (stream: string) =>
  `The event log was changed from outside: the row of ${stream} is not what was written ` +
  "(its MAC): run verify for more. If only rows are named, rebuild derives them again; otherwise " +
  "restore the newest copy of the log.";

describe("what is not what was written is told in a sentence", () => {
  test("by a start", async () => {
    await inDirectory(async (dataDir) => {
      await changed(dataDir, forge("instance-1"));
      expect(await refusalOf(flags(dataDir))).toBe(forged("instance-1"));
    });
  });

  test("by a command, and rebuild does what it says", async () => {
    await inDirectory(async (dataDir) => {
      await changed(dataDir, forge("user-%"));
      const token = () => run(["token", "--user", "admin", `--data-dir=${dataDir}`]);
      const { code, stderr } = await token();
      const [stream = ""] = /user-[\w-]+/.exec(stderr) ?? [];
      expect([code, stderr]).toEqual([1, `${forged(stream)}\n`]);
      expect((await run(["rebuild", `--data-dir=${dataDir}`])).code).toBe(0);
      expect((await token()).code).toBe(0);
    });
  });
});

describe("what the system says of a disk is told in a sentence", () => {
  const errorOf = (code: string) =>
    Object.assign(new Error(`${code}: what the system says, write`), { code, syscall: "write" });

  test.each([
    ["ENOSPC", "make room on the disk, then do it again"],
    ["EDQUOT", "make room within the quota of the disk, then do it again"],
    ["EIO", "the disk fails: see the log of the system"],
    ["EROFS", "the disk is read-only: make it writable, or name another place"],
    ["EACCES", "let the user of this process read and write there"],
    ["EPERM", "let the user of this process read and write there"],
  ])("%s, with what to do", (code, todo) => {
    expect(sentenceOf(errorOf(code))).toBe(`${code}: what the system says, write: ${todo}.`);
  });

  few(2).each([
    [
      "a directory",
      (file: string) => mkdirSync(file),
      (file: string) => `${file} cannot be read: EISDIR\n`,
    ],
    [
      "below nothing",
      () => {},
      (file: string) => `ENOENT: no such file or directory, open '${file}': create it first.\n`,
    ],
  ])("an export into %s", async (where, make, sentence) => {
    await inDirectory(async (directory) => {
      const dataDir = join(directory, "data");
      await (await start(flags(dataDir))).close();
      const file = join(directory, where === "below nothing" ? "none/log" : "log");
      make(file);
      const ended = await run(["export", file, `--data-dir=${dataDir}`]);
      expect(ended).toEqual({ code: 1, stdout: "", stderr: sentence(file) });
    });
  });

  // Where no disk can be mounted, it is skipped, and `test/runner/missing.ts` says so.
  (canMount() ? test : test.skip)("an export without room, which goes on with some", async () => {
    await inDirectory(async (directory) => {
      const [dataDir, disk] = [join(directory, "data"), join(directory, "disk")];
      await (await start(flags(dataDir))).close();
      await mkdir(disk);
      expect(mount(disk, 1)).toBe(true);
      try {
        const [file, ballast] = [join(disk, "log"), join(disk, "ballast")];
        const { bavail, bsize } = statfsSync(disk);
        await writeFile(ballast, Buffer.alloc(bavail * bsize));
        const exported = () => run(["export", file, `--data-dir=${dataDir}`]);
        expect(await exported()).toEqual({
          code: 1,
          stdout: "",
          stderr:
            "ENOSPC: no space left on device, write: make room on the disk, then do it again.\n",
        });
        await rm(ballast);
        expect((await exported()).code).toBe(0);
        expect(await readFile(file, "utf8")).toMatch(/"end":.*\n$/);
      } finally {
        unmount(disk);
      }
    });
  });
});

test("a defect is told as a whole", () => {
  const defect = Object.assign(new TypeError("no such thing"), { code: "ERR_INVALID_ARG_TYPE" });
  expect(sentenceOf(defect)).toBe(defect.stack);
  expect(sentenceOf("thrown as it is")).toBe("thrown as it is");
});
