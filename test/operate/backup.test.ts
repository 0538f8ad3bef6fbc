import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { few } from "../harness/in-full.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { run, start } from "../start/command.ts";

afterEach(endProcesses);

/** A data directory with an instance that has been set up, which nobody serves. */
async function setUpIn(dataDir: string): Promise<void> {
  const service = await start([`--data-dir=${dataDir}`, "--port=0"]);
  await service.close();
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

describe("backup", () => {
  test("is a whole log for its owner alone; restored, it serves", async () => {
    await inDirectory(async (directory) => {
      const [data, other] = [join(directory, "data"), join(directory, "other")];
      await setUpIn(data);
      const backup = join(directory, "copy.db");
      // As a secret that is mounted may be.
      await chmod(join(data, "master.key"), 0o444);
      const taken = await run(["backup", backup, "--with-key", `--data-dir=${data}`]);
      expect(taken).toMatchObject({ code: 0, stderr: "" });
      expect(taken.stdout).toContain("nothing is damaged");
      expect([await modeOf(backup), await modeOf(`${backup}.key`)]).toEqual([0o600, 0o600]);

      const restored = await run(["restore", backup, `--data-dir=${other}`]);
      expect(restored).toMatchObject({ code: 0, stderr: "" });
      const token = await readFile(join(data, "admin.token"), "utf8");
      const service = await start([`--data-dir=${other}`, "--port=0"]);
      try {
        expect(service.welcome).toBeUndefined();
        const mine = await fetch(`${service.url}/auth/v1/users/me`, {
          headers: { authorization: `Bearer ${token.trim()}` },
        });
        expect(mine.status).not.toBe(401);
      } finally {
        await service.close();
      }
      expect(await modeOf(logIn(other))).toBe(0o600);
    });
  });

  test("knows nobody who is logged in, and rebuild leaves them as they are", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await setUpIn(data);
      const db = new Database(logIn(data));
      db.exec("INSERT INTO artifacts VALUES ('Session:1', NULL, NULL, '{}', 9e15, 0, x'')");
      const count = "SELECT count(*) FROM artifacts";
      const kept = db.prepare(count).pluck();
      expect(await run(["rebuild", `--data-dir=${data}`])).toMatchObject({ code: 0 });
      expect(await run(["verify", `--data-dir=${data}`])).toMatchObject({ code: 0 });
      expect(kept.get()).toBe(1);
      db.close();
      const backup = join(directory, "copy.db");
      expect(await run(["backup", backup, `--data-dir=${data}`])).toMatchObject({ code: 0 });
      const copy = new Database(backup, { readonly: true });
      expect(copy.prepare(count).pluck().get()).toBe(0);
      copy.close();
    });
  });

  test("has all that was acknowledged before it began, while the service goes on", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const serving = startProcess([`--data-dir=${data}`, "--port=0"]);
      const url = await serving.listening;
      const token = (await readFile(join(data, "admin.token"), "utf8")).trim();
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const create = async (name: string) => {
        const body = JSON.stringify({ name });
        const answer = await fetch(`${url}/management/v1/projects`, {
          method: "POST",
          headers,
          body,
        });
        expect(answer.status).toBe(200);
      };
      await create("before");
      let isOver = false;
      const taking = run(["backup", directory, `--data-dir=${data}`]).finally(() => {
        isOver = true;
      });
      for (let count = 0; !isOver; count += 1) await create(`meanwhile ${count}`);
      expect(await taking).toMatchObject({ code: 0, stderr: "" });
      const [name = ""] = (await readdir(directory)).filter((entry) => entry.endsWith(".db"));
      expect(name).toMatch(/^iam-\d{8}T\d{6}Z\.db$/);
      const db = new Database(join(directory, name), { readonly: true });
      const names = "SELECT payload->>'name' FROM events WHERE type = 'project.added'";
      expect(db.prepare(names).pluck().all()).toContain("before");
      db.close();
    });
  });

  test("leaves no file where the log is damaged", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await setUpIn(data);
      const db = new Database(logIn(data));
      db.exec("UPDATE events SET actor = 'somebody' WHERE position = 2");
      db.close();
      const copies = join(directory, "copies");
      await mkdir(copies);
      const { code, stderr } = await run(["backup", copies, `--data-dir=${data}`]);
      expect(code).toBe(1);
      expect(stderr).toContain("no copy was kept");
      expect(await readdir(copies)).toEqual([]);
    });
  });

  test.each([
    [
      "its end was cut off",
      "DELETE FROM events WHERE position = (SELECT max(position) FROM events)",
    ],
    ["its head is gone", ""],
  ])("vouches for no log of which %s, and no checkpoint does", async (_, sql) => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await setUpIn(data);
      const db = new Database(logIn(data));
      if (sql === "") await rm(join(data, "iam.head"));
      else
        db.exec(`${sql}; UPDATE head SET (position, link) = (SELECT position, link FROM events
        ORDER BY position DESC LIMIT 1)`);
      db.close();
      const copy = join(directory, "copy.db");
      for (const args of [["backup", copy], ["checkpoint"], ["token", "--user", "admin"]]) {
        expect(await run([...args, `--data-dir=${data}`])).toMatchObject({ code: 1 });
      }
      expect((await readdir(directory)).sort()).toEqual(["data"]);
    });
  });

  few(2).each([
    ["a file that is there", "data/iam.db", "already exists: name another."],
    [
      "a directory that is not",
      "nowhere/copy.db",
      "cannot be created: its directory does not exist",
    ],
    ["a name that ends as one does", "nowhere/", "There is no directory "],
    ["a file that is there, as a directory", "data/iam.db/", "There is no directory "],
  ])("is refused over %s", async (_, target, says) => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await setUpIn(data);
      const before = await readFile(logIn(data));
      const ended = await run(["backup", join(directory, target), `--data-dir=${data}`]);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain(says);
      expect(await readFile(logIn(data))).toEqual(before);
      expect(await readdir(directory)).toEqual(["data"]);
    });
  });

  test("of no log is refused", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      const ended = await run(["backup", join(directory, "copy.db"), `--data-dir=${data}`]);
      expect(ended.code).toBe(1);
      expect(ended.stderr).toContain("there is no such file");
      expect(await readdir(directory)).toEqual([]);
    });
  });
});

