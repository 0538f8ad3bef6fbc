import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import type { RecordedEvent } from "../../src/event.ts";
import { shortened } from "../harness/extent.ts";
import {
  append,
  asking,
  change,
  eventsOf,
  expectGapless,
  listed,
  readLog,
  readNext,
} from "./fixture.ts";
import type { SqlitePlace } from "./sqlite-place.ts";
import { sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
let children: Child[];
beforeEach(async () => {
  place = await sqlitePlace();
  children = [];
});
afterEach(async () => {
  for (const child of children) await child.kill();
  await place.remove();
});

describe("several processes on one SQLite file", () => {
  it("may make it at the same moment", async () => {
    // All but the first round find the file.
    for (let round = 0; round < 2; round += 1) {
      const names = shortened(["1", "2", "3", "4"], 3).map((name) => `${round}-${name}`);
      const started = await Promise.all(names.map((name) => start("open", name)));
      const exits = await Promise.all(started.map((child) => child.finish()));
      expect(exits).toEqual(names.map(() => 0));
      expect(await expectGapless(await place.open())).toBe(names.length * (round + 1));
    }
  });

  it("may open it while others append", async () => {
    const child = await start("grow", "one");
    let running = true;
    const ended = child.finish().finally(() => {
      running = false;
    });
    while (running) {
      await (await place.open()).close();
      await new Promise(setImmediate);
    }
    expect(await ended).toBe(0);
  });

  it("acknowledge exactly what is in the log, and a follower misses none of it", async () => {
    const follower = await place.open();
    const started = await Promise.all(["one", "two"].map((name) => start("race", name)));
    const exits = Promise.all(started.map((child) => child.finish()));
    let running = true;
    const ended = exits.finally(() => {
      running = false;
    });
    const followed: RecordedEvent[] = [];
    for (let last = false; ; ) {
      const read = await readNext(follower, followed, 10);
      if (read === 0 && last) break;
      last = !running;
      await new Promise(setImmediate);
    }
    expect(await ended).toEqual([0, 0]);

    const reports = started.flatMap((child) => child.lines.slice(1).map(asRace));
    const acknowledged = reports.flatMap(({ own, shared }) => [...own, ...shared]).map(BigInt);
    const total = await expectGapless(follower);
    expect(acknowledged.sort((a, b) => Number(a - b))).toEqual(
      Array.from({ length: total }, (_, i) => BigInt(i + 1)),
    );
    expect(followed.map(({ position }) => position)).toEqual(acknowledged);
    expect(reports.map(({ own }) => own.length)).toEqual([200, 200]);
    expect(reports.map(({ shared, conflicts }) => shared.length + conflicts)).toEqual([200, 200]);
    expectConsecutiveVersions(await readLog(follower));
  });
});

describe("objects of one SQLite file", () => {
  it("are listed as of one moment, whatever another process writes", async () => {
    const store = await place.open();
    const child = await start("grow", "one");
    let running = true;
    const ended = child.finish().finally(() => {
      running = false;
    });
    while (running) {
      const page = await listed(store, { kind: "thing", offset: 0, limit: 1_000 });
      expect([page.objects.length, Number(page.head.position)]).toEqual([page.total, page.total]);
      await new Promise(setImmediate);
    }
    expect(await ended).toBe(0);
    expect((await listed(store, { kind: "thing", offset: 0, limit: 1 })).total).toBe(400);
  });
});

describe("groups of claims in one SQLite file", () => {
  it("are relied on at each size by one append of all processes", async () => {
    const started = await Promise.all(["one", "two"].map((name) => start("tally", name)));
    expect(await Promise.all(started.map((child) => child.finish()))).toEqual([0, 0]);
    const totals = started.flatMap((child) => child.lines.slice(1).flatMap(asTotals));
    expect(totals.sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, i) => i));
    const store = await place.open();
    expect((await store.holders({ kind: "role", scope: "org-1" }, 0)).total).toBe(80);
  });
});

describe("messages of one SQLite file", () => {
  it("are leased to one process each", async () => {
    const store = await place.open();
    const streams = Array.from({ length: 100 }, (_, i) => `thing-${i}`);
    eventsOf(await store.append(append(streams.map((stream) => asking(stream, 0)))));
    const started = await Promise.all(["one", "two"].map((name) => start("lease", name)));
    expect(await Promise.all(started.map((child) => child.finish()))).toEqual([0, 0]);
    const leased = started.flatMap((child) => child.lines.slice(1).flatMap(asPositions));
    expect(leased.sort()).toEqual(streams.map((_, i) => `${i + 1} code`).sort());
  });
});

describe("quotas in one SQLite file", () => {
  it("are used up by all processes together", async () => {
    const started = await Promise.all(["one", "two"].map((name) => start("ask", name)));
    expect(await Promise.all(started.map((child) => child.finish()))).toEqual([0, 0]);
    const kinds = started.flatMap((child) => child.lines.slice(1).flatMap(asPositions));
    const ends = Object.groupBy(kinds, (kind) => kind);
    expect(ends.appended).toHaveLength(50);
    expect(ends["quota-spent"]).toHaveLength(30);
  });
});

