import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { inDirectory } from "../harness/process.ts";
import * as copies from "../operate/copies.ts";
import { run, start } from "../start/command.ts";

/** A data directory of an instance, with an export of its log, and one to import it into. */
interface Place {
  readonly data: string;
  readonly file: string;
  readonly other: string;
}

async function withExport(body: (place: Place) => Promise<void>): Promise<void> {
  await inDirectory(async (directory) => {
    const [data, other] = [join(directory, "data"), join(directory, "other")];
    await serve(data);
    const file = join(directory, "log.ndjson");
    const ended = await run(["export", file, `--data-dir=${data}`]);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    await body({ data, file, other });
  });
}

/** Serves a data directory and ends. */
async function serve(dataDir: string): Promise<void> {
  await (await start([`--data-dir=${dataDir}`, "--port=0"])).close();
}

async function putKey({ data, other }: Place): Promise<void> {
  await mkdir(other, { mode: 0o700 });
  await cp(join(data, "master.key"), join(other, "master.key"));
}

/** What was used of quotas by now, and when what waits is due. */
function boundsIn(dataDir: string) {
  const db = new Database(join(dataDir, "iam.db"), { readonly: true });
  try {
    const quotas = db.prepare("SELECT hex(digest), used, debt, told, clear FROM quotas").all();
    const waiting = "SELECT position, field, due, since FROM messages WHERE attempts = 0";
    return { quotas, messages: db.prepare(waiting).all() };
  } finally {
    db.close();
  }
}

const linesOf = async (file: string) => (await readFile(file, "utf8")).split("\n").slice(0, -1);

/** Places at which a file may be cut: in each kind of line, and between them. */
async function cutsOf(file: string): Promise<readonly (readonly [where: string, bytes: number])[]> {
  const lines = (await linesOf(file)).map((line) => Buffer.byteLength(line) + 1);
  const through = (count: number) => lines.slice(0, count).reduce((all, one) => all + one, 0);
  const all = lines.length;
  return [
    ["before it begins", 0],
    ["in its first line", 10],
    ["behind its first line", through(1)],
    ["in its first event", through(1) + 40],
    ["behind an event", through(all - 3)],
    ["in an event", through(all - 2) - 40],
    ["before the end of an event's line", through(all - 2) - 1],
    ["behind its last event", through(all - 1)],
    ["in its end", through(all) - 40],
    ["before the end of its last line", through(all) - 1],
  ];
}

/** The link of the newest event, as the last line of an export of the data directory has it. */
async function endOf(dataDir: string, file: string): Promise<string> {
  await run(["export", file, `--data-dir=${dataDir}`]);
  return JSON.parse((await linesOf(file)).at(-1)!).link;
}

