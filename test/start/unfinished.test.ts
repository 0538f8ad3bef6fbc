import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { ConfigError, readConfig } from "../../src/config/config.ts";
import { headFile } from "../../src/log/head-places.ts";
import { logIn, logInFile } from "../../src/log/in-file.ts";
import { projector } from "../../src/log/projector.ts";
import { loadOrCreateKeyFile } from "../../src/secrets/keys.ts";
import { createClientSecret, createToken } from "../../src/secrets/tokens.ts";
import { logsTo } from "../../src/start/logger.ts";
import { serve } from "../../src/start/serve.ts";
import { beginFirstStart, unfinishedFile } from "../../src/start/unfinished.ts";
import { silent } from "../../src/store/failure-log.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { shortened } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { sealingIn } from "../harness/log-keys.ts";
import { inDirectory } from "../harness/process.ts";
import { refusalOf, start } from "./command.ts";

type Step = (dataDir: string) => Promise<unknown>;

const mark: Step = (dataDir) => writeFile(join(dataDir, unfinishedFile), "");
const emptyLog: Step = (dataDir) => writeFile(logIn(dataDir), "", { mode: 0o600 });
const key: Step = (dataDir) => loadOrCreateKeyFile(dataDir, randomBytes);
const head: Step = (dataDir) => writeFile(join(dataDir, headFile), "", { mode: 0o600 });
const outbox: Step = (dataDir) => mkdir(join(dataDir, "outbox"), { mode: 0o700 });
const token: Step = (dataDir) =>
  writeFile(join(dataDir, "admin.token"), `${createToken(randomBytes)}\n`, { mode: 0o600 });
const link: Step = (dataDir) =>
  writeFile(
    join(dataDir, "owner.link"),
    `http://localhost:1/ui/owner?code=${createClientSecret(randomBytes)}\n`,
    { mode: 0o600 },
  );
const tables: Step = async (dataDir) => {
  await (await openSqlite({ path: logIn(dataDir), projector, ...sealingIn(dataDir) })).close();
};
const flagsOf = (dataDir: string) => ["--port=0", `--data-dir=${dataDir}`];

const known = { isOwners: async () => true, leaveLink: async () => {} };
const sources = { random: randomBytes, log: silent };

async function steps(dataDir: string, all: readonly Step[]): Promise<void> {
  for (const step of all) await step(dataDir);
}

const unfinished: readonly (readonly [after: string, all: readonly Step[]])[] = [
  ["its link", [mark, tables, key, token, link]],
  ["its token", [mark, tables, key, token]],
  ["its key", [mark, tables, key]],
  ["its tables", [mark, tables]],
  ["its file", [mark, emptyLog]],
  ["its mark", [mark]],
  ["its file alone, which is no mark", [emptyLog]],
];

describe("a first start that was cut short", () => {
  test.each(shortened(unfinished))("after %s is done by the next", async (_, all) => {
    await inDirectory(async (dataDir) => {
      await steps(dataDir, all);
      const running = await start(flagsOf(dataDir));
      expect(running.welcome).toContain("This is a new instance");
      expect(await readdir(dataDir)).not.toContain(unfinishedFile);
      await running.close();
      // What remains of one that ended before it could take the mark away.
      await mark(dataDir);
      const again = await start(flagsOf(dataDir));
      expect(again.welcome).toBeUndefined();
      expect(await readdir(dataDir)).not.toContain(unfinishedFile);
      await again.close();
    });
  });

  few().each(unfinished)("after %s is allowed to go on", async (_, all) => {
    await inDirectory(async (dataDir) => {
      await steps(dataDir, all);
      (await beginFirstStart(dataDir, logInFile(dataDir), sources)).assertAllowed();
    });
  });

  test("is not confused by another process that begins with it, or is done before it", async () => {
    await inDirectory(async (dataDir) => {
      const first = await beginFirstStart(dataDir, logInFile(dataDir), sources);
      await steps(dataDir, [tables, key, token]);
      const second = await beginFirstStart(dataDir, logInFile(dataDir), sources);
      await first.finish(known);
      for (const each of [first, second]) expect(() => each.assertAllowed()).not.toThrow();
      await second.finish(known);
      expect(await readdir(dataDir)).not.toContain(unfinishedFile);
    });
  });
});

