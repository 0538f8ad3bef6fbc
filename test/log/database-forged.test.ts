import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { headFile } from "../../src/log/head-places.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { shortened } from "../harness/extent.ts";
import { logPath } from "../harness/postgres.ts";
import { refusalOf, start } from "../start/command.ts";
import { callsTo } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { beginForgeries, endForgeries, type Forgery, inForgery } from "./database-forgeries.ts";
import { changeHeads } from "./forgery.ts";

// Somebody who may write the rows of the database, and the data directory of a node, but has no
// master key: what history.test.ts has for a file.

const evil = hashSecret("iam_pat_evil");
const newest = "(SELECT max(position) FROM events)";
const swap = (column: string) =>
  `UPDATE events e SET ${column} = other.${column} FROM events other
     WHERE e.position IN (1, 5) AND other.position = 6 - e.position`;

const forge =
  (...texts: string[]) =>
  async ({ sql, relink }: Forgery) => {
    await sql(...texts);
    await relink();
  };

/** Has the heads say what is so of the log, as far as one can without its key. */
async function fitHeads({ dataDir, anchor, place }: Forgery): Promise<void> {
  const [head] = await place.run(
    `SELECT (SELECT id FROM iam.log) AS log, position::text, encode(link, 'hex') AS link
       FROM iam.events ORDER BY events.position DESC LIMIT 1`,
  );
  await changeHeads([join(dataDir, headFile), anchor], head ?? {});
}

const ofMac = /it is not what was appended \(its MAC\)/;
/** Each forgery, with what a start and a verification say. */
const rows: readonly (readonly [
  what: string,
  does: (forgery: Forgery) => unknown,
  start: RegExp,
  verify: RegExp,
])[] = [
  [
    "another hash for the token of the first owner, everywhere",
    forge(
      `UPDATE events SET payload = jsonb_set(payload::jsonb, '{tokenHash}', '"${evil}"')::text
         WHERE type = 'user.token.added'`,
    ),
    ofMac,
    /version 3 of user-\S+: it is not what was appended \(its MAC\)/,
  ],
  ["swapped actors", forge(swap("actor")), ofMac, /event at position 5, .+ \(its MAC\)/],
  [
    "another time",
    forge("UPDATE events SET time = time - 1000 WHERE position = 5"),
    ofMac,
    /event at position 5, .+ \(its MAC\)/,
  ],
  [
    "swapped positions",
    forge(
      "UPDATE events SET position = -1 WHERE position = 3",
      "UPDATE events SET position = 3 WHERE position = 4",
      "UPDATE events SET position = 4 WHERE position = -1",
    ),
    /it is not what it was/,
    /log: up to position \d+ it is not what it was .+ \(iam\.head\)/,
  ],
  [
    "a tail that was cut off",
    forge(`DELETE FROM events WHERE position > ${newest} - 1`),
    /it ends at position \d+, and had \d+ at/,
    /log: it ends at position \d+, and had \d+ .+ \(iam\.head\)/,
  ],
  [
    "a stream that was cut out, and positions moved up",
    forge(
      "DELETE FROM events WHERE stream = (SELECT stream FROM events WHERE payload LIKE '%Secret%')",
      "UPDATE events SET position = position + 1000",
      `UPDATE events e SET position = n.number FROM (SELECT position,
           row_number() OVER (ORDER BY position) AS number FROM events) AS n
         WHERE n.position = e.position`,
    ),
    /it ends at position \d+, and had \d+ at/,
    /log: it ends at position \d+/,
  ],
  [
    "an event that was inserted at the end",
    forge(
      `INSERT INTO events SELECT position + 1, 'project-evil', 1, type, owner, actor, time, payload,
           salt, mac, link FROM events ORDER BY position DESC LIMIT 1`,
    ),
    ofMac,
    /version 1 of project-evil: it is not what was appended \(its MAC\)/,
  ],
  [
    "the rows of yesterday",
    ({ putBack }) => putBack(),
    /it ends at position \d+, and had \d+ at .+ \(iam\.head\)/,
    /log: it ends at position \d+, and had \d+ at .+ \(iam\.head\)/,
  ],
  [
    "the rows of yesterday, with the head that the node had",
    async ({ putBack, dataDir, yesterday }) => {
      await putBack();
      await cp(join(yesterday, headFile), join(dataDir, headFile));
    },
    /it ends at position \d+, and had \d+ at .+ \(the anchor\)/,
    /log: it ends at position \d+, and had \d+ at .+ \(the anchor\)/,
  ],
  [
    "another log",
    async ({ sql, place }) => {
      const tables = ["events", "log", "objects", "lists", "texts", "counts"];
      await sql(
        ...tables.map((table) => `DELETE FROM ${table}`),
        "UPDATE projection SET revision = -1",
      );
      await (await place.start("other")).close();
    },
    /it is the log \S+, and was \S+ at/,
    /log: it is the log \S+, and was \S+ at .+ \(iam\.head\)/,
  ],
  [
    "two logs",
    ({ sql }) => sql("INSERT INTO log VALUES ('another')"),
    /several identities/,
    /log: it has 2 ids, and not one/,
  ],
  [
    "heads that were made to fit the forged log",
    async (forgery) => {
      await forge("UPDATE events SET time = time - 1000 WHERE position = 5")(forgery);
      await fitHeads(forgery);
    },
    ofMac,
    /head: the one in the anchor was not sealed with the key of the log/,
  ],
  [
    "the rows of yesterday with heads that were made to fit them",
    async (forgery) => {
      await forgery.putBack();
      await fitHeads(forgery);
    },
    /the head in iam\.head was not sealed with its key/,
    /head: the one in iam\.head was not sealed with the key of the log/,
  ],
];

