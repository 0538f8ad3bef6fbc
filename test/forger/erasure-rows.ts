import { createHash } from "node:crypto";
import { appendFile, cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { erasureFile } from "../../src/log/erasure-places.ts";
import { headFile } from "../../src/log/head-places.ts";
import { logIn } from "../../src/log/in-file.ts";
import { type Effect, type Forgery, last, never, streamOf } from "./forgery.ts";
import { call } from "./life.ts";
import type { Scene } from "./stage.ts";

/** Whether somebody who was erased is there again. */
const isBack: Effect = async ({ life }, url) =>
  (await call(url, life.admin, "GET", `/management/v1/users/${life.erased}`)).status === 200;

/** Whether somebody is gone whom nobody erased. */
const isGone: Effect = async ({ life }, url) =>
  (await call(url, life.admin, "GET", `/management/v1/users/${life.person.id}`)).status === 404;

/** Takes the payloads of some events as an erasure does, whose hashes need no key. */
async function take({ kind, sql }: Scene, where: string): Promise<void> {
  const rows = await sql(`SELECT position, payload, salt FROM events WHERE ${where}`);
  for (const { position, payload, salt } of rows) {
    const hash = createHash("sha256")
      .update(salt as Uint8Array)
      .update(String(payload))
      .digest("hex");
    const bytes = kind === "file" ? `x'${hash}'` : `'\\x${hash}'::bytea`;
    await sql(`UPDATE events SET payload = '', salt = ${bytes} WHERE position = ${position}`);
  }
}

const yesterdayAgain = async ({ dataDir, yesterday }: Scene) => {
  await cp(logIn(yesterday), logIn(dataDir));
  await cp(join(yesterday, headFile), join(dataDir, headFile));
};

/** What somebody does under the cover of an erasure. */
export const erasureRows: readonly Forgery[] = [
  {
    name: "a payload taken, with its right hash and no erasure",
    forge: (scene) => take(scene, `stream = '${streamOf(scene.life.low.id)}' AND version = 1`),
    effect: never,
  },
  {
    name: "a person erased by an invented event",
    forge: async (scene) => {
      const stream = streamOf(scene.life.person.id);
      await take(scene, `stream = '${stream}'`);
      await scene.sql(
        `INSERT INTO events (position, stream, version, type, owner, actor, time, payload, salt,
           mac, link) SELECT ${last} + 1, stream, version + 1, 'user.erased', owner, actor, time,
           '{"reason":""}', salt, mac, link FROM events WHERE stream = '${stream}'
         ORDER BY version DESC LIMIT 1`,
      );
      await scene.relink();
    },
    effect: isGone,
  },
  {
    name: "an erased event filled again",
    forge: async (scene) => {
      const stream = streamOf(scene.life.erased);
      await scene.sql(
        `UPDATE events SET payload = '{"userName":"somebody"}' WHERE stream = '${stream}'
           AND version = 1`,
      );
      await scene.relink();
    },
    effect: isBack,
  },
  {
    name: "the event that erased somebody renamed",
    forge: async (scene) => {
      await scene.sql("UPDATE events SET type = 'user.removed' WHERE type = 'user.erased'");
      await scene.relink();
    },
    effect: isBack,
  },
  {
    name: "the list of erasures emptied",
    forge: ({ dataDir }) => writeFile(join(dataDir, erasureFile), ""),
    effect: isBack,
  },
  {
    name: "the list of erasures with a line of somebody else",
    forge: async ({ dataDir, life }) => {
      const path = join(dataDir, erasureFile);
      const line = (await readFile(path, "utf8")).replace(life.erased, life.person.id);
      await appendFile(path, line);
    },
    effect: isGone,
  },
  {
    name: "the log of the day before with its head, when somebody was not erased yet",
    of: "file",
    when: "rest",
    forge: yesterdayAgain,
    effect: isBack,
  },
];
