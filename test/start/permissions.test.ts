import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { closeToOthers } from "../../src/start/permissions.ts";
import { inDirectory } from "../harness/process.ts";
import { refusalOf } from "./command.ts";

async function linesOf(dataDir: string): Promise<readonly object[]> {
  const lines: object[] = [];
  await closeToOthers(dataDir, { warn: (members, text) => void lines.push({ ...members, text }) });
  return lines;
}

const mended = "a file that others could read or write is now restricted to its owner";
const open = "the data directory is open to others than its owner: chmod 700";

describe("what lies in the data directory", () => {
  test.each([
    ["iam.db", 0o600],
    ["iam.db-wal", 0o600],
    ["iam.db-shm", 0o600],
    ["master.key", 0o600],
    ["admin.token", 0o600],
  ])("%s is for its owner alone again, and that is told", async (name, wanted) => {
    await inDirectory(async (directory) => {
      const path = join(directory, name);
      await writeFile(path, "");
      for (const mode of [0o644, 0o640, 0o602]) {
        await chmod(path, mode);
        expect(await linesOf(directory)).toEqual([
          { path, mode: `0${mode.toString(8)}`, text: mended },
        ]);
        expect((await stat(path)).mode & 0o777).toBe(wanted);
      }
      expect(await linesOf(directory)).toEqual([]);
    });
  });

  test("messages are, too", async () => {
    await inDirectory(async (directory) => {
      const path = join(directory, "outbox");
      await mkdir(path);
      await chmod(path, 0o755);
      expect(await linesOf(directory)).toEqual([{ path, mode: "0755", text: mended }]);
      expect((await stat(path)).mode & 0o777).toBe(0o700);
    });
  });
});

describe("the data directory", () => {
  test.each([0o750, 0o770, 0o755])("of mode %o is told", async (mode) => {
    await inDirectory(async (path) => {
      await chmod(path, mode);
      expect(await linesOf(path)).toEqual([{ path, mode: `0${mode.toString(8)}`, text: open }]);
      expect((await stat(path)).mode & 0o777).toBe(mode);
    });
  });

  test.each([0o777, 0o702])(
    "of mode %o, into which everybody can write, is refused",
    async (mode) => {
      await inDirectory(async (directory) => {
        await chmod(directory, mode);
        expect(await refusalOf(["--port=0", `--data-dir=${directory}`])).toBe(
          `${directory}, IAM_DATA_DIR (--data-dir), is writable by everybody (mode ` +
            `0${mode.toString(8)}), so the log could be replaced: chmod 700 ${directory}`,
        );
      });
    },
  );
});
