import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { readConfig } from "../../src/config/config.ts";
import { action, createAction } from "../../src/domain/action.ts";
import { auditLimits } from "../../src/log/audit.ts";
import { logIn } from "../../src/log/in-file.ts";
import { type Offline, withLog } from "../../src/log/offline.ts";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { restMs } from "../../src/store/verify/rest.ts";
import { shortened } from "../harness/extent.ts";
import { inFull } from "../harness/in-full.ts";
import { endProcesses, inDirectory, startProcess } from "../harness/process.ts";
import { start } from "../start/command.ts";
import { environment } from "./forgeries.ts";

// What a start does not look at is found soon after it.

let given: string;
let release: () => void;
let done: Promise<void>;

const flagsOf = (dataDir: string) => ["--port=0", `--data-dir=${dataDir}`];
type Service = Pick<Awaited<ReturnType<typeof start>>, "url">;

/** Adds a project; answers the status and what the answer says. */
async function add({ url }: Service, dataDir: string, name: string) {
  const token = (await readFile(join(dataDir, "admin.token"), "utf8")).trim();
  const response = await fetch(`${url}/management/v1/projects`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  return { status: response.status, text: await response.text() };
}

/** Adds more events than a start looks at. */
async function addMore({ execute, newId }: Offline): Promise<void> {
  const script = { script: "", timeoutNanos: 1_000_000_000, allowedToFail: false };
  const more = Array.from({ length: sqliteLimits.checkedEvents + 10 }, (_, n) =>
    execute({
      actor: "test",
      writes: { action: { noun: action, id: newId(), owner: "test", isNew: true } },
      decide: () => createAction({ ...script, name: `action ${n}` }),
    }),
  );
  for (const { kind } of await Promise.all(more)) expect(kind).toBe("done");
}

beforeAll(async () => {
  const { promise: until, resolve } = Promise.withResolvers<void>();
  release = resolve;
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  done = inDirectory(async (directory) => {
    given = join(directory, "data");
    const service = await start(flagsOf(given), environment);
    expect((await add(service, given, "Before")).status).toBe(200);
    await service.close();
    await withLog(readConfig(flagsOf(given), environment), addMore);
    isReady();
    await until;
  });
  await Promise.race([ready, done]);
});
afterEach(endProcesses);
afterAll(async () => {
  release();
  await done;
});

/** Does the work in a copy of the data directory whose log was forged. */
async function inCopy(sql: string, work: (dataDir: string) => Promise<void>): Promise<void> {
  await inDirectory(async (directory) => {
    const dataDir = join(directory, "data");
    await cp(given, dataDir, { recursive: true });
    const db = new Database(logIn(dataDir));
    db.exec(sql);
    db.close();
    await work(dataDir);
  });
}

/** The same while the service runs on it. */
async function inForged(
  sql: string,
  work: (service: Service, dataDir: string) => Promise<void>,
): Promise<void> {
  await inCopy(sql, async (dataDir) => {
    const service = await start(flagsOf(dataDir), environment);
    try {
      await work(service, dataDir);
    } finally {
      await service.close();
    }
  });
}

/** What `/readyz` says once it says what is asked for. */
async function readyUntil({ url }: Service, isIt: (said: string) => boolean): Promise<string> {
  for (;;) {
    const said = await (await fetch(`${url}/readyz`)).text();
    if (isIt(said)) return said;
    await pause(50);
  }
}

const events = (dataDir: string) => {
  const db = new Database(logIn(dataDir), { readonly: true });
  const count = db.prepare<[], number>("SELECT count(*) FROM events").pluck().get() ?? 0;
  db.close();
  return count;
};

test("a log that nobody touched is checked to its end, and goes on", async () => {
  await inForged("", async (service, dataDir) => {
    const before = events(dataDir);
    await readyUntil(service, (said) => JSON.parse(said).checkedEvents >= before);
    expect((await add(service, dataDir, "After")).status).toBe(200);
  });
});

const oldEvent = "UPDATE events SET time = time - 1000 WHERE position = 5";
const rows: readonly (readonly [what: string, sql: string])[] = [
  ["an event of long ago", oldEvent],
  [
    "a state, which nobody has read",
    "UPDATE objects SET state = json_set(state, '$.name', 'x') WHERE stream LIKE 'project-%'",
  ],
  ["an event of long ago that was taken away", "DELETE FROM events WHERE position = 12"],
];

describe("writes are refused soon after a start on", () => {
  test.each(shortened(rows, 2))("%s", async (_what, sql) => {
    await inForged(sql, async (service, dataDir) => {
      await readyUntil(service, (said) => said.includes("HISTORY_CHANGED"));
      const before = events(dataDir);
      const { status, text } = await add(service, dataDir, "After");
      expect(status).toBe(503);
      expect(text).toContain("HISTORY_CHANGED");
      expect(events(dataDir)).toBe(before);
    });
  });
});

test("the check rests three times as long as it works, in pieces far below what is felt", () => {
  const { corePercent, pieceMs } = auditLimits;
  expect([corePercent, pieceMs]).toEqual([25, 20]);
  expect(restMs(pieceMs, corePercent / 100)).toBe(60);
  expect(restMs(pieceMs, 1)).toBe(0);
});

test("a service that stops before the check is over ends in good order", async () => {
  await inForged(oldEvent, async () => {});
});

inFull("what one of several processes finds is told to all, and to those that come", async () => {
  await inCopy(oldEvent, async (dataDir) => {
    const flags = [...flagsOf(dataDir), "--processes=2"];
    const service = startProcess(flags, { env: environment });
    /** The processes that have said that nothing is written any more. */
    const told = async (count: number) => {
      const fatal = '"level":60,';
      for (;;) {
        const lines = service.stderr().split("\n");
        const of = lines.filter((line) => line.includes(fatal) && line.includes("damage"));
        const pids = new Set(of.map((line) => (JSON.parse(line) as { pid: number }).pid));
        if (pids.size >= count) return [...pids];
        await pause(50);
      }
    };
    const url = await service.listening;
    const [pid] = await told(2);
    for (let connection = 0; connection < 8; connection += 1) {
      expect((await add({ url }, dataDir, "After")).status).toBe(503);
    }
    process.kill(pid!, "SIGKILL");
    await told(3);
    expect((await add({ url }, dataDir, "After")).status).toBe(503);
    service.kill("SIGTERM");
    expect((await service.ended).code).toBe(0);
  });
});
