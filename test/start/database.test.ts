import { readdir } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { refusalOf } from "./command.ts";
import { callsTo, inDatabasePlace } from "./database-place.ts";

// The service on a log that lies in a database.

describeOnPostgres("a log in a database", () => {
  test("is served by nodes that begin at once, of which one sets it up", () =>
    inDatabasePlace(async (place) => {
      const names = ["a", "b", "c"];
      const nodes = await Promise.all(names.map((name) => place.start(name)));
      const welcomed = names.filter((_, i) => nodes[i]?.welcome !== undefined);
      expect(welcomed).toHaveLength(1);
      const [winner = ""] = welcomed;
      for (const name of names) {
        const own = [
          "iam.head",
          "iam.head.lock",
          ...(name === winner ? ["admin.token", "owner.link"] : []),
        ];
        expect((await readdir(place.node(name))).sort()).toEqual(own.sort());
      }
      const token = await place.tokenOf(winner);
      for (const { url } of nodes) {
        expect(await callsTo(url, token).add(`Of ${url}`)).toMatchObject({ status: 200 });
        expect(await callsTo(nodes[0]!.url, token).add(`Of ${url}`)).toMatchObject({ status: 409 });
      }
    }));

  test("is not served without the keys that all nodes have, and none is made", () =>
    inDatabasePlace(async ({ flagsOf, environment: { IAM_DATABASE_URL }, node }) => {
      expect(await refusalOf(flagsOf("a"), { IAM_DATABASE_URL })).toBe(
        "IAM_MASTER_KEY (--master-key) must be given with IAM_DATABASE_URL (--database-url): all " +
          "nodes need the same keys",
      );
      await expect(readdir(node("a"))).rejects.toThrow("ENOENT");
    }));

  test("is not begun anew for a node that has a head of another", () =>
    inDatabasePlace(async (place) => {
      await (await place.start("a")).close();
      await inDatabasePlace(async ({ environment }) => {
        const refused = await refusalOf(place.flagsOf("a"), environment);
        expect(refused).toMatch(/^The event log in the database is missing or empty, but admin/);
      });
    }));
});
