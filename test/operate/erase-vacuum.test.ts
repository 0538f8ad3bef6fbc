import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { projector } from "../../src/log/projector.ts";
import { schemaOf } from "../../src/store/postgres/revision.ts";
import { inFull } from "../harness/in-full.ts";
import { inDirectory } from "../harness/process.ts";
import { erase, importOwner, importPeople, marker, startIn } from "../log/erased.ts";
import { environment } from "../log/forgeries.ts";
import { run } from "../start/command.ts";
import { type DatabasePlace, inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";

// After it, no file of a log has bytes of what was erased.

const done = "The files of the log have nothing but its rows.\n";

/** Whether a file in the directory has the text. */
async function holds(directory: string, text: string): Promise<boolean> {
  const names = await readdir(directory);
  const files = await Promise.all(names.map((name) => readFile(join(directory, name), "latin1")));
  return files.some((bytes) => bytes.includes(text));
}

describe("erase-vacuum on a file", () => {
  test("takes what was deleted when nothing was overwritten yet", async () => {
    await inDirectory(async (data) => {
      const service = await startIn(data);
      await service.close();
      const db = new Database(logIn(data));
      db.pragma("secure_delete = OFF");
      db.exec(`INSERT INTO artifacts VALUES ('Session:1', NULL, NULL, '${marker}', 9e15, 0, x'')`);
      db.exec("DELETE FROM artifacts");
      db.close();
      expect((await readFile(logIn(data), "latin1")).includes(marker)).toBe(true);
      const { code, stdout, stderr } = await run(
        ["erase-vacuum", `--data-dir=${data}`],
        environment,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout.endsWith(done)).toBe(true);
      expect((await readFile(logIn(data), "latin1")).includes(marker)).toBe(false);
      expect(await run(["verify", `--data-dir=${data}`], environment)).toMatchObject({ code: 0 });
    });
  });

  test("says that the service has to stop where somebody reads, and what is no log", async () => {
    await inDirectory(async (data) => {
      const none = await run(["erase-vacuum", `--data-dir=${data}`], environment);
      expect(none.code).toBe(1);
      expect(none.stderr).toContain("there is no such file");
      const service = await startIn(data);
      const beside = await run(["erase-vacuum", `--data-dir=${data}`], environment);
      expect(beside).toMatchObject({ code: 1, stdout: "" });
      expect(beside.stderr).toContain("another process has it open: stop the service");
      await importPeople(service, 1);
      expect(await service.warnings()).toEqual([]);
      await service.close();
      const reader = new Database(logIn(data), { readonly: true });
      const rows = reader.prepare("SELECT * FROM events").iterate();
      rows.next();
      const refused = await run(["erase-vacuum", `--data-dir=${data}`], environment);
      rows.return?.();
      reader.close();
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain("stop the service, and run this again.");
    });
  });
});

/** The directory of the files of a database, and writes all that is in memory into them. */
async function filesOf({ run: sql }: DatabasePlace): Promise<string> {
  await sql("CHECKPOINT");
  const [{ at = "" } = {}] = (await sql(
    `SELECT current_setting('data_directory') || '/base/' || oid AS at
     FROM pg_database WHERE datname = current_database()`,
  )) as readonly { readonly at: string }[];
  return at;
}

describeOnPostgres("erase-vacuum on a database", () => {
  test("takes old versions of rows and statistics; VACUUM alone does not", async () => {
    await inDatabasePlace(async (place) => {
      const settings = place.environment;
      const service = await startIn(place.node("one"), { settings });
      const userId = await importOwner(service);
      await place.run("ANALYZE");
      await erase(service, userId);
      await service.close();
      await place.run("VACUUM");
      const files = await filesOf(place);
      expect(await holds(files, marker)).toBe(true);
      const flags = [`--data-dir=${place.node("one")}`];
      const vacuumed = await run(["erase-vacuum", ...flags], settings);
      expect(vacuumed).toMatchObject({ code: 0, stderr: "" });
      expect(vacuumed.stdout.endsWith(done)).toBe(true);
      await filesOf(place);
      expect(await holds(files, marker)).toBe(false);
      expect(await run(["verify", ...flags], settings)).toMatchObject({ code: 0 });
    });
  });

  inFull("needs the owner, and a log", async () => {
    await inDatabasePlace(async (place) => {
      const vacuum = (environment: { readonly [name: string]: string }) =>
        run(["erase-vacuum", `--data-dir=${place.node("one")}`], environment);
      await place.run(`DROP SCHEMA IF EXISTS iam, ${schemaOf(projector.revision)} CASCADE`);
      const empty = await vacuum(place.environment);
      expect(empty).toMatchObject({ code: 1 });
      expect(empty.stderr).toContain("there is no log");
      await (await startIn(place.node("one"), { settings: place.environment })).close();
      await place.run("DROP ROLE IF EXISTS iam_vacuums", "CREATE ROLE iam_vacuums LOGIN");
      const url = new URL(place.url);
      url.username = "iam_vacuums";
      const other = await vacuum({ ...place.environment, IAM_DATABASE_URL: url.href });
      expect(other).toMatchObject({ code: 1 });
      expect(other.stderr).toMatch(/its role does not own the table iam\w*\.\w+\n/);
      await place.run("DROP ROLE iam_vacuums");
    });
  });
});
