import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { inFull } from "../harness/in-full.ts";
import { run } from "../start/command.ts";
import { inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import {
  done,
  entriesIn,
  erase,
  importOwner,
  importPeople,
  list,
  mailsIn,
  startIn,
} from "./erased.ts";

// The same on a database, whose nodes keep a list each.

describeOnPostgres("nodes on a database", () => {
  test("list what others erased, and erase again what was put back", async () => {
    await inDatabasePlace(async (place) => {
      await inDatabasePlace(async (later) => {
        const settings = place.environment;
        const one = await startIn(place.node("one"), { settings });
        const { token } = one;
        const userId = await importOwner(one);
        const file = join(place.node("one"), "exported");
        const exported = ["export", file, `--data-dir=${place.node("one")}`];
        expect(await run(exported, settings)).toMatchObject({ code: 0 });
        const position = await erase(one, userId);
        await one.close();
        // A node that was not there then finds it in the log.
        const two = await startIn(place.node("two"), { token, settings });
        const ofTwo = join(place.node("two"), list);
        while (!(await readFile(ofTwo, "utf8").catch(() => "")).includes(userId)) {
          await two.warnings();
        }
        await two.close();
        expect(await entriesIn(ofTwo)).toMatchObject([{ erased: userId, position }]);

        const imported = ["import", file, `--data-dir=${later.node("one")}`];
        expect(await run(imported, later.environment)).toMatchObject({ code: 0 });
        await cp(ofTwo, join(later.node("one"), list), { recursive: true });
        const verify = ["verify", `--data-dir=${later.node("one")}`];
        const before = await run(verify, later.environment);
        expect(before.stdout).toContain(`as ${list} says, and is there`);
        const again = await startIn(later.node("one"), { token, settings: later.environment });
        expect((await again.call(`/management/v1/users/${userId}`)).status).toBe(404);
        await again.close();
        expect(await run(verify, later.environment)).toMatchObject({ code: 0 });
      });
    });
  });

  inFull("remove mails to who was erased from their outboxes, each of its own", async () => {
    await inDatabasePlace(async (place) => {
      const settings = place.environment;
      const one = await startIn(place.node("one"), { settings });
      const { token } = one;
      const two = await startIn(place.node("two"), { token, settings });
      const [userId] = await importPeople(one, 1);
      const outboxes = ["one", "two"].map((name) => join(place.node(name), "outbox"));
      // One of the two has written the mail; the other gets it as well, as from a copy.
      let names: readonly string[] = [];
      while (names.length === 0) {
        names = (await Promise.all(outboxes.map((outbox) => mailsIn(outbox, () => true)))).flat();
      }
      for (const outbox of outboxes) {
        await mkdir(outbox, { recursive: true });
        await writeFile(join(outbox, names[0]!), "a mail");
      }
      await done(one.call(`/management/v1/users/${userId}/_erase`, {}));
      for (const outbox of outboxes) await mailsIn(outbox, ({ length }) => length === 0);
      await Promise.all([one.close(), two.close()]);
    });
  });
});
