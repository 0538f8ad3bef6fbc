import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { readOrCreate } from "../../src/file.ts";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { fingerprint, keyFile, loadKeyFile, loadOrCreateKeyFile } from "../../src/secrets/keys.ts";

let dataDir: string;
let path: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "iam-keys-"));
  path = join(dataDir, keyFile);
});
afterEach(() => rm(dataDir, { recursive: true }));

describe("the key in the data directory", () => {
  test("is made once, for its owner alone, and stays", async () => {
    const [made, ...none] = await loadOrCreateKeyFile(dataDir, randomBytes);
    expect(none).toEqual([]);
    expect(made.id).toBe(fingerprint(made.secret));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(dataDir)).toEqual([keyFile]);

    const [loaded] = await loadOrCreateKeyFile(dataDir, failing);
    expect(loaded.secret.equals(made.secret)).toBe(true);
    const place = { stream: "idp-1", field: "clientSecret" };
    const sealed = createKeyring([made], randomBytes).seal("secret", place);
    expect(createKeyring([loaded], randomBytes).open(sealed, place)).toBe("secret");
  });

  test("is not made where it is only asked for", async () => {
    expect(await loadKeyFile(dataDir)).toBeUndefined();
    expect(await readdir(dataDir)).toEqual([]);
    const [made] = await loadOrCreateKeyFile(dataDir, randomBytes);
    const [loaded] = (await loadKeyFile(dataDir)) ?? [];
    expect(loaded?.secret.equals(made.secret)).toBe(true);
  });

  test("is refused by the name of its file when that cannot be read", async () => {
    await mkdir(path);
    for (const load of [loadKeyFile, () => loadOrCreateKeyFile(dataDir, failing)]) {
      const error: unknown = await load(dataDir).catch((why) => why);
      expect(error).toMatchObject({
        name: "FileUnusable",
        message: `${path} cannot be read: EISDIR`,
      });
    }
  });

  test("can be rotated by a new one in front of it", async () => {
    const [old] = await loadOrCreateKeyFile(dataDir, randomBytes);
    const text = await readFile(path, "utf8");
    await writeFile(path, `new:${randomBytes(32).toString("base64")},${text}`);
    const keys = await loadOrCreateKeyFile(dataDir, failing);
    expect(keys.map(({ id }) => id)).toEqual(["new", old.id]);
  });

  test.each([
    ["nothing", ""],
    ["half a key", "a:c29tZSBzZWNyZXQgYnl0ZXMgdGhhdCBhcmUgY3Vo"],
  ])("is refused by the name of its file when it holds %s", async (_, text) => {
    await writeFile(path, text);
    const error: unknown = await loadOrCreateKeyFile(dataDir, randomBytes).catch((why) => why);
    expect(error).toMatchObject({
      name: "KeyringInvalid",
      message: expect.stringContaining(`${path}: Master key 1 must have`),
    });
    expect(String(error)).not.toContain("c29tZSBz");
    expect(await readFile(path, "utf8")).toBe(text);
  });

  test("is one key, however many start at once in a process", async () => {
    const starts = Array.from({ length: 16 }, () => loadOrCreateKeyFile(dataDir, randomBytes));
    const keys = await Promise.all(starts);
    expect(new Set(keys.map(([key]) => fingerprint(key.secret))).size).toBe(1);
    expect(await readdir(dataDir)).toEqual([keyFile]);
  });

  test("is one key, however many processes start at once", async () => {
    const children = Array.from({ length: 4 }, () => startChild(dataDir));
    const lines = children.map((child) => createInterface({ input: child.stdout }));
    await Promise.all(lines.map((input) => once(input, "line")));
    const answers = lines.map((input) => once(input, "line"));
    for (const child of children) child.stdin.end("go\n");
    const fingerprints = (await Promise.all(answers)).map(([line]) => String(line));

    const [key] = await loadOrCreateKeyFile(dataDir, failing);
    expect(fingerprints).toEqual(Array.from({ length: 4 }, () => fingerprint(key.secret)));
    expect(await readdir(dataDir)).toEqual([keyFile]);
  });
});

describe("an exclusive file", () => {
  test("is there whole or not at all, to one who looks while it is made", async () => {
    const text = "x".repeat(100_000);
    let isOver = false;
    const made = readOrCreate(path, () => text, randomBytes).finally(() => {
      isOver = true;
    });
    const seen = new Set<number>();
    while (!isOver) {
      const found = await readFile(path, "utf8").catch(() => undefined);
      seen.add(found?.length ?? 0);
    }
    expect(await made).toBe(text);
    expect([...seen].filter((length) => length !== 0 && length !== text.length)).toEqual([]);
  });

  test("is never written over, not even when it is empty", async () => {
    await writeFile(path, "");
    expect(await readOrCreate(path, () => "other", randomBytes)).toBe("");
    expect(await readFile(path, "utf8")).toBe("");
  });

  test("leaves nothing behind when it cannot be made", async () => {
    await expect(readOrCreate(path, failing, randomBytes)).rejects.toThrow("no more");
    await expect(readOrCreate(path, () => "text", failing)).rejects.toThrow("no more");
    // A name that is too long for the file, though not for the draft's directory.
    const tooLong = join(dataDir, "n".repeat(250));
    await expect(readOrCreate(tooLong, () => "text", randomBytes)).rejects.toMatchObject({
      code: "ENAMETOOLONG",
    });
    const nowhere = join(dataDir, "nowhere", keyFile);
    await expect(readOrCreate(nowhere, () => "text", randomBytes)).rejects.toMatchObject({
      code: "ENOENT",
    });
    expect(await readdir(dataDir)).toEqual([]);
  });
});

/** A source that must not be asked. */
function failing(): never {
  throw new Error("no more");
}

function startChild(directory: string) {
  const file = join(import.meta.dirname, "key-file-child.ts");
  return spawn(process.execPath, [file, directory], { stdio: ["pipe", "pipe", "inherit"] });
}
