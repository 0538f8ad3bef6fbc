import { cp, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { draftIn } from "../../src/log/in-file.ts";
import { withLog } from "../../src/log/offline.ts";
import { isErased } from "../../src/store/erasure.ts";
import { fillSqlite } from "../../src/store/sqlite/fill-file.ts";
import { inDirectory } from "../harness/process.ts";
import { list, startIn } from "../log/erased.ts";
import { environment } from "../log/forgeries.ts";
import { run } from "../start/command.ts";
import { readLog } from "../store/fixture.ts";
import { describeOnPostgres, postgresPlace } from "../store/postgres-place.ts";
import { configOf, eventsIn, flagOf } from "./copies.ts";
import { eraseSome, expectNone, makePeople } from "./erased-people.ts";

// A log of which much was erased, that moves from a file to a database, and back.

/** All objects of a log, with what they are derived as. */
async function objectsIn(dataDir: string, databaseUrl = "") {
  return await withLog(configOf(dataDir, databaseUrl), async ({ store }) => {
    const streams = new Set((await readLog(store)).map(({ stream }) => stream));
    return await store.load([...streams].sort());
  });
}

/** Copies the log of a directory, and proves the copy, which the list of erasures is beside. */
async function copyTo(
  { from, url = "" }: { readonly from: string; readonly url?: string },
  { to, url: target = "" }: { readonly to: string; readonly url?: string },
): Promise<void> {
  const at = (databaseUrl: string) => ({ ...environment, IAM_DATABASE_URL: databaseUrl });
  const copied = await run(["copy", "--to", target || to, flagOf(from)], at(url));
  expect(copied).toMatchObject({ code: 0, stderr: "" });
  await cp(join(from, list), join(to, list), { recursive: true });
  const { code, stdout } = await run(["verify", flagOf(to)], at(target));
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toContain("nothing is damaged");
  expect(stdout).not.toContain("Erasures were not compared");
}

describeOnPostgres("a log with erasures", () => {
  test("is the same in a database and back, and has no more than it had", async () => {
    const place = await postgresPlace();
    await inDirectory(async (directory) => {
      const [data, node, back] = ["data", "node", "back"].map((name) => join(directory, name)) as [
        string,
        string,
        string,
      ];
      await eraseSome(data, await makePeople(data));
      const events = await eventsIn(data);
      const types = new Set(events.filter(isErased).map(({ type }) => type));
      for (const type of ["human.added", "human.login.failed", "metadata.set", "removed"]) {
        expect(types).toContain(`user.${type}`);
      }
      const objects = await objectsIn(data);
      const before = await readFile(join(data, list), "utf8");

      await copyTo({ from: data }, { to: node, url: place.url });
      expect(await eventsIn(node, place.url)).toEqual(events);
      expect(await objectsIn(node, place.url)).toEqual(objects);
      await copyTo({ from: node, url: place.url }, { to: back });
      expect(await eventsIn(back)).toEqual(events);
      expect(await objectsIn(back)).toEqual(objects);

      // Nobody is there again, so that a start has nothing to repeat, and nothing to list.
      const service = await startIn(back, { token: "none" });
      expect(service.lines()).toEqual([]);
      await service.close();
      expect(await readFile(join(back, list), "utf8")).toBe(before);
      await expectNone(back);
    });
    await place.remove();
  });

  test("is brought to a database after a copy of before, which loses what it had", async () => {
    const place = await postgresPlace();
    await inDirectory(async (directory) => {
      const [data, node] = [join(directory, "data"), join(directory, "node")];
      const people = await makePeople(data);
      expect(await flagged(data, "copy", "--to", place.url)).toMatchObject({ code: 0 });
      await eraseSome(data, people);
      await copyTo({ from: data }, { to: node, url: place.url });
      expect(await eventsIn(node, place.url)).toEqual(await eventsIn(data));
    });
    await place.remove();
  });
});

const flagged = (dataDir: string, ...args: readonly string[]) =>
  run([...args, flagOf(dataDir)], environment);

/** What was begun before something was erased, and is brought to a directory afterwards. */
test.each([
  [
    "a copy that was cut off",
    async (from: string, to: string) => {
      const [{ stream = "" } = {}, ...more] = await eventsIn(from);
      await mkdir(to, { mode: 0o700 });
      const filling = await fillSqlite(draftIn(to), stream.replace(/^log-/, ""));
      await filling.add((await eventsIn(from)).slice(0, more.length));
      await filling.close();
    },
    (from: string, to: string) => flagged(from, "copy", "--to", to),
  ],
  [
    "an export",
    (from: string, to: string) => flagged(from, "export", `${to}.ndjson`),
    async (from: string, to: string) => {
      expect(await flagged(from, "export", `${to}.ndjson`)).toMatchObject({ code: 0 });
      return await flagged(to, "import", `${to}.ndjson`);
    },
  ],
] as const)("%s goes on after an erasure and has nothing of it", async (_, begin, goOn) => {
  await inDirectory(async (directory) => {
    const [data, to] = [join(directory, "data"), join(directory, "to")];
    const people = await makePeople(data);
    await begin(data, to);
    await eraseSome(data, people);
    expect(await goOn(data, to)).toMatchObject({ code: 0 });
    expect(await eventsIn(to)).toEqual(await eventsIn(data));
    expect(await flagged(to, "verify")).toMatchObject({ code: 0 });
    await expectNone(to);
  });
});