/** Each forgery of what follows from the log, with what a verification says of it. */
const derived: readonly (readonly [
  what: string,
  does: (forgery: Forgery) => unknown,
  verify: RegExp,
])[] = [
  [
    "the row of yesterday of the user who calls",
    ({ sql }) =>
      sql(
        "DELETE FROM objects WHERE stream LIKE 'user-%'",
        "INSERT INTO objects SELECT * FROM yesterday.objects WHERE stream LIKE 'user-%'",
      ),
    /object user-\S+: not what follows from its events: .*version/,
  ],
  [
    "the row of the user who calls, taken away",
    ({ sql }) => sql("DELETE FROM objects WHERE stream LIKE 'user-%'"),
    /object user-\S+: it is missing/,
  ],
  [
    "a project under another parent, in its row",
    ({ sql }) => sql("UPDATE objects SET parent = 'org-evil' WHERE kind = 'project'"),
    /object project-\S+: it is not what was written \(its MAC\)/,
  ],
  [
    "a project of another kind, in its row",
    ({ sql }) => sql("UPDATE objects SET kind = 'app' WHERE kind = 'project'"),
    /object project-\S+: it is not what was written \(its MAC\)/,
  ],
];

/** What a start and the calls do not show, and a verification does. */
const unseen: readonly (readonly [sql: string, verify: RegExp])[] = [
  [
    `DELETE FROM texts WHERE tie = 0 AND list IN
       (SELECT number FROM lists WHERE kind = 'project' AND name = 'name')`,
    /claim project\.name .+: it is missing, but project-\S+ should hold it/,
  ],
  ["UPDATE counts SET objects = objects + 1", /count of \S+ under \S+: it is \d+, not \d+/],
  ["UPDATE texts SET listed = false", /field name of project-\S+: it is missing/],
];

describeOnPostgres("in PostgreSQL,", () => {
  beforeAll(beginForgeries);
  afterAll(endForgeries);

  test("what nobody touched is taken, and whole", () =>
    inForgery(async ({ verify, flags, place }) => {
      const { code, stdout } = await verify();
      expect(stdout).toMatch(/^Checked .+: nothing is damaged\.\n$/);
      expect(code).toBe(0);
      await (await start(flags, place.environment)).close();
    }));

  describe("a start refuses, and verify finds,", () => {
    test.each(shortened(rows, 2))("%s", (_what, does, refusal, found) =>
      inForgery(async (forgery) => {
        await does(forgery);
        expect((await forgery.verify()).stdout).toMatch(found);
        const said = await refusalOf(forgery.flags, forgery.place.environment);
        expect(said).toMatch(/^(?:Refusing to start: the|The) event log in the database /);
        expect(said).toMatch(refusal);
      }),
    );
  });

  describe("a start takes, verify finds, and nobody is answered with", () => {
    test.each(shortened(derived))("%s", (_what, does, found) =>
      inForgery(async (forgery) => {
        const { place, flags } = forgery;
        const [{ stream } = {}] = await place.run(
          logPath,
          "SELECT stream FROM objects WHERE kind = 'project' ORDER BY first LIMIT 1",
        );
        await does(forgery);
        expect((await forgery.verify()).stdout).toMatch(found);
        const node = await start(flags, place.environment);
        const { get } = callsTo(node.url, await place.tokenOf("node"));
        const project = String(stream).slice("project-".length);
        const answer = await get(`/management/v1/projects/${project}`);
        expect(answer.status).toBe(500);
        expect(JSON.parse(answer.text)).toMatchObject({ details: [{ reason: "INTERNAL" }] });
        await node.close();
      }),
    );
  });

  test.each(shortened(unseen))("%s is found by verify", (sql, found) =>
    inForgery(async (forgery) => {
      await forgery.sql(sql);
      expect((await forgery.verify()).stdout).toMatch(found);
      await (await start(forgery.flags, forgery.place.environment)).close();
    }),
  );

  describe("what nobody can notice, as docs/chain.md says,", () => {
    const documented = async (text: string) => {
      const page = await readFile(join(import.meta.dirname, "../../docs/chain.md"), "utf8");
      expect(page.replaceAll(/\s+/g, " ")).toContain(text);
    };

    test("is the rows of yesterday with all heads of then", () =>
      inForgery(async ({ putBack, dataDir, yesterday, anchor, anchorOfYesterday, ...rest }) => {
        await putBack();
        await cp(join(yesterday, headFile), join(dataDir, headFile));
        await cp(anchorOfYesterday, anchor);
        expect((await rest.verify()).code).toBe(0);
        await (await start(rest.flags, rest.place.environment)).close();
        await documented("An older log together with all heads of then");
      }));

    test("is those rows for a node that has no head, which joins", () =>
      inForgery(async ({ putBack, dataDir, anchor, flags, place, verify }) => {
        await putBack();
        await rm(join(dataDir, headFile));
        await rm(anchor);
        expect((await verify()).stdout).toMatch(/^There was no head to compare with/m);
        await (await start(flags, place.environment)).close();
        await documented("A node without a head");
      }));
  });
});
