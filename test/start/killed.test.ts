import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { headFile } from "../../src/log/head-places.ts";
import { logIn } from "../../src/log/log-path.ts";
import { parseHead } from "../../src/store/chain/head.ts";
import { checksumOf } from "../../src/store/sqlite/checksum.ts";
import { isFull, patience } from "../harness/extent.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { type Fixture, fixtures, inCopy } from "../upgrade/fixture.ts";
import { run } from "./command.ts";

// Real processes that are killed while they write what proves that nobody changed the log.

afterEach(endProcesses);

const positionIn = (text: string) => parseHead(text)?.position ?? -1n;
const headIn = async (dataDir: string) =>
  positionIn(await readFile(join(dataDir, headFile), "utf8"));

/** What one reads of the log beside whoever writes it. */
function inLog<T>(dataDir: string, read: (db: Database.Database) => T): T {
  const db = new Database(logIn(dataDir), { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

const endOf = (dataDir: string) =>
  inLog(dataDir, (db) =>
    db.prepare<[], bigint>("SELECT max(position) FROM events").pluck().safeIntegers().get(),
  ) ?? 0n;

/** Creates projects by connections of their own, until the service is gone or it is enough. */
async function createUntil(isOver: () => boolean, url: string, token: string): Promise<void> {
  for (let count = 0; !isOver(); count += 1) {
    await fetch(`${url}/management/v1/projects`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        connection: "close",
      },
      body: JSON.stringify({ name: `${Date.now()} ${Math.random()} ${count}` }),
    }).then((response) => response.text(), String);
  }
}

test(
  "the head of two processes never goes back, and is taken whenever they were killed",
  () =>
    inDirectory(async (dataDir) => {
      const rounds = isFull ? 5 : 1;
      for (let round = 0; round < rounds; round += 1) {
        const service = startProcess(["--port=0", "--processes=2", `--data-dir=${dataDir}`]);
        const url = await service.listening;
        const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
        let isKilled = false;
        const isOver = () => isKilled;
        const creating = [1, 2, 3, 4].map(() => createUntil(isOver, url, token));
        const before = endOf(dataDir);
        let head = await headIn(dataDir);
        // The head comes to where the log was, and goes on while somebody looks at it.
        while (head <= before) {
          await pause(5);
          const next = await headIn(dataDir);
          expect(next).toBeGreaterThanOrEqual(head);
          head = next;
        }
        await pause(Math.random() * 100);
        service.killGroup("SIGKILL");
        isKilled = true;
        await Promise.all([service.ended, ...creating]);
        expect(await headIn(dataDir)).toBeGreaterThanOrEqual(head);
        expect(await headIn(dataDir)).toBeLessThanOrEqual(endOf(dataDir));
      }
      const again = startProcess(["--port=0", `--data-dir=${dataDir}`]);
      await again.listening;
      again.kill("SIGTERM");
      expect(await again.ended).toEqual({ code: 0, signal: null });
      expect(await headIn(dataDir)).toBe(endOf(dataDir));
      const { code, stdout } = await run(["verify", `--data-dir=${dataDir}`]);
      expect(stdout).toMatch(/^Checked .+: nothing is damaged\.\n$/);
      expect(code).toBe(0);
    }),
  120_000 * patience,
);

/** Adds so many projects to the log of an earlier program, as that would have written them. */
function grow(dataDir: string, { ids }: Fixture, projects: number): void {
  const db = new Database(logIn(dataDir));
  const [like] = db
    .prepare("SELECT * FROM events WHERE stream = ? AND version = 1")
    .all(`project-${ids.firstProject}`) as [Past];
  const insert = db.prepare(
    `INSERT INTO events VALUES ((SELECT max(position) + 1 FROM events), @stream, 1, @type, @owner,
       @actor, @time, @payload, @checksum)`,
  );
  db.transaction(() => {
    for (let index = 0; index < projects; index += 1) {
      const stream = `project-01900000-0000-7000-8000-${String(index).padStart(12, "0")}`;
      const payload = JSON.stringify({ ...JSON.parse(like.payload), name: `Grown ${index}` });
      const event = { ...like, stream, version: 1, payload };
      insert.run({ ...event, checksum: checksumOf({ ...event, timeMs: like.time }) });
    }
  })();
  db.close();
}

interface Past {
  readonly type: string;
  readonly owner: string;
  readonly actor: string;
  readonly time: number;
  readonly payload: string;
}

/** How far an older file has been chained; undefined when it is. */
function chainedIn(dataDir: string): bigint | undefined {
  return inLog(dataDir, (db) => {
    const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").pluck();
    if (has.get("head") === undefined) return 0n;
    if (has.get("unchained") === undefined) return undefined;
    return db.prepare<[], bigint>("SELECT position FROM head").pluck().safeIntegers().get();
  });
}

if (isFull) {
  describe.each(fixtures)("an older file of $name that is being chained", (fixture) => {
    test(
      "is chained on where each process was killed, and is whole in the end",
      () =>
        inCopy(fixture, async (dataDir) => {
          const grown = 35_000;
          grow(dataDir, fixture, grown);
          const start = () => startProcess(["--port=0", `--data-dir=${dataDir}`]);
          const seen: bigint[] = [];
          // In the transaction that begins it, and behind one piece after the other.
          for (let ended = false; !ended; ) {
            const service = start();
            const before = seen.at(-1) ?? -1n;
            let chained = chainedIn(dataDir);
            if (seen.length === 0) await pause(1_000);
            else {
              while (chained !== undefined && chained <= before) {
                await pause(2);
                chained = chainedIn(dataDir);
              }
            }
            service.kill("SIGKILL");
            await service.ended;
            chained = chainedIn(dataDir);
            if (chained === undefined) ended = true;
            else seen.push(chained);
          }
          // It was cut off while it was under way, and nothing was lost of what was done.
          expect(seen.filter((position) => position > 0n).length).toBeGreaterThan(0);
          expect(seen).toEqual(seen.toSorted((a, b) => Number(a - b)));
          const service = start();
          await service.listening;
          service.kill("SIGTERM");
          expect(await service.ended).toEqual({ code: 0, signal: null });
          const { code, stdout } = await run(["verify", `--data-dir=${dataDir}`]);
          expect(stdout).toMatch(/: nothing is damaged\.\n$/);
          expect(code).toBe(0);
          // What waited to be sent is sent by then.
          expect(endOf(dataDir)).toBeGreaterThanOrEqual(BigInt(fixture.begun + grown));
          inLog(dataDir, (db) => {
            const begun = db.prepare("SELECT payload FROM events WHERE type = 'log.begun'");
            expect(begun.pluck().all()).toEqual([
              expect.stringContaining(`"found":"${fixture.head + grown}"`),
            ]);
          });
        }),
      120_000 * patience,
    );
  });
}
