import { randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { keysInDirectory } from "../../src/log/find-keyring.ts";
import { keyFile } from "../../src/secrets/keys.ts";
import { inDirectory } from "../harness/process.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { refusalOf, start } from "./command.ts";

const newKey = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;

describe("the keys in the directory", () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  const outcomeIn = (directory: string, keyIds: readonly string[] = []) =>
    keysInDirectory(directory, { isNew: false, keyIds }, randomBytes).then(
      (keys) => keys.map(({ id }) => id),
      (error: Error) => `${error.name}: ${error.message.replaceAll(directory, "DIR")}`,
    );

  test("are those of the log, where the file is there", async () => {
    expect(await outcomeIn(server.dataDir)).toEqual(server.keyring.keyIds);
  });

  test("are made for a new log alone; the refusal names those that another had", async () => {
    await inDirectory(async (directory) => {
      const refusal = (ids: string) =>
        `KeyringInvalid: There is no master key, but the log was written with ${ids}: ` +
        "put it back into DIR/master.key or IAM_MASTER_KEY.";
      expect(await outcomeIn(directory, ["ours"])).toBe(refusal("ours"));
      expect(await outcomeIn(directory)).toBe(refusal("one"));
      expect(await readdir(directory)).toEqual([]);
      const [made] = await keysInDirectory(directory, { isNew: true, keyIds: [] }, randomBytes);
      expect(await outcomeIn(directory)).toEqual([made.id]);
    });
  });

  test("may be others than those of the log, which is for the check to find out", async () => {
    await inDirectory(async (directory) => {
      await writeFile(join(directory, keyFile), newKey("other"));
      expect(await outcomeIn(directory)).toEqual(["other"]);
    });
  });
});

test("a start without the key that the log was written with leaves no other behind", async () => {
  await inDirectory(async (directory) => {
    const args = ["--port=0", `--data-dir=${directory}`];
    const env = { IAM_MASTER_KEY: newKey("ours") };
    await (await start(args, env)).close();
    expect(await refusalOf(args)).toBe(
      "There is no master key, but the log was written with ours: put it back into " +
        `${join(directory, keyFile)} or IAM_MASTER_KEY.`,
    );
    expect(await readdir(directory)).not.toContain(keyFile);
    await (await start(args, env)).close();
  });
});