test("a backup that a signal ends leaves nothing", async () => {
  await inDirectory(async (directory) => {
    const [data, to] = [join(directory, "data"), join(directory, "backups")];
    await setUpIn(data);
    await mkdir(to);
    const taking = startProcess(["backup", join(to, "copy.db"), `--data-dir=${data}`]);
    // The draft, which is the whole log.
    while ((await readdir(to)).length === 0) await pause(1);
    taking.kill("SIGTERM");
    expect(await taking.ended).toMatchObject({ signal: "SIGTERM" });
    expect(await readdir(to)).toEqual([]);
  });
});

test("a backup without its head is none", async () => {
  await inDirectory(async (directory) => {
    const data = join(directory, "data");
    await setUpIn(data);
    const backup = join(directory, "copy.db");
    const head = `${backup}.head`;
    // Nobody sees it before the head takes its name.
    await symlink("nothing", head);
    const { stderr } = await run(["backup", backup, `--data-dir=${data}`]);
    expect(stderr).toBe(`${head} already exists: name another.\n`);
    expect((await readdir(directory)).sort()).toEqual(["copy.db.head", "data"]);
  });
});

describe("restore", () => {
  test("is refused into a directory that has something, and what is no backup", async () => {
    await inDirectory(async (directory) => {
      const [data, other] = [join(directory, "data"), join(directory, "other")];
      await setUpIn(data);
      const backup = join(directory, "copy.db");
      await run(["backup", backup, `--data-dir=${data}`]);
      const full = await run(["restore", backup, `--data-dir=${data}`]);
      expect(full).toMatchObject({ code: 1 });
      expect(full.stderr).toContain("is not empty");

      await writeFile(join(directory, "text"), "no backup".repeat(1_000));
      const none = await run(["restore", join(directory, "text"), `--data-dir=${other}`]);
      expect(none).toMatchObject({ code: 1 });
      expect(none.stderr).toContain("cannot be copied: file is not a database");
      expect(await readdir(other)).toEqual([]);
    });
  });

  test("says that the key is missing where it did not come with the log", async () => {
    await inDirectory(async (directory) => {
      const [data, other] = [join(directory, "data"), join(directory, "other")];
      await setUpIn(data);
      const backup = join(directory, "copy.db");
      await run(["backup", backup, `--data-dir=${data}`]);
      const { stdout } = await run(["restore", backup, `--data-dir=${other}`]);
      const key = join(other, "master.key");
      expect(stdout).toContain(
        `Copy master.key of the old directory to ${key}, or set IAM_MASTER_KEY.`,
      );

      const third = join(directory, "third");
      const copied = await run(["copy", `--to=${third}`, `--data-dir=${data}`]);
      expect(copied.stdout).toContain(
        `Copy master.key of the old directory to ${join(third, "master.key")}, or set`,
      );
    });
  });
});
