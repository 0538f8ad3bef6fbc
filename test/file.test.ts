import { mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import {
  appendLines,
  makeDirectory,
  readGiven,
  readIfThere,
  readLines,
  removeFile,
} from "../src/file.ts";
import { makePipe } from "./harness/pipe.ts";
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

describe("in the place of a file", () => {
  const add = (path: string) => appendLines(path, ["line"]);

  test.each([
    ["a pipe", makePipe, "it is no regular file"],
    ["a directory", (path: string): Promise<void> => mkdir(path), "EISDIR"],
    [
      "a link to itself",
      (path: string): Promise<void> => symlink(path, path),
      "it is a symbolic link",
    ],
  ] as const)("%s is refused, and nobody waits for it", async (_, put, why) => {
    await inDirectory(async (directory) => {
      const path = join(directory, "file");
      await put(path);
      for (const read of [readIfThere, readLines]) {
        const message = `${path} cannot be read: ${why}`;
        await expect(read(path)).rejects.toMatchObject({ name: "FileUnusable", message });
      }
      const message = `${path} cannot be written: ${why}`;
      await expect(add(path)).rejects.toMatchObject({ name: "FileUnusable", message });
    });
  });

  test("a link is read through, but for a file to which lines are added", async () => {
    await inDirectory(async (directory) => {
      const [path, elsewhere] = [join(directory, "file"), join(directory, "elsewhere")];
      await writeFile(elsewhere, "theirs");
      await symlink(elsewhere, path);
      expect(await readIfThere(path)).toBe("theirs");
      const why = "it is a symbolic link";
      await expect(readLines(path)).rejects.toMatchObject({ code: why });
      await expect(add(path)).rejects.toMatchObject({ code: why });
      expect(await readFile(elsewhere, "utf8")).toBe("theirs");
    });
  });

  test("a pipe is read where an operator names it", async () => {
    await inDirectory(async (directory) => {
      const path = join(directory, "pipe");
      await makePipe(path);
      const [text] = await Promise.all([readGiven(path), writeFile(path, "given")]);
      expect(text).toBe("given");
    });
  });

  test("nothing is no text, and lines begin a file for its owner alone", async () => {
    await inDirectory(async (directory) => {
      const path = join(directory, "file");
      for (const read of [readIfThere, readLines, readGiven]) {
        expect(await read(path)).toBeUndefined();
      }
      await add(path);
      await writeFile(path, "cut", { flag: "a" });
      await add(path);
      expect(await readLines(path)).toBe("line\ncut\nline\n");
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    });
  });
});
