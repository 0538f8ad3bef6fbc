import { randomBytes } from "node:crypto";
import { link, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { backupFile, lastBackupIn, noteBackup } from "../../src/log/last-backup.ts";
import { inDirectory } from "../harness/process.ts";

test("the time of the last backup takes the place of the one before as a whole", async () => {
  await inDirectory(async (directory) => {
    expect(await lastBackupIn(directory)).toBeUndefined();
    await noteBackup(directory, 1_000, randomBytes);
    expect(await lastBackupIn(directory)).toBe(1_000);
    const [path, before] = [join(directory, backupFile), join(directory, "before")];
    await link(path, before);
    await noteBackup(directory, 2_000, randomBytes);
    expect(await lastBackupIn(directory)).toBe(2_000);
    // Nothing was written into the file that was there: on a full disk it would have lost its time.
    expect(await readFile(before, "utf8")).toBe("1970-01-01T00:00:01.000Z\n");
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(directory)).toSorted()).toEqual(["before", backupFile]);
  });
});
