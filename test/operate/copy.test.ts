import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import pg from "pg";
import { readConfig } from "../../src/config/config.ts";
import { findLog } from "../../src/log/find.ts";
import { logIn } from "../../src/log/in-file.ts";
import { copyLog } from "../../src/operate/copy.ts";
import { importLog } from "../../src/operate/import.ts";
import { fillPostgres } from "../../src/store/postgres/fill.ts";
import { isFull } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { logPath } from "../harness/postgres.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { environment } from "../log/forgeries.ts";
import { run, start } from "../start/command.ts";
import { describeOnPostgres, type PostgresPlace, postgresPlace } from "../store/postgres-place.ts";
import { addMany, configOf, eventsIn, flagOf, importSix, serve } from "./copies.ts";

// A log that moves from a file to a database, and back.

let place: PostgresPlace;
/** The database, with a secret in its URL. */
let url: string;

/** The data directory of a service that has ended. */
let given: string;
beforeAll(async () => {
  given = join(await mkdtemp(join(tmpdir(), "iam-copy-")), "data");
  await serve(given, "One");
});
afterAll(() => rm(dirname(given), { recursive: true }));

const copyTo = (dataDir: string, to: string) =>
  run(["copy", "--to", to, flagOf(dataDir)], environment);

/** Runs a statement past the service; answers its rows, with exact numbers. */
async function inDatabase(text: string) {
  const types = { getTypeParser: parserOf };
  const client = new pg.Client({ connectionString: place.url, types });
  await client.connect();
  await client.query(logPath);
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

function parserOf(oid: number, format?: "text" | "binary") {
  return oid === pg.types.builtins.INT8 ? BigInt : pg.types.getTypeParser(oid, format);
}

describeOnPostgres("a copy", () => {
  beforeEach(async () => {
    place = await postgresPlace();
    url = place.url.replace("iam@", "iam:sesame@");
  });
  afterEach(async () => {
    await endProcesses();
    await place.remove();
  });

  test("to a database and back is the same log, and is served", async () => {
    await inDirectory(async (directory) => {
      const [data, back] = [join(directory, "data"), join(directory, "back")];
      await cp(given, data, { recursive: true });
      const copied = await copyTo(data, url);
      expect(copied).toMatchObject({ code: 0, stderr: "" });
      expect(copied.stdout.match(/^Checked .+: nothing is damaged\.$/gm)).toHaveLength(2);
      expect(copied.stdout).toMatch(/^Copied \d+ events, to position \d+ or later\.$/m);
      expect(copied.stdout).not.toContain("sesame");
      const events = await eventsIn(data);
      expect(await eventsIn(data, url)).toEqual(events);

      const said: string[] = [];
      const says = { say: (line: string) => void said.push(line), progress: () => {} };
      await copyLog(configOf(data, url), back, says);
      expect(await eventsIn(back)).toEqual(events);
      expect(await run(["verify", flagOf(back)], environment)).toMatchObject({ code: 0 });
      await writeFile(join(back, "admin.token"), await readFile(join(data, "admin.token")));
      await serve(back, "Two");
    });
  });

  test("goes on where it was cut off; until its end nobody opens the log", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await cp(given, data, { recursive: true });
      const events = await eventsIn(data);
      for (const [from, to] of [[0, 3], [3]]) {
        const filling = await fillPostgres(url);
        await filling.add(events.slice(from, to));
        await filling.close();
        await expect(place.open()).rejects.toThrow(/If a copy to here is running, let it finish/);
      }
      const log = await findLog(configOf(data, url));
      await expect(log.readEvents()).rejects.toThrow(/or an incomplete copy of one/);
      expect(await copyTo(data, url)).toMatchObject({ code: 0, stderr: "" });
      expect(await eventsIn(data, url)).toEqual(events);

      await serve(data, "Two");
      const next = await copyTo(data, url);
      expect(next).toMatchObject({ code: 0, stderr: "" });
      expect(await eventsIn(data, url)).toEqual(await eventsIn(data));
      const nothing = await copyTo(data, url);
      expect(nothing.stdout).toContain("Copied 0 events");
    });
  });

  test("is refused where another log is, or one that is ahead", async () => {
    await inDirectory(async (directory) => {
      const [data, other] = [join(directory, "data"), join(directory, "other")];
      await cp(given, data, { recursive: true });
      await serve(other, "Other");
      expect(await copyTo(data, url)).toMatchObject({ code: 0 });
      const before = await eventsIn(data, url);
      // Nodes of an older version may serve it: its tables are left as they are.
      await inDatabase("UPDATE iam.schema SET version = version - 1");
      const refused = await copyTo(other, url);
      expect(refused.stderr).toMatch(/in the database that is copied to there is another log/);
      await inDatabase("UPDATE iam.schema SET version = version + 1");
      await inDatabase(
        "INSERT INTO iam.events SELECT position + 1, stream, version + 1, type, owner, " +
          "actor, time, payload, salt, mac, link FROM iam.events ORDER BY position DESC LIMIT " +
          "1",
      );
      expect((await copyTo(data, url)).stderr).toContain("or one with more or different events");
      await inDatabase(
        "DELETE FROM iam.events WHERE position = (SELECT max(position) FROM iam.events)",
      );
      expect(await eventsIn(data, url)).toEqual(before);
      expect((await copyTo(data, other)).stderr).toContain("is not empty (");
    });
  });

  test("is made from no log that is damaged, and says nothing of a URL", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await cp(given, data, { recursive: true });
      const wrong = await copyTo(data, url.replace("postgres:", "postgress:"));
      expect(wrong.stderr).toBe("A copy goes to a directory, or a URL of the form postgres://…\n");
      const nowhere = await copyTo(data, "postgres://iam:sesame@localhost:1/iam");
      expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("ECONNREFUSED") });
      expect(nowhere.stderr + nowhere.stdout).not.toContain("sesame");
      const { damage } = await import("../store/sqlite-damage.ts");
      damage(logIn(data), "UPDATE events SET actor = 'x' WHERE position = 5");
      expect(await copyTo(data, url)).toMatchObject({ code: 1 });
      await expect(eventsIn(data, url)).rejects.toThrow(
        "it has no event log, or an incomplete copy",
      );
    });
  });

  inFull("takes its target from the environment, or a file", async () => {
    await inDirectory(async (directory) => {
      const data = join(directory, "data");
      await cp(given, data, { recursive: true });
      const file = join(directory, "url");
      await writeFile(file, `${url}\n`);
      const asked = await run(["copy", "--to-file", file, flagOf(data)], environment);
      expect(asked).toMatchObject({ code: 0, stderr: "" });
      const fromVariable = { ...environment, IAM_COPY_TO: url };
      expect(await run(["copy", flagOf(data)], fromVariable)).toMatchObject({ code: 0 });
      const none = await run(["copy", flagOf(data)], environment);
      expect(none.stderr).toBe("copy needs one of --to, --to-file and IAM_COPY_TO: see --help\n");
    });
  });

  inFull("killed again and again comes to the same", async () => {
    await inDirectory(async (directory) => {
      const [data, back] = [join(directory, "data"), join(directory, "back")];
      await cp(given, data, { recursive: true });
      await addMany(data, 9_000);
      const events = await eventsIn(data);
      const env = { ...environment, IAM_COPY_TO: url };
      for (let round = 0; round < 8; round += 1) {
        const copying = startProcess(["copy", flagOf(data)], { env });
        await pause(600 + 400 * round);
        copying.kill("SIGKILL");
        await copying.ended;
      }
      expect(await copyTo(data, url)).toMatchObject({ code: 0, stderr: "" });
      expect(await eventsIn(data, url)).toEqual(events);
      await copyLog(configOf(data, url), back, { say: () => {}, progress: () => {} });
      expect(await eventsIn(back)).toEqual(events);
    });
  });
});

