import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { projector } from "../../src/log/projector.ts";
import { schemaOf } from "../../src/store/postgres/revision.ts";
import { refusalOf } from "../start/command.ts";
import { callsTo, type DatabasePlace, inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";

const made = schemaOf(projector.revision);

// A database that another has taken the place of, which has not all that was there.

/** Takes away the last events, with what follows from them, as a server does that had them not. */
async function loseEvents({ run }: DatabasePlace, after: bigint): Promise<void> {
  await run(
    `DELETE FROM ${made}.texts WHERE first > ${after}`,
    `DELETE FROM ${made}.objects WHERE first > ${after}`,
    `DELETE FROM iam.events WHERE position > ${after}`,
    `UPDATE ${made}.counts c SET objects = (SELECT count(*) FROM ${made}.objects o
       WHERE o.kind = c.kind AND o.parent = c.parent)`,
  );
}

const endOf = async ({ run }: DatabasePlace) => {
  const [{ position } = {}] = await run("SELECT max(position) AS position FROM iam.events");
  return BigInt(String(position));
};

/** Waits until the head that a node keeps is at a position. */
async function headAt({ node }: DatabasePlace, name: string, position: bigint): Promise<void> {
  const read = () => readFile(join(node(name), "iam.head"), "utf8");
  while (!(await read()).includes(`"position":"${position}"`)) await pause(20);
}

describeOnPostgres("a database that lost the end of the log", () => {
  test("is read and not written, by who has written what is lost and who has read it", () =>
    inDatabasePlace(async (place) => {
      const [writer, reader] = [await place.start("writer"), await place.start("reader")];
      const token = await place.tokenOf("writer");
      const [written, read] = [callsTo(writer.url, token), callsTo(reader.url, token)];
      expect(await written.add("Kept")).toMatchObject({ status: 200 });
      const end = await endOf(place);
      expect(await written.add("Lost")).toMatchObject({ status: 200 });
      expect((await read.events()).text).toContain("Lost");
      await headAt(place, "writer", await endOf(place));
      await loseEvents(place, end);

      for (const node of [written, read]) {
        const refused = await node.add("After");
        expect(refused).toMatchObject({ status: 503 });
        expect(refused.text).toContain("HISTORY_CHANGED");
        expect((await node.ready()).text).toContain("HISTORY_CHANGED");
        const { status, text } = await node.projects();
        expect(status).toBe(200);
        expect(text).toContain("Kept");
        expect(text).not.toContain("Lost");
      }
      await writer.close();
      await reader.close();

      const refused = await refusalOf(place.flagsOf("writer"), place.environment);
      expect(refused).toMatch(
        /^Refusing to start: the event log in the database does not continue the log/,
      );
      expect(refused).toMatch(/it ends at position \d+, and had \d+ at .+ \(iam\.head\)/);
      const joined = await place.start("new");
      expect(await callsTo(joined.url, token).add("Joined")).toMatchObject({ status: 200 });
      await joined.close();

      // What has a head of its own goes on only by the word of somebody who has kept another.
      const historyFrom = join(place.node("new"), "iam.head");
      const lost = { historyFrom: join(place.node("writer"), "iam.head") };
      expect(await refusalOf(place.flagsOf("writer"), place.environment, lost)).toMatch(
        /^The event log in the database does not continue the backup/,
      );
      const again = await place.start("writer", { historyFrom });
      expect(await callsTo(again.url, token).add("Accepted")).toMatchObject({ status: 200 });
      const [{ count } = {}] = await place.run(
        "SELECT count(*) FROM iam.events WHERE type = 'log.history.accepted'",
      );
      expect(count).toBe("1");
      await again.close();
      await (await place.start("writer")).close();
    }));

  test("is written on when it is back, by who has read meanwhile what took its place", () =>
    inDatabasePlace(async (place) => {
      const [writer, reader] = [await place.start("writer"), await place.start("reader")];
      const token = await place.tokenOf("writer");
      const [written, read] = [callsTo(writer.url, token), callsTo(reader.url, token)];
      expect(await written.add("Kept")).toMatchObject({ status: 200 });
      const end = await endOf(place);
      for (const [i, node] of [written, read].entries()) {
        expect(await node.add(`Lost ${i}`)).toMatchObject({ status: 200 });
      }
      const tables = ["iam.events", ...["texts", "objects", "counts"].map((t) => `${made}.${t}`)];
      const kept = (table: string) => `kept.${table.replace(/.*\./, "")}`;
      const keep = tables.map((table) => `CREATE TABLE ${kept(table)} AS TABLE ${table}`);
      await place.run("CREATE SCHEMA kept", ...keep);
      await loseEvents(place, end);
      const readiness = async (status: number) => {
        for (const node of [written, read]) {
          while ((await node.ready()).status !== status) await pause(20);
        }
      };
      await readiness(503);

      // Where the lost one ended, another goes on.
      const other = await place.start("other");
      for (const name of ["Another 1", "Another 2", "Another 3"]) {
        expect(await callsTo(other.url, token).add(name)).toMatchObject({ status: 200 });
      }
      expect(await endOf(place)).toBe(end + 3n);
      for (const node of [written, read]) {
        expect((await node.events()).text).toContain("HISTORY_CHANGED");
        expect(await node.add("After")).toMatchObject({ status: 503 });
      }
      await other.close();
      await place.run(
        ...tables.map((table) => `DELETE FROM ${table}`),
        ...tables.map((table) => `INSERT INTO ${table} SELECT * FROM ${kept(table)}`),
        "DROP SCHEMA kept CASCADE",
      );
      await readiness(200);
      for (const node of [written, read]) {
        expect((await node.events()).text).toContain("Lost 1");
        expect(await node.add(`After ${node === read}`)).toMatchObject({ status: 200 });
      }
    }));
});
