import { mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { makeDirectory, removeFile } from "../src/file.ts";
import { inDirectory } from "./harness/process.ts";

/** Makes the directory, and answers the directories whose names were forced to the disk. */
async function syncedBy(path: string): Promise<readonly string[]> {
  const synced: string[] = [];
  await makeDirectory(path, async (directory) => void synced.push(directory));
  return synced;
}

test("the names of directories that are made reach the disk, each in the one above", async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, "one/two/three");
    expect(await syncedBy(path)).toEqual([
      join(directory, "one/two"),
      join(directory, "one"),
      directory,
    ]);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
  });
});

test("so does the name of one that is there, which may be as new", async () => {
  await inDirectory(async (directory) => {
    expect(await syncedBy(directory)).toEqual([dirname(directory)]);
  });
});

test("the directory above one that is there may be closed to us, above a new one not", async () => {
  const closed = async () => {
    throw Object.assign(new Error("closed"), { code: "EACCES" });
  };
  await inDirectory(async (directory) => {
    await makeDirectory(directory, closed);
    await expect(makeDirectory(join(directory, "new"), closed)).rejects.toThrow("closed");
  });
});

test("a directory is not made where a file is", async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, "file");
    await writeFile(path, "");
    await expect(makeDirectory(join(path, "below"))).rejects.toMatchObject({ code: "ENOTDIR" });
  });
});

test("a file is removed, and one that is not there does no harm", async () => {
  await inDirectory(async (directory) => {
    const path = join(directory, "sub", "file");
    await mkdir(dirname(path));
    await writeFile(path, "");
    await removeFile(path);
    await removeFile(path);
    await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
