import { mkdir, readdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { inDirectory } from "../harness/process.ts";
import { refusalOf, run, start } from "../start/command.ts";

/** A data directory whose log was moved elsewhere, with a link in its place. */
async function withLinkedLog(body: (data: string, kept: string) => Promise<void>): Promise<void> {
  await inDirectory(async (directory) => {
    const [data, kept] = [join(directory, "data"), join(directory, "kept")];
    await (await start([`--data-dir=${data}`, "--port=0"])).close();
    await mkdir(kept);
    await rename(join(data, "iam.db"), join(kept, "iam.db"));
    await symlink(join(kept, "iam.db"), join(data, "iam.db"));
    await body(data, kept);
  });
}

const says =
  "iam.db is a symbolic link, so the files beside it would lie elsewhere. While nothing has";

test("a log that is a link is refused before anything is written", async () => {
  await withLinkedLog(async (data, kept) => {
    expect(await refusalOf([`--data-dir=${data}`, "--port=0"])).toContain(says);
    for (const args of [["rebuild"], ["token", "--user=admin"], ["keys", "rotate"]]) {
      const { code, stderr } = await run([...args, `--data-dir=${data}`]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
    }
    expect(await readdir(kept)).toEqual(["iam.db"]);
  });
});

test("it can still be verified and backed up, and serves where it lies", async () => {
  await withLinkedLog(async (data, kept) => {
    const flag = `--data-dir=${data}`;
    expect(await run(["verify", flag])).toMatchObject({ code: 0 });
    expect(await run(["backup", join(kept, "copy.db"), flag])).toMatchObject({ code: 0 });
    await rename(join(kept, "iam.db"), join(data, "iam.db"));
    await (await start([flag, "--port=0"])).close();
  });
});

test("a data directory may be a link", async () => {
  await inDirectory(async (directory) => {
    await mkdir(join(directory, "kept"), { mode: 0o700 });
    await symlink("kept", join(directory, "data"));
    const flag = `--data-dir=${join(directory, "data")}`;
    const service = await start([flag, "--port=0"]);
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    await service.close();
    expect(await run(["verify", flag])).toMatchObject({ code: 0 });
  });
});
