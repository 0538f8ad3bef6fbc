import { expect, test } from "@jest/globals";
import { projector } from "../../src/log/projector.ts";
import { schemaOf } from "../../src/store/postgres/revision.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { refusalOf, run, start } from "./command.ts";
import { callsTo, type DatabasePlace, inDatabasePlace } from "./database-place.ts";

// What the service says of a database that it cannot use, and what it does once it can.

const made = schemaOf(projector.revision);
const opened = "The event log in the database cannot be opened: ";

describeOnPostgres("a start on a database", () => {
  const refused = (place: DatabasePlace, url: string) =>
    refusalOf(place.flagsOf("a"), { ...place.environment, IAM_DATABASE_URL: url });

  test("says in one sentence why it cannot be used", () =>
    inDatabasePlace(async (place) => {
      const there = new URL(place.url);
      const other = (change: (url: URL) => void) => {
        const url = new URL(place.url);
        change(url);
        return url.href;
      };
      const rows: readonly (readonly [url: string, says: RegExp])[] = [
        [other((url) => (url.pathname = "/nowhere")), /The database of IAM_DATABASE_URL does not/],
        [
          other((url) => (url.username = "nobody")),
          /The database refuses the login of this service/,
        ],
        [`postgres://iam:s3cret@127.0.0.1:1/iam`, /cannot be reached \(ECONNREFUSED\)/],
        [`${there.href}?sslmode=verify-full`, /The database does not support TLS\. Turn TLS on/],
        [
          `${there.href}?sslmode=verify-full&sslrootcert=/s3cret.pem`,
          /A file that the URL .+ does not exist/,
        ],
      ];
      for (const [url, says] of rows) {
        const sentence = await refused(place, url);
        expect(sentence).toMatch(says);
        expect(sentence).toMatch(/^The event log in the database cannot be (read|opened): [^\n]+$/);
        expect(sentence).not.toContain("s3cret");
        expect(sentence).not.toContain(there.hostname);
      }
    }));

  test("names what a newer program has made, and a role that may not make it", () =>
    inDatabasePlace(async (place) => {
      await place.run(
        ...["iam", made].map((name) => `DROP SCHEMA IF EXISTS ${name} CASCADE`),
        "DROP ROLE IF EXISTS iam_serving",
      );
      await place.run("CREATE ROLE iam_serving LOGIN");
      const url = new URL(place.url);
      url.username = "iam_serving";
      expect(await refused(place, url.href)).toBe(
        `${opened}The tables of the log must be created or changed, but the role of ` +
          "IAM_DATABASE_URL lacks the privilege. Run migrate with a role that has it: the owner " +
          "of iam.events, with CREATE on the database.",
      );

      // Migrated by another role, it is enough for this one to be let in.
      expect(await run(["migrate", "--role=iam_srving"], place.environment)).toEqual({
        ...{ code: 1, stdout: "" },
        stderr:
          "The event log in the database cannot be migrated: There is no role iam_srving: " +
          "create it with CREATE ROLE, or name another.\n",
      });
      const migrated = await run(["migrate", "--role=iam_serving"], place.environment);
      expect(migrated).toEqual({
        code: 0,
        stdout: "The tables in the database are up to date.\nThe role iam_serving may now serve.\n",
        stderr: "",
      });
      const environment = { ...place.environment, IAM_DATABASE_URL: url.href };
      const service = await start(place.flagsOf("a"), environment);
      try {
        const calls = callsTo(service.url, await place.tokenOf("a"));
        expect(await calls.add("By a role that may append")).toMatchObject({ status: 200 });
        const person = await calls.post("/management/v1/users/human/_import", {
          userName: "ada",
          profile: { firstName: "Ada", lastName: "Lovelace" },
          email: { email: "ada@example.com" },
        });
        const { userId } = JSON.parse(person.text);
        const erased = await calls.post(`/management/v1/users/${userId}/_erase`, {});
        expect(erased).toMatchObject({ status: 200 });
        const [left] = await place.run(
          `SELECT count(*) FILTER (WHERE payload <> '') AS filled, count(*) >= 4 AS all
             FROM iam.events WHERE stream = 'user-${userId}'`,
        );
        // The mail may have been sent before that.
        expect(left).toEqual({ filled: "1", all: true });
        // Nobody erases a stream by the function alone, who may call it.
        await place.run("SET ROLE iam_serving", `SELECT ${made}.erase(stream) FROM iam.events`);
        const [{ emptied } = {}] = await place.run(
          `SELECT count(*) AS emptied FROM iam.events
             WHERE payload = '' AND stream <> 'user-${userId}'`,
        );
        expect(emptied).toBe("0");
        const [may] = await place.run(
          `SELECT has_table_privilege('iam_serving', 'iam.events', 'UPDATE, DELETE') AS change,
             has_schema_privilege('iam_serving', 'iam', 'CREATE') AS make`,
        );
        expect(may).toEqual({ change: false, make: false });
      } finally {
        await service.close();
      }
      await place.run("UPDATE iam.schema SET version = version + 1");
      expect(await refused(place, place.url)).toMatch(
        /use the newer version of the program that wrote it/,
      );
      expect((await run(["migrate"], place.environment)).stderr).toMatch(
        /newer version of the program/,
      );
      await place.run("UPDATE iam.schema SET version = 2");
      const once = /has schema 2, .+: open it once with commit 226d0ee, then with this program/;
      expect(await refused(place, place.url)).toMatch(once);
      expect((await run(["migrate"], place.environment)).stderr).toMatch(once);
      const verified = await run(["verify", ...place.flagsOf("a")], place.environment);
      expect(verified.stdout).toContain("open it once with commit 226d0ee");
      await place.run("DROP SCHEMA iam CASCADE", `DROP SCHEMA ${made} CASCADE`);
    }));

  test("is what migrate is for, and a file is not", async () => {
    expect((await run(["migrate"])).stderr).toBe(
      "migrate is for a database: give IAM_DATABASE_URL (--database-url)\n",
    );
  });
});
