import { hashSecret } from "../../src/secrets/tokens.ts";
import { type Forgery, lowOwns, never, owns, sqlOf, streamOf, text } from "./forgery.ts";
import { call } from "./life.ts";
import type { Scene } from "./stage.ts";

const goneOwns = owns(({ life }) => life.gone.token);
const goneRow = [
  ({ life }: Scene) => `DELETE FROM objects WHERE stream = '${streamOf(life.gone.id)}'`,
  ({ life }: Scene) =>
    `INSERT INTO objects SELECT * FROM yesterday.objects WHERE stream = '${streamOf(life.gone.id)}'`,
];
const goneClaim = ({ life }: Scene) =>
  `INSERT INTO texts SELECT * FROM yesterday.texts
     WHERE text = '${hashSecret(life.gone.token)}' ON CONFLICT DO NOTHING`;
const removed = ({ life }: Scene) =>
  `stream = '${streamOf(life.gone.id)}' AND type = 'user.token.removed'`;
const roles = '[{"scope":{"level":"instance"},"roles":["IAM_OWNER"]}]';
/** What somebody does to what follows from events. */
export const objectRows: readonly Forgery[] = [
  {
    name: "a role in the row of low",
    forge: sqlOf(
      ({ life }) => `UPDATE objects SET state = replace(state, '"memberships":[]',
        '"memberships":${roles}') WHERE stream = '${streamOf(life.low.id)}'`,
    ),
    effect: lowOwns,
  },
  {
    name: "the state of the robot, with its MAC, for low",
    forge: sqlOf(
      ({ life }) => `UPDATE objects SET
        state = (SELECT state FROM objects WHERE stream = '${streamOf(life.robot.id)}'),
        mac = (SELECT mac FROM objects WHERE stream = '${streamOf(life.robot.id)}')
        WHERE stream = '${streamOf(life.low.id)}'`,
    ),
    effect: lowOwns,
  },
  {
    name: "the row of an owner whose token was removed, put back",
    forge: sqlOf(...goneRow, goneClaim),
    effect: goneOwns,
  },
  {
    name: "the same, and its newer events taken out",
    forge: sqlOf(...goneRow, goneClaim, (scene) => `DELETE FROM events WHERE ${removed(scene)}`),
    effect: goneOwns,
    documented: true,
  },
  {
    name: "the same, and its newer events renamed",
    forge: sqlOf(
      ...goneRow,
      goneClaim,
      (scene) => `UPDATE events SET stream = 'user-nobody' WHERE ${removed(scene)}`,
    ),
    effect: goneOwns,
    documented: true,
  },
  {
    name: "the row of low taken away",
    forge: sqlOf(({ life }) => `DELETE FROM objects WHERE stream = '${streamOf(life.low.id)}'`),
    effect: lowOwns,
  },
  {
    name: "the hash of a token of low, claimed for the robot",
    forge: sqlOf(
      ({ life }) => `UPDATE claims SET stream = '${streamOf(life.robot.id)}'
        WHERE value = '${hashSecret(life.low.token)}'`,
    ),
    effect: lowOwns,
  },
  {
    name: "the claim of a user name taken away",
    forge: sqlOf(text("DELETE FROM claims WHERE kind = 'user.name' AND value LIKE '%low%'")),
    effect: async ({ life }, url) => {
      const body = { userName: "low", name: "low" };
      const path = "/management/v1/users/machine";
      return (await call(url, life.admin, "POST", path, body)).status === 200;
    },
    documented: true,
  },
  {
    name: "counts",
    forge: sqlOf(text("UPDATE counts SET objects = objects + 7 WHERE kind = 'project'")),
    effect: async ({ life }, url) => {
      const path = "/management/v1/projects/_search";
      const { body } = await call(url, life.admin, "POST", path, {});
      return Number(body.details.totalResult) !== body.result.length;
    },
    documented: true,
  },
  {
    name: "fields, by which lists are filtered",
    forge: sqlOf(text("UPDATE fields SET folded = 'zzz' WHERE folded = 'before'")),
    effect: async ({ life }, url) => {
      const nameQuery = { name: "Before", method: "TEXT_QUERY_METHOD_EQUALS" };
      const path = "/management/v1/projects/_search";
      const { body } = await call(url, life.admin, "POST", path, { queries: [{ nameQuery }] });
      return body.result?.length !== 1;
    },
    documented: true,
  },
  {
    name: "the signing keys of the instance",
    forge: sqlOf(text("UPDATE objects SET state = replace(state, 'signingKeys', 'signingKeyz')")),
    effect: never,
  },
];
