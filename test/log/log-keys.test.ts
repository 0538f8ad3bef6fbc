import { randomBytes } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { createLogKeys } from "../../src/log/log-keys.ts";
import { createKeyring } from "../../src/secrets/keyring.ts";
import { keyFile, parseKeyring } from "../../src/secrets/keys.ts";
import { inFull } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { refusalOf, run, start } from "../start/command.ts";

const newKey = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;

function keysOf(text: string) {
  const keyring = createKeyring(parseKeyring(text), randomBytes);
  const found: object[] = [];
  const keys = createLogKeys({
    ...{ newId: () => "the-log", now: () => 7, random: randomBytes },
    keyring: async (log) => {
      found.push(log);
      return keyring;
    },
  });
  return { keys, found };
}

const place = { position: 1n, stream: "log-the-log", version: 1 };

describe("the key of a log", () => {
  test("is sealed in the event that it begins with, and found there again", async () => {
    const { keys, found } = keysOf(newKey("k"));
    const { id, key, ...begun } = await keys.begin();
    const event = begun.event;
    expect({ id, ...event }).toMatchObject({ id: "the-log", type: "log.begun", timeMs: 7 });
    const opened = await keys.open(id, [{ ...place, ...event! }]);
    expect(opened.equals(key)).toBe(true);
    expect(event!.payload).not.toContain(key.export().toString("base64"));
    expect(JSON.parse(event!.payload)).toEqual({
      key: expect.stringMatching(/^v1\.k\./),
      publicKey: expect.stringMatching(/^-----BEGIN PUBLIC KEY-----\n/),
    });
    expect(found).toEqual([
      { isNew: true, keyIds: [] },
      { isNew: false, keyIds: ["k"] },
    ]);
  });

  test("opens for no other log, with no other master key and without its event", async () => {
    const text = newKey("k");
    const { keys } = keysOf(text);
    const event = (await keys.begin()).event;
    const own = [{ ...place, ...event! }];
    const isOther = "The master key k has the right id but the wrong value for this log";
    await expect(keys.open("another", own)).rejects.toThrow(isOther);
    await expect(keysOf(newKey("k")).keys.open("the-log", own)).rejects.toThrow(isOther);
    await expect(keysOf(newKey("n")).keys.open("the-log", own)).rejects.toThrow(
      "sealed with the key k, which is not among the master keys",
    );
    await expect(keys.open("the-log", [])).rejects.toThrow("began with is missing");
  });
});

describe("a service", () => {
  const sealedBy = (dataDir: string) => {
    const db = new Database(logIn(dataDir), { readonly: true });
    const keys = db
      .prepare<[], string>("SELECT payload ->> 'key' FROM events WHERE stream LIKE 'log-%'")
      .pluck()
      .all();
    db.close();
    return keys.map((key) => key.split(".")[1]);
  };

  inFull("seals the key anew with the newest master key, so that older ones can go", async () => {
    await inDirectory(async (dataDir) => {
      const args = ["--port=0", `--data-dir=${dataDir}`];
      const [older, newer] = [newKey("older"), newKey("newer")];
      await (await start(args, { IAM_MASTER_KEY: older })).close();
      await (await start(args, { IAM_MASTER_KEY: older })).close();
      expect(sealedBy(dataDir)).toEqual(["older"]);
      await (await start(args, { IAM_MASTER_KEY: `${newer},${older}` })).close();
      expect(sealedBy(dataDir)).toEqual(["older", "newer"]);
      const verified = await run(["verify", `--data-dir=${dataDir}`], { IAM_MASTER_KEY: newer });
      expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("nothing is") });
      // What else it sealed is asked for as before.
      expect(await refusalOf(args, { IAM_MASTER_KEY: newer })).toContain("the key older");
    });
  });

  test("verifies without a master key what it can, and says what it cannot", async () => {
    await inDirectory(async (dataDir) => {
      const args = [`--data-dir=${dataDir}`];
      const env = { IAM_MASTER_KEY: newKey("ours") };
      await (await start(["--port=0", ...args], env)).close();
      expect(await readdir(dataDir)).not.toContain(keyFile);
      const verified = await run(["verify", ...args]);
      expect(verified.code).toBe(0);
      expect(verified.stdout).toMatch(/^No master key: MACs were not checked, .+\n/);
      expect((await run(["verify", ...args], env)).stdout).not.toContain("MACs");
      const refused = await run(["rebuild", ...args]);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toMatch(/^There is no master key, but .+ written with ours: put/);
      await writeFile(join(dataDir, keyFile), newKey("ours"));
      expect((await run(["verify", ...args])).stderr).toMatch(
        /^The master key ours has the right id but/,
      );
      expect(await readFile(join(dataDir, keyFile), "utf8")).toMatch(/^ours:/);
    });
  });
});