describe("a process that is killed", () => {
  it("loses nothing that it acknowledged and leaves no append half done", async () => {
    const acknowledged: string[] = [];
    const names = shortened(["one", "two", "three"]);
    for (const name of names) {
      const child = await start("forever", name);
      child.go();
      await child.linesAbove(60);
      await child.kill();
      acknowledged.push(...child.lines.slice(1).flatMap(asPositions));
      const store = await place.open();
      const total = await expectGapless(store);
      const log = await readLog(store);
      expect(acknowledged.map(Number).filter((position) => position > total)).toEqual([]);
      expect(new Set(acknowledged).size).toBe(acknowledged.length);
      const written = (side: string) =>
        log.filter(({ stream }) => stream.endsWith(side)).map(({ version }) => version);
      expect(written("left")).toEqual(written("right"));
      expectConsecutiveVersions(log);
      await store.close();
    }
    expect(acknowledged.length).toBeGreaterThan(names.length * 60);
  });
});

describe("a disk that is full", () => {
  it("fails the whole batch as StoreUnavailable and keeps what was acknowledged", async () => {
    const child = await start("fill", "one", 2 * 1024 * 1024);
    expect(await child.finish()).toBe(0);
    const batches = child.lines.slice(1).map(asFilled);
    const failed = batches.pop();
    expect(batches.length).toBeGreaterThan(0);
    for (const { kinds } of batches) {
      const refused = kinds.flatMap((kind, i) => (kind === "appended" ? [] : [i, kind]));
      expect(refused).toEqual([3, "version-conflict"]);
    }
    expect(failed?.kinds).toEqual(Array(6).fill("StoreUnavailable"));

    const store = await place.open();
    const total = await expectGapless(store);
    const acknowledged = batches.flatMap(({ positions }) => positions);
    expect(acknowledged).toEqual(Array.from({ length: total }, (_, i) => `${i + 1}`));
    eventsOf(await store.append(append([change(`a-${batches.length}`, 0)])));
  });

  it("fails the whole batch too when it is full before COMMIT", async () => {
    const child = await start("overflow", "one", 2 * 1024 * 1024);
    expect(await child.finish()).toBe(0);
    expect(child.lines.slice(1).map(asFilled)).toEqual([
      { kinds: Array(6).fill("StoreUnavailable"), positions: [] },
    ]);
    const store = await place.open();
    expect(await store.readAll(0n, 1)).toEqual([]);
    eventsOf(await store.append(append([change("a-0", 0)])));
  });

  it("makes the store not ready until there is room, though nobody appends", async () => {
    const child = await start("ready", "one", 512 * 1024);
    child.go();
    await child.linesAbove(1);
    expect(child.lines[1]).toBe("not ready");
    const db = place.connect();
    const acknowledged = db.prepare("SELECT count(*) FROM events").pluck().get();
    // What fills the disk, as far as the child is concerned, is the file that this empties.
    db.pragma("wal_checkpoint(TRUNCATE)");
    expect(await child.finish()).toBe(0);
    expect(child.lines[2]).toEqual([String(Number(acknowledged) + 1)]);
  });
});

interface Child {
  /** What it has printed so far. */
  readonly lines: unknown[];
  /** Lets it begin. */
  go(): void;
  /** Lets it begin and answers its exit code. */
  finish(): Promise<number | null>;
  /** Resolves when it has printed more lines than that. */
  linesAbove(count: number): Promise<void>;
  /** Ends it with SIGKILL, if it has not ended, and reads what it printed until then. */
  kill(): Promise<void>;
}

/** Starts a child, which may write files of so many bytes, and waits until it can begin. */
async function start(task: string, name: string, fileBytes?: number): Promise<Child> {
  const script = fileURLToPath(new URL("./sqlite-child.ts", import.meta.url));
  const command = [process.execPath, script, place.path, task, name];
  // The limit is counted in blocks of 512 bytes. Past it a write fails like on a full disk.
  const limit = fileBytes === undefined ? "unlimited" : String(fileBytes / 512);
  const shell = ["-c", 'ulimit -f "$0" && exec "$@"', limit, ...command];
  const child = spawn("/bin/sh", shell, { stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const lines: unknown[] = [];
  const reader = createInterface({ input: child.stdout });
  const read = once(reader, "close");
  reader.on("line", (line) => lines.push(JSON.parse(line)));
  const linesAbove = async (count: number) => {
    while (lines.length <= count) {
      const ended = await Promise.race([once(reader, "line"), read.then(() => "ended")]);
      expect(ended).not.toBe("ended");
    }
  };
  const made: Child = {
    lines,
    go: () => {
      child.stdin.write("go\n");
    },
    finish: async () => {
      made.go();
      await Promise.all([closed, read]);
      return child.exitCode;
    },
    linesAbove,
    kill: async () => {
      child.kill("SIGKILL");
      await Promise.all([closed, read]);
    },
  };
  children.push(made);
  await linesAbove(0);
  return made;
}

function expectConsecutiveVersions(log: readonly RecordedEvent[]): void {
  const versions = new Map<string, number>();
  for (const { stream, version } of log) {
    expect(version).toBe((versions.get(stream) ?? 0) + 1);
    versions.set(stream, version);
  }
}

interface Race {
  readonly own: readonly string[];
  readonly shared: readonly string[];
  readonly conflicts: number;
}

function asRace(line: unknown): Race {
  expect(line).toMatchObject({ own: expect.any(Array), shared: expect.any(Array) });
  return line as Race;
}

interface Filled {
  readonly kinds: readonly string[];
  readonly positions: readonly string[];
}

function asFilled(line: unknown): Filled {
  expect(line).toMatchObject({ kinds: expect.any(Array), positions: expect.any(Array) });
  return line as Filled;
}

function asPositions(line: unknown): string[] {
  expect(line).toEqual(expect.any(Array));
  return line as string[];
}

function asTotals(line: unknown): number[] {
  expect(line).toEqual(expect.any(Array));
  return line as number[];
}
