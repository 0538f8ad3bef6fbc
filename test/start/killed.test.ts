import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { v7 } from "uuid";
import { headFile } from "../../src/log/head-places.ts";
import { logIn } from "../../src/log/in-file.ts";
import { parseHead } from "../../src/store/chain/head.ts";
import { isFull, patience } from "../harness/extent.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { run } from "./command.ts";

// Real processes that are killed while they write what proves that nobody changed the log.

afterEach(endProcesses);

const positionIn = (text: string) => parseHead(text)?.position ?? -1n;
const headIn = async (dataDir: string) =>
  positionIn(await readFile(join(dataDir, headFile), "utf8"));

/** What one reads of the log beside one who writes it. */
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
  while (!isOver()) {
    await fetch(`${url}/management/v1/projects`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        connection: "close",
      },
      body: JSON.stringify({ name: v7() }),
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
        // Another moment in each round, and the same ones in each run.
        await pause(((round + 1) * 37) % 100);
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
