import { cp, mkdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { inDirectory } from "../harness/process.ts";
import { run, start } from "./command.ts";

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

const linesOf = async (file: string) => (await readFile(file, "utf8")).split("\n").slice(0, -1);

/** The link of the newest event, as the last line of an export of the data directory has it. */
async function endOf(dataDir: string, file: string): Promise<string> {
  await run(["export", file, `--data-dir=${dataDir}`]);
  return JSON.parse((await linesOf(file)).at(-1)!).link;
}

describe("an export", () => {
  test("is one line for the log and one for each event, for its owner alone", async () => {
    await withExport(async ({ file }) => {
      const [first, ...events] = (await linesOf(file)).map((line) => JSON.parse(line));
      expect(first).toEqual({ form: "iam log 1", log: expect.any(String) });
      expect(events.map(({ position }) => position)).toEqual(events.map((_, i) => `${i + 1}`));
      expect(events[0]).toMatchObject({ type: "log.begun", stream: `log-${first.log}` });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    });
  });

  test("that was cut short goes on, and comes to the same", async () => {
    await withExport(async ({ data, file }) => {
      const whole = await readFile(file);
      for (const bytes of [0, 10, whole.indexOf("\n") + 1, whole.length - 40, whole.length]) {
        await truncate(file, bytes);
        expect(await run(["export", file, `--data-dir=${data}`])).toMatchObject({ code: 0 });
        expect(await readFile(file)).toEqual(whole);
      }
    });
  });

  test("does not go on in what is none, or is of another log or past", async () => {
    await withExport(async ({ data, file, other }) => {
      await serve(other);
      const foreign = await run(["export", file, `--data-dir=${other}`]);
      expect(foreign.stderr).toContain("is an export of another log, or another past");
      const [begin, ...events] = await linesOf(file);
      const moved = events.at(-1)!.replace(/"link":".{4}/, '"link":"0000');
      await writeFile(file, [begin, ...events.slice(0, -1), moved, ""].join("\n"));
      const past = await run(["export", file, `--data-dir=${data}`]);
      expect(past.stderr).toContain("is an export of another log, or another past");
      await writeFile(file, "something else\n");
      const text = await run(["export", file, `--data-dir=${data}`]);
      expect(text.stderr).toContain("holds something else than an export");
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
    ["it begins otherwise", (lines: readonly string[]) => lines.slice(1), "is no export of a log"],
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

  test("needs the key of the log", async () => {
    await withExport(async ({ file, other }) => {
      const { code, stderr } = await run(["import", file, `--data-dir=${other}`]);
      expect(code).toBe(1);
      expect(stderr).toContain("There is no master key");
    });
  });
});