describe("an export", () => {
  test("is a line for the log, one for each event and one for its end, for its owner", async () => {
    await withExport(async ({ file }) => {
      const [first, ...rest] = (await linesOf(file)).map((line) => JSON.parse(line));
      const [events, end] = [rest.slice(0, -1), rest.at(-1)];
      expect(end).toEqual({ end: `${events.length}`, link: events.at(-1).link });
      expect(first).toEqual({ form: "iam log 1", log: expect.any(String) });
      expect(events.map(({ position }) => position)).toEqual(events.map((_, i) => `${i + 1}`));
      expect(events[0]).toMatchObject({ type: "log.begun", stream: `log-${first.log}` });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
  });

  test("that was cut short goes on, and comes to the same", async () => {
    await withExport(async ({ data, file }) => {
      const whole = await readFile(file);
      for (const bytes of [...(await cutsOf(file)).map(([, bytes]) => bytes), whole.length]) {
        await truncate(file, bytes);
        expect(await run(["export", file, `--data-dir=${data}`])).toMatchObject({ code: 0 });
        expect(await readFile(file)).toEqual(whole);
      }
    });
  });

  test("on a full disk fails, and is whole once there is room", async () => {
    await inDirectory(async (directory) => {
      const [data, file] = [join(directory, "data"), join(directory, "log.ndjson")];
      await copies.serve(data, "shop");
      // More than SQLite needs for files of its own.
      await copies.addMany(data, 200);
      const args = ["export", file, `--data-dir=${data}`];
      await run(args);
      const whole = await readFile(file);
      expect(whole.length).toBeGreaterThan(64 * 1024);
      await rm(file);
      // In blocks of 512 bytes: past them a write takes a part, and the next one fails.
      const room = String(Math.floor(whole.length / 512));
      const main = join(import.meta.dirname, "../../src/main.js");
      const shell = ["-c", 'ulimit -f "$0" && exec "$@"', room, process.execPath, main, ...args];
      const { status, stderr } = spawnSync("/bin/sh", shell, { encoding: "utf8" });
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("EFBIG") });
      expect(await run(args)).toMatchObject({ code: 0 });
      expect(await readFile(file)).toEqual(whole);
    });
  });

  test("goes on behind its last event once there are more", async () => {
    await withExport(async ({ data, file }) => {
      const before = await linesOf(file);
      await run(["token", "--user=admin", `--data-dir=${data}`]);
      const { stdout } = await run(["export", file, `--data-dir=${data}`]);
      expect(stdout).toContain("Exported 1 event ");
      const [event, end, ...more] = (await linesOf(file)).slice(before.length - 1);
      expect(JSON.parse(event!)).toMatchObject({ type: "user.token.recovered" });
      expect(JSON.parse(end!)).toEqual({
        end: `${before.length - 1}`,
        link: JSON.parse(event!).link,
      });
      expect(more).toEqual([]);
    });
  });

  test("does not go on behind its end", async () => {
    await withExport(async ({ data, file }) => {
      const lines = await linesOf(file);
      for (const more of [lines.at(-1)!, lines.at(-2)!]) {
        await writeFile(file, [...lines, more, ""].join("\n"));
        const { stderr } = await run(["export", file, `--data-dir=${data}`]);
        expect(stderr).toContain("is not an export");
      }
    });
  });

  test("does not go on in what is none, or is of another log or past", async () => {
    await withExport(async ({ data, file, other }) => {
      await serve(other);
      const foreign = await run(["export", file, `--data-dir=${other}`]);
      expect(foreign.stderr).toContain("is an export of another log, or of another history");
      const [begin, ...events] = (await linesOf(file)).slice(0, -1);
      const moved = events.at(-1)!.replace(/"link":".{4}/, '"link":"0000');
      await writeFile(file, [begin, ...events.slice(0, -1), moved, ""].join("\n"));
      const past = await run(["export", file, `--data-dir=${data}`]);
      expect(past.stderr).toContain("is an export of another log, or of another history");
      await writeFile(file, "something else\n");
      const text = await run(["export", file, `--data-dir=${data}`]);
      expect(text.stderr).toContain("is not an export");
      expect(await readFile(file, "utf8")).toBe("something else\n");
    });
  });
});

describe("an import", () => {
  test("makes a log that verifies, ends where the other did, and is served", async () => {
    await withExport(async (place) => {
      const { data, file, other } = place;
      await putKey(place);
      const flag = `--data-dir=${other}`;
      const imported = await run(["import", file, flag]);
      expect(imported).toMatchObject({ code: 0, stderr: "" });
      expect(imported.stdout).toContain("nothing is damaged");
      expect(await endOf(other, `${file}.2`)).toBe(await endOf(data, file));
      expect(await run(["verify", flag])).toMatchObject({ code: 0 });
      await serve(other);
    });
  });

  test.each([
    ["an event is missing", (lines: readonly string[]) => lines.toSpliced(3, 1), "line 4"],
    [
      "two are swapped",
      (lines: readonly string[]) => lines.toSpliced(3, 2, lines[4]!, lines[3]!),
      "line 4",
    ],
    [
      "an actor is another",
      (lines: readonly string[]) => lines.with(4, lines[4]!.replace('"actor":"', '"actor":"x')),
      "line 5",
    ],
    [
      "its end is another's",
      (lines: readonly string[]) =>
        lines.with(-1, lines.at(-1)!.replace(/"link":".{4}/, '"link":"0000')),
      "does not continue the line before",
    ],
    [
      "an event before its end is missing",
      (lines: readonly string[]) => lines.toSpliced(-2, 1),
      "does not continue the line before",
    ],
    [
      "something stands behind its end",
      (lines: readonly string[]) => [...lines, lines.at(-1)!],
      "does not continue the line before",
    ],
    [
      "it begins otherwise",
      (lines: readonly string[]) => lines.slice(1),
      "is not an export of a log",
    ],
  ])("where %s is refused, and nothing stays", async (_, damage, says) => {
    await withExport(async (place) => {
      const { file, other } = place;
      await putKey(place);
      await writeFile(file, `${damage(await linesOf(file)).join("\n")}\n`);
      const { code, stderr } = await run(["import", file, `--data-dir=${other}`]);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
      await rm(join(other, "master.key"));
      await rm(other, { recursive: false, force: true }).catch(() => {});
      await expect(stat(join(other, "iam.db"))).rejects.toThrow("ENOENT");
    });
  });

  test("of what was cut is refused, wherever it was", async () => {
    await withExport(async (place) => {
      const { file, other } = place;
      await putKey(place);
      for (const [where, bytes] of (await cutsOf(file)).toReversed()) {
        await truncate(file, bytes);
        const { code, stderr } = await run(["import", file, `--data-dir=${other}`]);
        const says = /was cut(: the end after position \d+ is missing\. Export again; | before)/;
        expect({ where, code, stderr }).toEqual({
          where,
          code: 1,
          stderr: expect.stringMatching(says),
        });
        expect(await readdir(other)).toEqual(["master.key"]);
      }
    });
  });

  test("keeps what was used of quotas, and when what waits is due", async () => {
    await withExport(async (place) => {
      const { data, file, other } = place;
      const bounds = [
        "--mails-per-organization=2",
        "--sms-per-organization=3",
        "--sms-per-number=1",
      ];
      const service = await start([`--data-dir=${data}`, "--port=0", ...bounds]);
      try {
        await copies.importSix(service.url, data);
      } finally {
        await service.close();
      }
      await run(["export", file, `--data-dir=${data}`]);
      await putKey(place);
      const imported = await run(["import", file, `--data-dir=${other}`, ...bounds]);
      expect(imported).toMatchObject({ code: 0, stderr: "" });
      const kept = boundsIn(data);
      expect(kept.quotas.length).toBeGreaterThan(4);
      expect(kept.messages).toHaveLength(4);
      expect(boundsIn(other)).toEqual(kept);
      const [copy, restored] = [`${file}.db`, `${file}.restored`];
      await run(["backup", copy, `--data-dir=${data}`]);
      expect(await run(["restore", copy, `--data-dir=${restored}`])).toMatchObject({ code: 0 });
      expect(boundsIn(restored)).toEqual(kept);
    });
  });

  test("needs the key of the log", async () => {
    await withExport(async ({ file, other }) => {
      const { code, stderr } = await run(["import", file, `--data-dir=${other}`]);
      expect(code).toBe(1);
      expect(stderr).toContain("There is no master key");
    });
  });
});