const describeInFull = isFull ? describeOnPostgres : () => {};

describeInFull("an import into a database", () => {
  beforeEach(async () => {
    place = await postgresPlace();
    url = place.url;
  });
  afterEach(() => place.remove());
  const says = { say: () => {}, progress: () => {} };

  test("of what was cut leaves nothing there", async () => {
    await inDirectory(async (directory) => {
      const [data, file] = [join(directory, "data"), join(directory, "log.ndjson")];
      await cp(given, data, { recursive: true });
      // More than are written at once.
      await addMany(data, 1_100);
      await (await fillPostgres(url)).close();
      await run(["export", file, flagOf(data)]);
      const text = await readFile(file, "utf8");
      await writeFile(file, text.slice(0, -10));
      await expect(importLog(configOf(given, url), file, says)).rejects.toThrow("was cut");
      expect(await inDatabase("SELECT position FROM events")).toEqual([]);
    });
  });

  test("keeps what was used of quotas, and when what waits is due", async () => {
    await inDirectory(async (directory) => {
      const [data, file] = [join(directory, "data"), join(directory, "log.ndjson")];
      await cp(given, data, { recursive: true });
      const bounds = { IAM_MAILS_PER_ORGANIZATION: "2", IAM_SMS_PER_ORGANIZATION: "3" };
      const limits = { ...environment, ...bounds, IAM_SMS_PER_NUMBER: "1" };
      const service = await start([flagOf(data), "--port=0"], limits);
      await importSix(service.url, data);
      await service.close();
      await run(["export", file, flagOf(data)]);
      const config = { ...readConfig([flagOf(data)], limits), databaseUrl: url };
      await importLog(config, file, says);

      const db = new Database(logIn(data), { readonly: true }).defaultSafeIntegers();
      const waiting = "field, due, since FROM messages WHERE attempts = 0 ORDER BY position, field";
      const kept = {
        quotas: db.prepare("SELECT digest, used, debt, told, clear FROM quotas ORDER BY 1").all(),
        messages: db.prepare(`SELECT position, ${waiting}`).all(),
      };
      // What was tried waits for its next turn there.
      const tried = db.prepare("SELECT position FROM messages WHERE attempts > 0").pluck().all();
      const sent = new Set(tried.map(String));
      db.close();
      expect(kept.quotas.length).toBeGreaterThan(4);
      expect(kept.messages).toHaveLength(4);
      const there = {
        quotas: await inDatabase("SELECT digest, used, debt, told, clear FROM quotas ORDER BY 1"),
        messages: (await inDatabase("SELECT * FROM messages ORDER BY position, field")).flatMap(
          ({ position, field, due, since }) =>
            sent.has(`${position}`) ? [] : [{ position, field, due, since }],
        ),
      };
      expect(there).toEqual(kept);
    });
  });
});
