import { readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { readConfig } from "../../src/config/config.ts";
import { auditLimits, createAudit } from "../../src/log/audit.ts";
import { logIn, logInFile } from "../../src/log/in-file.ts";
import { logKeysFor } from "../../src/log/log-keys.ts";
import type { Running } from "../../src/start/serve.ts";
import { shortened } from "../harness/extent.ts";
import { few, inFull } from "../harness/in-full.ts";
import { logPath } from "../harness/postgres.ts";
import { inDirectory } from "../harness/process.ts";
import { start } from "../start/command.ts";
import { callsTo, inDatabasePlace } from "../start/database-place.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { takeOutOfIndex } from "../store/sqlite-forge.ts";
import { environment } from "./forgeries.ts";

// Somebody who has no key changes a log that is served, and that was whole when that began.

type Calls = ReturnType<typeof callsTo>;
const forgeries: readonly (readonly [
  what: string,
  sql: string,
  read: (calls: Calls, id: string) => Promise<{ readonly status: number }>,
])[] = [
  [
    "the row of an object, by a list",
    `UPDATE objects SET state = replace(state, 'Before', 'Belief')
       WHERE stream LIKE 'project-%'`,
    (calls) => calls.projects(),
  ],
  [
    "the row of an object, by who asks for it",
    `UPDATE objects SET state = replace(state, 'Before', 'Belief')
       WHERE stream LIKE 'project-%'`,
    (calls, id) => calls.get(`/management/v1/projects/${id}`),
  ],
  [
    "an event, by who searches for events",
    "UPDATE events SET time = time - 1000 WHERE position = 5",
    (calls) => calls.events(),
  ],
];

/** Has a read find what is forged, and tries to write. */
async function refusesWrites(
  calls: Calls,
  forge: () => unknown,
  read: (id: string) => Promise<{ readonly status: number }>,
): Promise<void> {
  const { text } = await calls.add("Before");
  const { id } = JSON.parse(text) as { readonly id: string };
  while ((await calls.ready()).status !== 200) await pause(50);
  await forge();
  expect(await read(id)).toMatchObject({ status: 500 });
  const refused = { status: 503, text: expect.stringContaining("HISTORY_CHANGED") };
  expect(await calls.add("After")).toMatchObject(refused);
  while (!(await calls.ready()).text.includes("HISTORY_CHANGED")) await pause(50);
  expect(await calls.ready()).toMatchObject(refused);
}

describe("what a read finds to be forged refuses writes, in a file", () => {
  test.each(forgeries)("%s", async (_what, sql, read) => {
    await inDirectory(async (directory) => {
      const dataDir = join(directory, "data");
      // Nobody else is to find it.
      const running = await start(["--port=0", `--data-dir=${dataDir}`], environment, {
        audits: false,
      });
      const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
      const calls = callsTo(running.url, token);
      const db = new Database(logIn(dataDir), { timeout: 1_000 });
      try {
        await refusesWrites(
          calls,
          () => db.exec(sql),
          (id) => read(calls, id),
        );
      } finally {
        db.close();
        await running.close();
      }
    });
  });
});

describeOnPostgres("what a read finds to be forged refuses writes, in a database", () => {
  test.each(shortened(forgeries, 1))("%s", (_what, sql, read) =>
    inDatabasePlace(async (place) => {
      const running: Running = await place.start("a", { audits: false });
      const calls = callsTo(running.url, await place.tokenOf("a"));
      const forge = () => place.run(logPath, sql);
      await refusesWrites(calls, forge, (id) => read(calls, id));
    }),
  );
});

describe("the check of a log begins anew", () => {
  /** Runs the body with the audit of a new log, whose waits end when they are told to. */
  async function inAudit(
    body: (audited: {
      /** Ends the wait there is, and answers how long it was to be. */
      next(): number;
      /** Resolves with the next line. */
      line(): Promise<readonly [object, string]>;
      readonly sql: (text: string) => void;
      readonly path: string;
      readonly audit: ReturnType<typeof createAudit>;
    }) => Promise<void>,
  ): Promise<void> {
    await inDirectory(async (directory) => {
      const dataDir = join(directory, "data");
      const flags = ["--port=0", `--data-dir=${dataDir}`];
      await (await start(flags, environment, { audits: false })).close();
      const keys = logKeysFor(readConfig(flags, environment));
      const identity = await logInFile(dataDir).readEnd(keys);
      const waits: (readonly [ms: number, work: () => void])[] = [];
      const told: (readonly [object, string])[] = [];
      const tell = (members: object, line: string) => void told.push([members, line]);
      const audit = createAudit({
        place: logInFile(dataDir),
        lines: { fatal: tell, error: tell, info: tell },
        after: (ms, work) => {
          waits.push([ms, work]);
          return () => {};
        },
      });
      audit.begin(identity);
      const db = new Database(logIn(dataDir), { timeout: 1_000 });
      try {
        await body({
          next: () => {
            const [ms, work] = waits.shift() ?? [0, () => {}];
            work();
            return ms;
          },
          line: async () => {
            for (;;) {
              const line = told.shift();
              if (line !== undefined) return line;
              await pause(10);
            }
          },
          sql: (text) => void db.exec(text),
          path: logIn(dataDir),
          audit,
        });
      } finally {
        await audit.close();
        db.close();
      }
    });
  }

  const whole = [
    { events: expect.any(Number) },
    "the event log was checked: nothing is damaged",
  ] as const;
  const changed = expect.stringContaining("the event log is not what was written");

  inFull("`everyMs` after it has come to its end, and counts positions first", async () => {
    await inAudit(async ({ next, line, sql, audit }) => {
      expect(next()).toBe(auditLimits.afterMs);
      expect(await line()).toEqual(whole);
      expect(next()).toBe(auditLimits.everyMs);
      expect(await line()).toEqual(whole);
      // The first event that is looked at is damaged, too.
      sql(`UPDATE events SET actor = 'x' WHERE position = 1;
           DELETE FROM events WHERE position = 4`);
      expect(next()).toBe(auditLimits.everyMs);
      const gap = expect.stringMatching(/^log: it has \d+ events at the positions up to \d+$/);
      expect(await line()).toEqual([{ damage: gap }, changed]);
      expect(await audit.found).toEqual(gap);
      expect(next()).toBe(0);
    });
  });

  inFull("and finds a gap that an event below position 1 makes up for", async () => {
    await inAudit(async ({ next, line, sql, audit }) => {
      sql("UPDATE events SET position = -4 WHERE position = 4");
      next();
      await line();
      expect(audit.fault()).toMatch(/^log: it has \d+ events at the positions up to \d+$/);
    });
  });

  inFull("and finds an object that knows more than a log whose end was cut off", async () => {
    await inAudit(async ({ next, line, sql, audit }) => {
      sql(`DELETE FROM events WHERE position = (SELECT max(position) FROM events);
           UPDATE head SET (position, link) =
             (SELECT position, link FROM events ORDER BY position DESC LIMIT 1)`);
      next();
      await line();
      expect(audit.fault()).toMatch(
        /^object \S+: it is of version \d+, and the log has version \d+$/,
      );
    });
  });

  inFull("and finds an event that an index leads past", async () => {
    await inAudit(async ({ next, line, path, audit }) => {
      takeOutOfIndex(path, "instance-1", "version = 3");
      next();
      await line();
      expect(audit.fault()).toMatch(
        /^event at .+, version 3 of instance-1: who looks for its stream and version does not find/,
      );
    });
  });

  few().each([
    ["a unique index", "CREATE UNIQUE INDEX evil ON events (actor, type, time)"],
    ["a plain index", "CREATE INDEX evil ON artifacts (uses)"],
    ["an index of an expression", "CREATE INDEX evil ON texts (length(text))"],
    ["a trigger", "CREATE TRIGGER evil BEFORE INSERT ON texts BEGIN SELECT 1; END"],
  ])("and finds %s that somebody has put there", async (_what, text) => {
    await inAudit(async ({ next, line, sql, audit }) => {
      next();
      expect(await line()).toEqual(whole);
      sql(text);
      next();
      await line();
      expect(audit.fault()).toMatch(/^file: the (?:index|trigger) evil does not belong/);
    });
  });

  few().each([
    ["newer", 99],
    ["older", 1],
  ])("and names a schema that is %s than that of the service", async (_what, schema) => {
    await inAudit(async ({ next, line, sql, audit }) => {
      next();
      expect(await line()).toEqual(whole);
      sql(`PRAGMA user_version = ${schema};
        CREATE TRIGGER evil BEFORE INSERT ON texts BEGIN SELECT 1; END`);
      next();
      await line();
      expect(audit.fault()).toMatch(`file: it has schema ${schema}, and it is served with schema `);
    });
  });

  inFull("`retryMs` after it failed before its end, and then warns no more", async () => {
    await inAudit(async ({ next, line, path, audit }) => {
      const warnings = () => audit.tell({ figures: {}, warnings: [] }).warnings;
      await rename(path, `${path}.away`);
      next();
      expect(await line()).toEqual([
        expect.objectContaining({ code: "ENOENT" }),
        "the event log could not be checked to its end",
      ]);
      expect(warnings()).toHaveLength(1);
      await rename(`${path}.away`, path);
      expect(next()).toBe(auditLimits.retryMs);
      expect(await line()).toEqual(whole);
      expect(warnings()).toEqual([]);
      expect(next()).toBe(auditLimits.everyMs);
    });
  });
});
