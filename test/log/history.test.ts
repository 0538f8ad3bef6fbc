import { cp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { headFile } from "../../src/log/head-places.ts";
import { logIn } from "../../src/log/in-file.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { shortened } from "../harness/extent.ts";
import { refusalOf, start } from "../start/command.ts";
import {
  argsOf,
  beginForgeries,
  endForgeries,
  environment,
  type Forgery,
  forge,
  inForgery,
  verify,
} from "./forgeries.ts";
import { changeHeads } from "./forgery.ts";

// Somebody who can write to the data directory, but has no master key, against a service that kept
// heads of its log beside it and elsewhere.

beforeAll(beginForgeries);
afterAll(endForgeries);

const evil = hashSecret("iam_pat_evil");
const swap = (column: string) =>
  `CREATE TEMP TABLE two AS SELECT position, ${column} AS one FROM events WHERE position IN (1, 5);
   UPDATE events SET ${column} = (SELECT one FROM two WHERE two.position = 6 - events.position)
   WHERE position IN (1, 5)`;
const deleteAfter = (position: string) => `DELETE FROM events WHERE position > ${position}`;
const newest = "(SELECT max(position) FROM events)";

/** Has the heads say what is so of the log, as far as one can without its key. */
async function fitHeads({ dataDir, anchor, db }: Forgery): Promise<void> {
  let head = {};
  db((log) => {
    const columns = "log, CAST(position AS TEXT) AS position, lower(hex(link)) AS link";
    head = log.prepare<[], object>(`SELECT ${columns} FROM head`).get() ?? {};
  });
  await changeHeads([join(dataDir, headFile), anchor], head);
}

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
      `UPDATE events SET payload = json_set(payload, '$.tokenHash', '${evil}')
       WHERE type = 'user.token.added'`,
    ),
    /it is not what was appended \(its MAC\)\. Run verify for more/,
    /version 3 of user-\S+: it is not what was appended \(its MAC\)/,
  ],
  [
    "swapped actors",
    forge(swap("actor")),
    /it is not what was appended \(its MAC\)\. Run verify for more/,
    /event at position 5, .+ \(its MAC\)/,
  ],
  [
    "another time",
    forge("UPDATE events SET time = time - 1000 WHERE position = 5"),
    /it is not what was appended \(its MAC\)\. Run verify for more/,
    /event at position 5, .+ \(its MAC\)/,
  ],
  [
    "swapped positions",
    forge(
      `UPDATE events SET position = -1 WHERE position = 3;
       UPDATE events SET position = 3 WHERE position = 4;
       UPDATE events SET position = 4 WHERE position = -1`,
    ),
    /it is not what it was/,
    /log: up to position \d+ it is not what it was .+ \(iam\.head\)/,
  ],
  [
    "a tail that was cut off",
    forge(deleteAfter(`${newest} - 1`)),
    /it ends at position \d+, and had \d+ at/,
    /log: it ends at position \d+, and had \d+ .+ \(iam\.head\)/,
  ],
  [
    "a stream that was cut out, and positions moved up",
    forge(
      `DELETE FROM events WHERE stream = (SELECT stream FROM events WHERE payload LIKE '%Secret%');
       UPDATE events SET position = (SELECT count(*) FROM events AS e
         WHERE e.position <= events.position)`,
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
    /it is not what was appended \(its MAC\)\. Run verify for more/,
    /version 1 of project-evil: it is not what was appended \(its MAC\)/,
  ],
  [
    "the log of yesterday",
    async ({ dataDir, yesterday }) => cp(logIn(yesterday), logIn(dataDir)),
    /it ends at position \d+, and had \d+ at .+ \(iam\.head\)/,
    /log: it ends at position \d+, and had \d+ at .+ \(iam\.head\)/,
  ],
  [
    "the log of yesterday, with the head that lay beside it",
    async ({ dataDir, yesterday }) => {
      await cp(logIn(yesterday), logIn(dataDir));
      await cp(join(yesterday, headFile), join(dataDir, headFile));
    },
    /it ends at position \d+, and had \d+ at .+ \(the anchor\)/,
    /log: it ends at position \d+, and had \d+ at .+ \(the anchor\)/,
  ],
  [
    "another log",
    async ({ dataDir }) => {
      const other = `${dataDir}-other`;
      await (await start(["--port=0", `--data-dir=${other}`], environment)).close();
      await cp(logIn(other), logIn(dataDir));
    },
    /it is the log \S+, and was \S+ at/,
    /log: it is the log \S+, and was \S+ at .+ \(iam\.head\)/,
  ],
  [
    "heads that were made to fit the forged log",
    async (forgery) => {
      forge("UPDATE events SET time = time - 1000 WHERE position = 5")(forgery);
      await fitHeads(forgery);
    },
    /it is not what was appended \(its MAC\)\. Run verify for more/,
    /head: the one in the anchor was not sealed with the key of the log/,
  ],
  [
    "the log of yesterday with heads that were made to fit it",
    async (forgery) => {
      await cp(logIn(forgery.yesterday), logIn(forgery.dataDir));
      await fitHeads(forgery);
    },
    /the head in iam\.head was not sealed with its key/,
    /head: the one in iam\.head was not sealed with the key of the log/,
  ],
  [
    "no head at all",
    async ({ dataDir, anchor }) => {
      await rm(join(dataDir, headFile));
      await rm(anchor);
    },
    /there is no head in iam\.head \(it is missing or empty\) or the anchor \(it is missing or /,
    /^There was no head to compare with/m,
  ],
];

test("what nobody touched is taken, and whole", async () => {
  await inForgery(async (forgery) => {
    const { code, stdout } = await verify(forgery);
    expect(stdout).toMatch(/^Checked .+: nothing is damaged\.\n$/);
    expect(code).toBe(0);
    await (await start(argsOf(forgery.dataDir, forgery.anchor), environment)).close();
  });
});

describe("a start refuses, and verify finds,", () => {
  test.each(shortened(rows, 3))("%s", async (_what, does, refusal, found) => {
    await inForgery(async (forgery) => {
      await does(forgery);
      expect((await verify(forgery)).stdout).toMatch(found);
      const said = await refusalOf(argsOf(forgery.dataDir, forgery.anchor), environment);
      expect(said).toMatch(/^(?:Refusing to start: the|The) event log \S+ /);
      expect(said).toMatch(refusal);
    });
  });
});

/** Each forgery of what follows from the log, with what a verification says of it. */
const derived: readonly (readonly [what: string, sql: string, verify: RegExp])[] = [
  [
    "the row of yesterday of the user who calls",
    `DELETE FROM objects WHERE stream LIKE 'user-%';
     INSERT INTO objects SELECT * FROM yesterday.objects WHERE stream LIKE 'user-%'`,
    /object user-\S+: not what follows from its events: .*version/,
  ],
  [
    "the row of the user who calls, taken away",
    "DELETE FROM objects WHERE stream LIKE 'user-%'",
    /object user-\S+: it is missing/,
  ],
  [
    "a project under another parent, in its row",
    "UPDATE objects SET parent = 'org-evil' WHERE kind = 'project'",
    /object project-\S+: it is not what was written \(its MAC\)/,
  ],
  [
    "a project of another kind, in its row",
    "UPDATE objects SET kind = 'app' WHERE kind = 'project'",
    /object project-\S+: it is not what was written \(its MAC\)/,
  ],
];

describe("a start takes, verify finds, and nobody is answered with", () => {
  test.each(shortened(derived, 2))("%s", async (_what, sql, found) => {
    await inForgery(async (forgery) => {
      let project = "";
      forgery.db((log) => {
        const stream = "SELECT stream FROM objects WHERE kind = 'project' ORDER BY first LIMIT 1";
        project = log.prepare<[], string>(stream).pluck().get()?.slice("project-".length) ?? "";
        log.prepare("ATTACH ? AS yesterday").run(logIn(forgery.yesterday));
        log.exec(sql);
      });
      expect((await verify(forgery)).stdout).toMatch(found);
      const { dataDir, anchor } = forgery;
      const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
      const running = await start(argsOf(dataDir, anchor), environment);
      const answer = await fetch(`${running.url}/management/v1/projects/${project}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(500);
      expect(await answer.json()).toMatchObject({ details: [{ reason: "INTERNAL" }] });
      await running.close();
    });
  });
});

describe("what nobody can notice", () => {
  test("is the log of yesterday with all its heads, which docs/chain.md says", async () => {
    await inForgery(async (forgery) => {
      const { dataDir, anchor, yesterday, anchorOfYesterday } = forgery;
      await cp(logIn(yesterday), logIn(dataDir));
      await cp(join(yesterday, headFile), join(dataDir, headFile));
      await cp(anchorOfYesterday, anchor);
      expect((await verify(forgery)).code).toBe(0);
      await (await start(argsOf(dataDir, anchor), environment)).close();
      const text = await readFile(join(import.meta.dirname, "../../docs/chain.md"), "utf8");
      expect(text).toContain("An older log together with all heads of then");
    });
  });
});
