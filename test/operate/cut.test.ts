import { existsSync, readdirSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { draftIn, logIn, logInFile } from "../../src/log/in-file.ts";
import { few, inFull } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { environment } from "../log/forgeries.ts";
import { forge } from "../log/forgery.ts";
import { refusalOf, run, start } from "../start/command.ts";
import { callsTo, inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { flagOf, serve } from "./copies.ts";

// The way out of a log that was forged while it was served, and written on since.

/** The data directory of a service that has ended. */
let given: string;
let end: bigint;
beforeAll(async () => {
  given = join(await mkdtemp(join(tmpdir(), "iam-cut-")), "data");
  await serve(given, "One");
  end = await endOf(given);
});
afterAll(() => rm(dirname(given), { recursive: true }));

async function endOf(dataDir: string): Promise<bigint> {
  return (await lastOf(dataDir))?.position ?? 0n;
}

async function lastOf(dataDir: string) {
  const log = await logInFile(dataDir).readEvents();
  let last: Awaited<ReturnType<typeof log.at>>;
  for await (const event of log.after(0n)) last = event;
  await log.close();
  return last;
}

const copyUntil = (position: bigint | string, from: string, to: string) =>
  run(["copy", "--until", String(position), "--to", to, flagOf(from)], environment);

/** Events behind the end that have no MAC: what a program of before wrote on. */
const more = (count: number, table = "events") =>
  Array.from(
    { length: count },
    (_, n) =>
      `INSERT INTO ${table} SELECT position + 1, 'org-forged-${n}', 1, type, owner, actor, time,
         payload, salt, mac, link FROM ${table} ORDER BY position DESC LIMIT 1;`,
  );

async function forged(dataDir: string, sql: string): Promise<void> {
  await cp(given, dataDir, { recursive: true });
  forge(logIn(dataDir), sql);
}

describe("a log that was forged behind a position", () => {
  few().each([
    ["one event", 1],
    ["more than one", 3],
  ])("by %s is copied up to there, and says what was left out", async (_what, count) => {
    await inDirectory(async (directory) => {
      const [data, whole] = [join(directory, "data"), join(directory, "whole")];
      await forged(data, more(count).join(""));
      expect(await refusalOf([flagOf(data), "--port=0"], environment)).toContain("not what was");
      const copied = await copyUntil(end, data, whole);
      expect(copied).toMatchObject({ code: 0, stderr: "" });
      expect(copied.stdout).toMatch(/^Checked .+: \d+ damages?\.$/m);
      expect(copied.stdout).toMatch(/^Checked .+: nothing is damaged\.$/m);

      expect(await run(["verify", flagOf(whole)], environment)).toMatchObject({ code: 0 });
      const left = await lastOf(data);
      const last = await lastOf(whole);
      expect(last).toMatchObject({
        position: end + 1n,
        type: "log.history.cut",
        actor: "operator",
      });
      expect(JSON.parse(last?.payload ?? "")).toEqual({
        position: String(end),
        link: Buffer.from((await linkAt(given, end))!).toString("hex"),
        leftPosition: String(end + BigInt(count)),
        leftLink: Buffer.from(left!.link).toString("hex"),
        fault: expect.stringContaining("is not what was appended"),
      });
      await cp(join(given, "admin.token"), join(whole, "admin.token"));
      await serve(whole, "Two");
      expect(await endOf(whole)).toBeGreaterThan(end + 1n);
      expect(await run(["verify", flagOf(whole)], environment)).toMatchObject({ code: 0 });
    });
  });

  test("is not copied up to a position behind that, nor into a place that has a log", async () => {
    await inDirectory(async (directory) => {
      const [data, whole] = [join(directory, "data"), join(directory, "whole")];
      await forged(data, more(3).join(""));
      const damaged = `is already damaged at position ${end + 1n}`;
      expect((await copyUntil(end + 1n, data, whole)).stderr).toContain(damaged);
      expect((await copyUntil(end + 2n, data, join(directory, "b"))).stderr).toContain(damaged);
      await cp(given, join(directory, "there"), { recursive: true });
      expect(await copyUntil(end, data, join(directory, "there"))).toMatchObject({ code: 1 });
    });
  });

  inFull(
    "is not copied up to a position behind a gap, though its links were made anew",
    async () => {
      await inDirectory(async (directory) => {
        const data = join(directory, "data");
        await forged(data, "DELETE FROM events WHERE position = 6");
        const refused = await copyUntil(end - 1n, data, join(directory, "a"));
        expect(refused.stderr).toContain("is already damaged at position 6");
        expect(await copyUntil(5n, data, join(directory, "b"))).toMatchObject({ code: 0 });
      });
    },
  );

  test.each(["0", "-1", "x", "1.5"])("is not copied up to %s, which is no position", async (no) => {
    expect((await copyUntil(no, given, "/nowhere")).stderr).toContain("--until must be a position");
  });

  test.each([
    ["1", () => 1n],
    ["the one before its end", () => end - 1n],
  ])("that is not damaged is not copied up to %s, and no directory is made", async (_, until) => {
    await inDirectory(async (directory) => {
      const to = join(directory, "a");
      const refused = await copyUntil(until(), given, to);
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.stderr).toContain("is not damaged: copy it without --until");
      expect(existsSync(to)).toBe(false);
    });
  });

  test("is copied also where somebody has put an event before the first", async () => {
    await inDirectory(async (directory) => {
      const [data, whole] = [join(directory, "data"), join(directory, "whole")];
      await cp(given, data, { recursive: true });
      const db = new Database(logIn(data));
      db.exec(`INSERT INTO events SELECT 0, stream, version + 1000, type, owner, actor, time,
        payload, salt, mac, link FROM events WHERE position = 1`);
      db.close();
      expect(await copyUntil(end - 1n, data, whole)).toMatchObject({ code: 0, stderr: "" });
      expect(await run(["verify", flagOf(whole)], environment)).toMatchObject({ code: 0 });
      expect(await lastOf(whole)).toMatchObject({ position: end });
    });
  });

  test("makes no instance where a copy of it was cut off", async () => {
    await inDirectory(async (directory) => {
      await writeFile(draftIn(directory), "");
      const refused = await refusalOf([flagOf(directory), "--port=0"], environment);
      expect(refused).toMatch(/iam\.db\.copying is an incomplete copy: run the copying command/);
      expect(readdirSync(directory)).toEqual(["iam.db.copying"]);
    });
  });

  test("is not copied up to its end, or behind it", async () => {
    await inDirectory(async (directory) => {
      const at = await copyUntil(end, given, join(directory, "a"));
      expect(at.stderr).toContain(`ends at position ${end}: copy it without --until`);
      const behind = await copyUntil(end + 1n, given, join(directory, "b"));
      expect(behind.stderr).toContain(`has no position ${end + 1n}`);
      expect(readdirSync(directory)).toEqual([]);
    });
  });
});

describeOnPostgres("a database that was forged behind a position", () => {
  test("is copied up to there into a directory, which is served", () =>
    inDatabasePlace(async (place) => {
      const running = await place.start("a");
      const token = await place.tokenOf("a");
      expect(await callsTo(running.url, token).add("One")).toMatchObject({ status: 200 });
      await running.close();
      const [{ last } = {}] = await place.run("SELECT max(position)::text AS last FROM iam.events");
      await place.run(...more(2, "iam.events"));
      expect(await refusalOf([...place.flagsOf("a")], place.environment)).toContain("not what was");
      await inDirectory(async (directory) => {
        const whole = join(directory, "whole");
        const copy = [
          "copy",
          "--until",
          String(last),
          "--to",
          whole,
          `--data-dir=${place.node("a")}`,
        ];
        expect(await run(copy, place.environment)).toMatchObject({ code: 0, stderr: "" });
        const { IAM_MASTER_KEY } = place.environment;
        const served = await start([flagOf(whole), "--port=0"], { IAM_MASTER_KEY });
        expect(await callsTo(served.url, token).add("Two")).toMatchObject({ status: 200 });
        await served.close();
        expect(await run(["verify", flagOf(whole)], { IAM_MASTER_KEY })).toMatchObject({ code: 0 });
      });
    }));
});

async function linkAt(dataDir: string, position: bigint): Promise<Uint8Array | undefined> {
  const log = await logInFile(dataDir).readEvents();
  const event = await log.at(position);
  await log.close();
  return event?.link;
}
