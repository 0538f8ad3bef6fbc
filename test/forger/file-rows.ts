import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { erasureFile } from "../../src/log/erasure-places.ts";
import { headFile } from "../../src/log/head-places.ts";
import { logIn } from "../../src/log/in-file.ts";
import { unfinishedFile } from "../../src/start/unfinished.ts";
import { takeOutOfIndex } from "../store/sqlite-forge.ts";
import { evil, type Forgery, lowOwns, never, owns, sqlOf, streamOf, text } from "./forgery.ts";
import { addOnce } from "./life.ts";
import type { Scene } from "./stage.ts";

const goneOwns = owns(({ life }) => life.gone.token);

/** What somebody does to files, and to what a database has beside rows. */
export const fileRows: readonly Forgery[] = [
  {
    name: "iam.head removed",
    of: "file",
    when: "rest",
    forge: ({ dataDir }) => rm(join(dataDir, headFile)),
    effect: never,
    unseen: true,
  },
  {
    name: "iam.head garbage",
    when: "rest",
    forge: ({ dataDir }) => writeFile(join(dataDir, headFile), "x"),
    effect: never,
  },
  {
    name: "iam.head of another position",
    when: "rest",
    forge: async ({ dataDir }) => {
      const path = join(dataDir, headFile);
      const head = JSON.parse(await readFile(path, "utf8"));
      await writeFile(path, JSON.stringify({ ...head, position: "3" }));
    },
    effect: never,
  },
  {
    name: "the log of the day before",
    of: "file",
    when: "rest",
    forge: ({ dataDir, yesterday }) => cp(logIn(yesterday), logIn(dataDir)),
    effect: goneOwns,
  },
  {
    name: "the same, with its head, and without the list of erasures",
    of: "file",
    when: "rest",
    forge: async ({ dataDir, yesterday }) => {
      await cp(logIn(yesterday), logIn(dataDir));
      await cp(join(yesterday, headFile), join(dataDir, headFile));
      await rm(join(dataDir, erasureFile));
    },
    effect: goneOwns,
    ...{ documented: true, unseen: true },
  },
  {
    name: "an event taken out of the index, and the row of before put back",
    of: "file",
    forge: hideRemoval,
    effect: goneOwns,
    documented: true,
  },
  {
    name: "an event at position 0",
    forge: sqlOf(
      text(`INSERT INTO events SELECT 0, stream, version + 1000, type, owner, actor, time, payload,
        salt, mac, link FROM events WHERE position = 5`),
    ),
    effect: never,
  },
  {
    name: "admin.token of the forger",
    forge: ({ dataDir }) => writeFile(join(dataDir, "admin.token"), `${evil}\n`),
    effect: owns(() => evil),
    unseen: true,
  },
  {
    name: "first-start.unfinished, and a token of low as admin.token",
    when: "rest",
    forge: async ({ dataDir, life }) => {
      await writeFile(join(dataDir, "admin.token"), `${life.low.token}\n`);
      await writeFile(join(dataDir, unfinishedFile), "");
    },
    effect: lowOwns,
    unseen: true,
  },
  {
    name: "the id of the log",
    of: "database",
    forge: sqlOf(text("UPDATE log SET id = '0190a0c4-0000-7000-8000-00000000beef'")),
    effect: never,
  },
  {
    name: "a second id of the log",
    of: "database",
    forge: sqlOf(text("INSERT INTO log VALUES ('0190a0c4-0000-7000-8000-00000000beef')")),
    effect: never,
  },
  {
    name: "what the role that serves may not do",
    of: "database",
    forge: async () => {},
    effect: async ({ sqlOfServer }) => {
      const done = notForTheServer.map((statement) =>
        sqlOfServer("BEGIN", statement, "ROLLBACK").then(
          () => true,
          (error) => error.code !== "42501",
        ),
      );
      return (await Promise.all(done)).includes(true);
    },
    unseen: true,
  },
];

/** What no node needs that serves. */
const notForTheServer = [
  "UPDATE events SET payload = '{}'",
  "DELETE FROM events",
  "TRUNCATE events",
  "DROP TABLE events",
  "UPDATE log SET id = 'x'",
  "ALTER TABLE events ADD COLUMN evil text",
  "CREATE FUNCTION evil() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
  "CREATE TRIGGER evil BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION pg_sleep(1)",
];

/** Hides that the token of an owner was removed, and puts back what the row of it was. */
async function hideRemoval({ dataDir, life, yesterday }: Scene): Promise<void> {
  const stream = streamOf(life.gone.id);
  takeOutOfIndex(logIn(dataDir), stream, "type = 'user.token.removed'");
  const db = new Database(logIn(dataDir), { timeout: 5_000 });
  db.prepare("ATTACH ? AS yesterday").run(logIn(yesterday));
  db.exec(`DELETE FROM objects WHERE stream = '${stream}';
    INSERT INTO objects SELECT * FROM yesterday.objects WHERE stream = '${stream}';
    INSERT OR IGNORE INTO texts SELECT * FROM yesterday.texts
      WHERE first = (SELECT first FROM objects WHERE stream = '${stream}')`);
  db.close();
}

/** Tables that follow from no event. */
export const besideRows: readonly Forgery[] = [
  ...["quotas", "turns", "messages", "answers", "batches"].map(
    (table): Forgery => ({
      name: `${table} emptied`,
      ...(table === "batches" ? { of: "database" as const } : {}),
      forge: sqlOf(text(`DELETE FROM ${table}`)),
      effect: never,
      unseen: true,
    }),
  ),
  {
    name: "the answer of one call put in the place of another's",
    forge: sqlOf(
      text(`UPDATE answers SET
        request = (SELECT other.request FROM answers other WHERE other.number <> answers.number),
        answer = (SELECT other.answer FROM answers other WHERE other.number <> answers.number)`),
    ),
    effect: async ({ life }, url) =>
      (await addOnce(url, life.admin, "once")) === life.answered.twice,
    unseen: true,
  },
];