describe("a mark beside a log that has its instance", () => {
  const noOwners = "and admin.token, which belongs to no owner, were";
  const removed = (which: string) =>
    `first-start.unfinished ${which} removed: the log already has its instance, and no link ` +
    "was created. token --user NAME creates a token for an owner";
  const done = "an interrupted first start was completed, and first-start.unfinished was removed";
  const none: Step = (dataDir) => rm(join(dataDir, "admin.token"));

  few().each<[beside: string, Step, level: "info" | "warn", told: string]>([
    ["no token", none, "warn", removed("was")],
    ["a token of nobody", (at) => steps(at, [none, token]), "warn", removed(noOwners)],
    ["the token of its owner", async () => {}, "info", done],
  ])("and %s: a line says what became of it", async (_, prepare, level, told) => {
    await inDirectory(async (dataDir) => {
      await (await start(flagsOf(dataDir))).close();
      await prepare(dataDir);
      const hadToken = (await readdir(dataDir)).includes("admin.token");
      await mark(dataDir);
      const lines: string[] = [];
      const logs = logsTo({ write: (line) => void lines.push(line) }, level);
      const running = await serve(readConfig(flagsOf(dataDir), {}), logs);
      await running.close();
      const marks = lines
        .map((line) => JSON.parse(line))
        .filter(({ directory: at }) => at === dataDir);
      expect(marks.map(({ msg }) => msg)).toEqual([told]);
      const left = await readdir(dataDir);
      expect(left).not.toContain(unfinishedFile);
      expect(left.includes("admin.token")).toBe(hadToken && level === "info");
    });
  });

  test("that the start has made itself is not told", async () => {
    await inDirectory(async (dataDir) => {
      const lines: string[] = [];
      const logs = logsTo({ write: (line) => void lines.push(line) }, "info");
      await (await serve(readConfig(flagsOf(dataDir), {}), logs)).close();
      expect(lines.filter((line) => line.includes(unfinishedFile))).toEqual([]);
    });
  });
});

describe("a directory that has lost its log", () => {
  const before: readonly Step[] = [tables, key, token];
  const removed: Step = (dataDir) => rm(logIn(dataDir));
  const emptied: Step = (dataDir) => truncate(logIn(dataDir), 0);
  const wal: Step = (dataDir) => writeFile(`${logIn(dataDir)}-wal`, "frames");
  const refusal = (dataDir: string, trace: string) =>
    `The event log ${logIn(dataDir)} is missing or empty, but ${trace} in the data ` +
    "directory shows that there was one. Restore the newest copy into an empty directory " +
    "(restore). For a new instance, first remove the other files of the directory " +
    "(master.key, admin.token, owner.link, iam.head, outbox, iam.db-wal, iam.db-shm).";

  test.each<readonly [what: string, all: readonly Step[], trace: string]>([
    ["all but its log", [...before, removed], "master.key"],
    ["an empty log", [...before, emptied], "master.key"],
    ["a key", [key], "master.key"],
    ["a token", [token], "admin.token"],
    ["a link", [link], "owner.link"],
    ["a head", [head], "iam.head"],
    ["messages", [outbox], "outbox"],
    ["a WAL", [wal], "iam.db-wal"],
  ])("and has %s is not set up anew", async (_, all, trace) => {
    await inDirectory(async (dataDir) => {
      await steps(dataDir, all);
      const found = await readdir(dataDir);
      const begun = beginFirstStart(dataDir, logInFile(dataDir), sources);
      await expect(begun).rejects.toThrow(new ConfigError(refusal(dataDir, trace)));
      expect(await readdir(dataDir)).toEqual(found);
    });
  });

  test("is not what a node on a database is given that has one of a file", async () => {
    await inDirectory(async (dataDir) => {
      await steps(dataDir, before);
      const place = { name: "in the database", isThere: async () => false, bringBack: "" };
      await expect(beginFirstStart(dataDir, place, sources)).rejects.toThrow(
        `The event log in the database is missing or empty, and ${dataDir} belongs to ` +
          "another log in a file. Set IAM_DATA_DIR to a directory for this node, or copy the " +
          "log of the file to the database (copy).",
      );
    });
  });

  test("and has its tables without what stood in them is refused by a start", async () => {
    await inDirectory(async (dataDir) => {
      await steps(dataDir, before);
      expect(await refusalOf(flagsOf(dataDir))).toBe(refusal(dataDir, "master.key"));
    });
  });
});
