import { rm } from "node:fs/promises";
import { join } from "node:path";
import { headFile } from "../../src/log/head-places.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import {
  type Effect,
  evil,
  type Forgery,
  last,
  lowOwns,
  never,
  owns,
  relinked,
  sqlOf,
  streamOf,
  text,
} from "./forgery.ts";
import { call } from "./life.ts";

const columns = "stream, version, type, owner, actor, time, payload, salt, mac, link";
const swapped = [
  text("UPDATE events SET position = -1 WHERE position = 5"),
  text("UPDATE events SET position = 5 WHERE position = 6"),
  text("UPDATE events SET position = 6 WHERE position = -1"),
];
const ofName = (name: string) => `WHERE payload LIKE '%"name":"${name}"%'`;
/** Whether a list of events, or a project that a name of the forger finds, says it. */
const reads =
  (name: string): Effect =>
  async ({ life }, url) => {
    const paths = ["/admin/v1/events/_search", "/management/v1/projects/_search"];
    const bodies = paths.map(
      async (path) => (await call(url, life.admin, "POST", path, { limit: 1_000 })).body,
    );
    return JSON.stringify(await Promise.all(bodies)).includes(name);
  };
const readsGone: Effect = async ({ life }, url) =>
  !JSON.stringify(
    (await call(url, life.admin, "POST", "/admin/v1/events/_search", { limit: 1_000 })).body,
  ).includes('"name":"Before"');

/** What somebody does to events. */
export const eventRows: readonly Forgery[] = [
  {
    name: "token hash, in the payload of an event",
    forge: relinked(
      ({ life }) => `UPDATE events SET payload = replace(payload, '${hashSecret(life.admin)}',
        '${hashSecret(evil)}') WHERE type = 'user.token.added'`,
    ),
    effect: owns(() => evil),
  },
  {
    name: "payload of an old event, in its place",
    forge: sqlOf(text(`UPDATE events SET payload = '{"name":"Forged"}' ${ofName("Old 990")}`)),
    effect: reads("Forged"),
  },
  {
    name: "payload of one of the last 1,000 events, in its place",
    forge: sqlOf(text(`UPDATE events SET payload = '{"name":"Forged"}' ${ofName("After")}`)),
    effect: reads("Forged"),
  },
  {
    name: "actor of an event",
    forge: relinked(({ life }) => `UPDATE events SET actor = '${life.low.id}' WHERE position = 5`),
    effect: never,
  },
  {
    name: "time of an event",
    forge: relinked(text("UPDATE events SET time = time - 1000 WHERE position = 5")),
    effect: never,
  },
  { name: "two events swapped", forge: relinked(...swapped), effect: never },
  {
    name: "an event removed, and the rest moved up",
    forge: relinked(
      text("DELETE FROM events WHERE position = 7"),
      text("UPDATE events SET position = -position + 1 WHERE position > 7"),
      text("UPDATE events SET position = -position WHERE position < 0"),
    ),
    effect: never,
  },
  {
    name: "the tail of 5 cut off",
    forge: relinked(text(`DELETE FROM events WHERE position > ${last} - 5`)),
    effect: never,
  },
  {
    name: "the tail of 5 cut off, and iam.head removed",
    forge: async (scene) => {
      await relinked(text(`DELETE FROM events WHERE position > ${last} - 5`))(scene);
      await rm(join(scene.dataDir, headFile), { force: true });
    },
    effect: never,
  },
  {
    name: "the grant of the robot, for low, at the end",
    forge: relinked(
      ({ life }) => `INSERT INTO events (position, ${columns}) SELECT ${last} + 1,
        '${streamOf(life.low.id)}', 4, type, owner, actor, time, payload, salt, mac, link
        FROM events WHERE stream = '${streamOf(life.robot.id)}'
        AND type = 'user.membership.granted'`,
    ),
    effect: lowOwns,
  },
  {
    name: "an event removed in the middle",
    forge: sqlOf(text(`DELETE FROM events ${ofName("Before")}`)),
    effect: readsGone,
    documented: true,
  },
];
