import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { action, createAction } from "../../src/domain/action.ts";
import { type Offline, withLog } from "../../src/log/offline.ts";
import { postgresLimits } from "../../src/store/postgres/limits.ts";
import { logPath } from "../harness/postgres.ts";
import { callsTo, inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";

// What a start on a database does not look at is found soon after it.

/** Adds more objects than the check looks at in one piece. */
async function addMore({ execute, newId }: Offline): Promise<void> {
  const script = { script: "", timeoutNanos: 1_000_000_000, allowedToFail: false };
  const more = Array.from({ length: postgresLimits.checkedAtOnce + 1 }, (_, n) =>
    execute({
      actor: "test",
      writes: { action: { noun: action, id: newId(), owner: "test", isNew: true } },
      decide: () => createAction({ ...script, name: `action ${n}` }),
    }),
  );
  for (const { kind } of await Promise.all(more)) expect(kind).toBe("done");
}

describeOnPostgres("a database is checked while it is served", () => {
  test("and nothing is written behind an event that somebody put at its end", () =>
    inDatabasePlace(async (place) => {
      const node = await place.start("a");
      const calls = callsTo(node.url, await place.tokenOf("a"));
      expect(await calls.add("Before")).toMatchObject({ status: 200 });
      const [{ end } = {}] = await place.run(
        `INSERT INTO iam.events SELECT position + 1, 'project-evil', 1, type, owner, actor, time,
             payload, salt, decode(repeat('00', 32), 'hex'), decode(repeat('00', 32), 'hex')
           FROM iam.events ORDER BY position DESC LIMIT 1 RETURNING position AS end`,
      );
      for (const name of ["After", "Later"]) {
        const refused = await calls.add(name);
        expect(refused).toMatchObject({ status: 503 });
        expect(refused.text).toContain("HISTORY_CHANGED");
      }
      expect((await calls.ready()).text).toContain("HISTORY_CHANGED");
      expect(await calls.projects()).toMatchObject({ status: 200 });
      const [{ last } = {}] = await place.run("SELECT max(position) AS last FROM iam.events");
      expect(last).toBe(end);
    }));

  test("also by a node without a head, where the end of the log was cut off", () =>
    inDatabasePlace(async (place) => {
      const node = await place.start("a");
      const token = await place.tokenOf("a");
      const before = callsTo(node.url, token);
      const { id } = JSON.parse((await before.add("Before")).text);
      expect(await before.deactivate(id)).toMatchObject({ status: 200 });
      await node.close();
      await place.run(
        "DELETE FROM iam.events WHERE position = (SELECT max(position) FROM iam.events)",
      );
      const calls = callsTo((await place.start("b")).url, token);
      while (!(await calls.ready()).text.includes("HISTORY_CHANGED")) await pause(50);
      expect(await calls.add("After")).toMatchObject({ status: 503 });
    }));

  test("in pieces to its end, and is not written any more where a row was changed", () =>
    inDatabasePlace(async (place) => {
      await (await place.start("a")).close();
      const token = await place.tokenOf("a");
      await withLog(readConfig(place.flagsOf("a"), place.environment), addMore);
      const [{ count } = {}] = await place.run("SELECT count(*) FROM iam.events");
      const whole = await place.start("a");
      const calls = callsTo(whole.url, token);
      while (JSON.parse((await calls.ready()).text).checkedEvents < Number(count)) await pause(50);
      expect(await calls.add("Before")).toMatchObject({ status: 200 });
      await whole.close();

      await place.run(
        logPath,
        `UPDATE objects SET state = replace(state, 'action 200', 'action 2oo')
           WHERE state LIKE '%action 200%'`,
      );
      const forged = callsTo((await place.start("a")).url, token);
      while (!(await forged.ready()).text.includes("HISTORY_CHANGED")) await pause(50);
      const refused = await forged.add("After");
      expect(refused).toMatchObject({ status: 503 });
      expect(refused.text).toContain("HISTORY_CHANGED");
      expect(await forged.projects()).toMatchObject({ status: 200 });
    }));
});
