import { randomBytes } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { keyFile, loadOrCreateKeyFile, parseKeyring } from "../../src/secrets/keys.ts";
import { checkKeyring, keysInDirectory } from "../../src/start/master-key.ts";
import type { Store } from "../../src/store/store.ts";
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

  const outcomeIn = (directory: string, store: Pick<Store, "load"> = server.store) =>
    keysInDirectory(directory, store, randomBytes).then(
      (keys) => keys.map(({ id }) => id),
      (error: Error) => `${error.name}: ${error.message.replaceAll(directory, "DIR")}`,
    );

  test("are those of the log, where the file is there", async () => {
    expect(await outcomeIn(server.dataDir)).toEqual(server.keyring.keyIds);
  });

  test("are not made for a log that has its own", async () => {
    const { keyring, store, execute } = server;
    await checkKeyring(keyring, store, execute);
    const keys = await loadOrCreateKeyFile(server.dataDir, never);
    const rotated = createKeyring([...parseKeyring(newKey("newer")), ...keys], randomBytes);
    await inDirectory(async (directory) => {
      expect(await outcomeIn(directory)).toBe(
        "KeyringInvalid: There is no master key, though the log was written with " +
          `${keyring.keyIds[0]}: put it back into DIR/master.key or IAM_MASTER_KEY.`,
      );
      await checkKeyring(rotated, store, execute);
      expect(await outcomeIn(directory)).toContain(`with ${keyring.keyIds[0]}, newer: put`);
      expect(await readdir(directory)).toEqual([]);
    });
  });

  test("are asked for where the log does not say which it was", async () => {
    // As the log is between its first start and the check of its key.
    const state = JSON.stringify({ keyChecks: [] });
    const store = {
      load: async () => (await server.store.load(["instance-1"])).map((it) => ({ ...it, state })),
    };
    await inDirectory(async (directory) => {
      expect(await outcomeIn(directory, store)).toBe(
        "KeyringInvalid: There is no master key, though the log was written with one: " +
          "put it back into DIR/master.key or IAM_MASTER_KEY.",
      );
      expect(await readdir(directory)).toEqual([]);
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
      "There is no master key, though the log was written with ours: put it back into " +
        `${join(directory, keyFile)} or IAM_MASTER_KEY.`,
    );
    expect(await readdir(directory)).not.toContain(keyFile);
    await (await start(args, env)).close();
  });
});

/** A source that must not be asked. */
function never(): never {
  throw new Error("asked");
}
