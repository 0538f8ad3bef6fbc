import { cp, link, readFile, symlink, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { logIn } from "../../src/log/in-file.ts";
import { few } from "../harness/in-full.ts";
import { refusalOf, run, start } from "../start/command.ts";
import {
  argsOf,
  beginForgeries,
  endForgeries,
  environment,
  type Forgery,
  inForgery,
  verify,
} from "./forgeries.ts";

// Somebody who has found a log refused, and knows that there is no better one.

beforeAll(beginForgeries);
afterAll(endForgeries);

describe("the operator accepts a history", () => {
  const anchored = ({ anchor }: Forgery) => [`--anchor-url=file://${anchor}`];
  const refusedFor = ({ dataDir, anchor }: Forgery, historyFrom: string) =>
    refusalOf(argsOf(dataDir, anchor), environment, { historyFrom });

  test("that goes on from a whole backup, which is recorded", async () => {
    await inForgery(async (forgery) => {
      const { dataDir, anchor, yesterday } = forgery;
      await cp(logIn(yesterday), logIn(dataDir));
      const historyFrom = logIn(yesterday);
      await (await start(argsOf(dataDir, anchor), environment, { historyFrom })).close();
      forgery.db((db) => {
        const recorded = "SELECT actor, payload FROM events WHERE type = 'log.history.accepted'";
        const [last] = db.prepare<[], { actor: string; payload: string }>(recorded).all();
        expect(last?.actor).toBe("operator");
        expect(JSON.parse(last?.payload ?? "")).toEqual({
          position: "10",
          link: expect.stringMatching(/^[0-9a-f]{64}$/),
          fault: expect.stringMatching(/^it ends at position 10, and had 13 at .+ \(iam\.head\)$/),
        });
      });
      expect((await verify(forgery)).code).toBe(0);
      await (await start(argsOf(dataDir, anchor), environment)).close();
    });
  });

  few().each(["export", "checkpoint"])("that goes on from an %s of it, too", async (kind) => {
    await inForgery(async (forgery) => {
      const { dataDir, anchor, yesterday } = forgery;
      const [historyFrom, flag] = [`${dataDir}.kept`, `--data-dir=${yesterday}`];
      if (kind === "export") expect((await run(["export", historyFrom, flag])).code).toBe(0);
      else await writeFile(historyFrom, (await run(["checkpoint", flag], environment)).stdout);
      await cp(logIn(yesterday), logIn(dataDir));
      await (await start(argsOf(dataDir, anchor), environment, { historyFrom })).close();
      expect((await verify(forgery)).code).toBe(0);
    });
  });

  test("and no checkpoint or export that somebody made up, or of what it had more", async () => {
    await inForgery(async (forgery) => {
      const { dataDir, yesterday } = forgery;
      const kept = `${dataDir}.kept`;
      const flag = `--data-dir=${dataDir}`;
      const { stdout } = await run(["checkpoint", flag, ...anchored(forgery)], environment);
      await run(["export", `${kept}.log`, flag]);
      const lines = await readFile(`${kept}.log`, "utf8");
      await cp(logIn(yesterday), logIn(dataDir));
      await writeFile(kept, stdout);
      expect(await refusedFor(forgery, kept)).toMatch(/does not continue the backup/);
      expect(await refusedFor(forgery, `${kept}.log`)).toMatch(/does not continue the backup/);
      await writeFile(kept, stdout.replace(/"position":"\d+"/, '"position":"1"'));
      expect(await refusedFor(forgery, kept)).toMatch(/not signed or sealed with the key/);
      await writeFile(
        kept,
        lines.replace('"mac":"', '"mac":"00').replace(/(..)","link"/, '","link"'),
      );
      expect(await refusedFor(forgery, kept)).toMatch(/^The backup is damaged: .+ is damaged/);
      await writeFile(kept, "nothing of the kind");
      expect(await refusedFor(forgery, kept)).toMatch(/is not an export of a log|cut before/);
    });
  });

  test("and no backup that is damaged, or that the log does not go on from", async () => {
    await inForgery(async (forgery) => {
      const { dataDir, yesterday } = forgery;
      const newer = `${dataDir}.newer`;
      await cp(logIn(dataDir), newer);
      await cp(logIn(yesterday), logIn(dataDir));
      expect(await refusedFor(forgery, newer)).toMatch(/does not continue the backup/);
      const db = new Database(newer);
      db.exec("UPDATE events SET time = 1 WHERE position = 2");
      db.close();
      expect(await refusedFor(forgery, newer)).toMatch(/^The backup is damaged: event/);
      expect(await refusedFor(forgery, "/no/such.db")).toMatch(/^The backup is damaged/);
    });
  });

  test("and not the log itself for its own backup, by whatever name", async () => {
    await inForgery(async (forgery) => {
      const { dataDir, yesterday } = forgery;
      await cp(logIn(yesterday), logIn(dataDir));
      const [hard, soft] = [`${dataDir}.hard`, `${dataDir}.soft`];
      await link(logIn(dataDir), hard);
      await symlink(logIn(dataDir), soft);
      for (const path of [logIn(dataDir), hard, soft]) {
        expect(await refusedFor(forgery, path)).toBe(
          `The backup ${path} is the event log itself, which proves nothing: name another ` +
            "copy. If there is none, copy the log as it is now.",
        );
      }
    });
  });

  test("while the clock is behind it only with that accepted as well", async () => {
    await inForgery(async (forgery) => {
      const { dataDir, anchor, yesterday } = forgery;
      await cp(logIn(yesterday), logIn(dataDir));
      const historyFrom = logIn(yesterday);
      const now = Date.now;
      Date.now = () => now() - 3_600_000;
      try {
        const both = "start once with both --accept-history-from and --accept-clock";
        expect(await refusedFor(forgery, historyFrom)).toMatch(
          new RegExp(`^The clock is \\d+ ms behind the newest event\\. .+ ${both}\\.$`),
        );
        const clockAlone = { acceptsClock: true };
        const args = argsOf(dataDir, anchor);
        expect(await refusalOf(args, environment, clockAlone)).toMatch(
          /--accept-history-from BACKUP: .+ To accept the clock as well, give both/,
        );
        await (await start(args, environment, { historyFrom, acceptsClock: true })).close();
        // What was decided once is known to the next start.
        await (await start(args, environment)).close();
      } finally {
        Date.now = now;
      }
      forgery.db((db) => {
        const types = db.prepare("SELECT type FROM events ORDER BY position").pluck().all();
        expect(types.slice(10)).toEqual(["instance.clock.accepted", "log.history.accepted"]);
      });
      expect((await verify(forgery)).code).toBe(0);
    });
  });
});
