import { createHmac, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { readConfig } from "../../src/config/config.ts";
import { anchorOf, fileOfHead, type HeadPlace } from "../../src/log/head-places.ts";
import { keepHeads } from "../../src/log/heads.ts";
import { isSealed, parseHead, sealHead, signHead } from "../../src/store/chain/head.ts";
import { netstrings } from "../../src/store/chain/link.ts";
import { subkeyOf } from "../../src/store/chain/subkeys.ts";
import { type FileLock, openFileLock } from "../../src/store/sqlite/file-lock.ts";
import type { Store } from "../../src/store/store.ts";
import { unlocked } from "../harness/log-keys.ts";
import { inDirectory } from "../harness/process.ts";
import { append, change } from "../store/fixture.ts";

const key = createSecretKey(Buffer.alloc(32, 1));
const limits = { everyMs: 5, events: 3, retryMs: 5 };

/** A log of which only the end matters. */
function logAt(start: bigint) {
  let position = start;
  const log = {
    log: "the-log",
    head: async () => ({ position, timeMs: 0 }),
    linkAt: async (at: bigint) => Buffer.alloc(32, Number(at)),
    condition: async () => ({ figures: { freeBytes: 7 }, warnings: [] }),
    append: async () => {
      position += 1n;
      return { kind: "appended", events: [{}] };
    },
  } as unknown as Store;
  return log;
}

/** A place in memory, which fails while it is told to. */
function memory(name = "there", isShared = true) {
  const place = { text: undefined as string | undefined, problem: "", writes: 0 };
  const kept: HeadPlace = {
    ...{ name, isShared },
    read: async () => place.text,
    write: async (text) => {
      place.writes += 1;
      if (place.problem !== "") throw new Error(place.problem);
      place.text = text;
    },
  };
  return { place, kept };
}

function keeper(
  log: Store,
  places: readonly HeadPlace[],
  lines: string[] = [],
  lock: Pick<FileLock, "alone"> = unlocked,
) {
  const say = (_members: object, line: string) => void lines.push(line);
  return keepHeads({
    log,
    key,
    places,
    lock,
    now: () => 7,
    lines: { error: say, info: say },
    limits,
  });
}

const positionIn = (text: string | undefined) => parseHead(text ?? "")?.position;
const thing = append([change("thing-1", 0)]);

/** Far more turns than any of these limits has milliseconds. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns += 1) {
    if (turns === 3_000) throw new Error("it never came to be so");
    await pause(1);
  }
}

describe("a head", () => {
  const head = {
    log: "the-log",
    position: 12n,
    link: Buffer.alloc(32, 3),
    timeMs: 1_700_000_000_123,
  };

  test("comes back as it was written, and is told from one that was changed", () => {
    const text = sealHead(head, key);
    const read = parseHead(text)!;
    expect(read).toMatchObject({ ...head, link: Buffer.from(head.link) });
    expect(isSealed(read, key)).toBe(true);
    expect(isSealed({ ...read, position: 13n }, key)).toBe(false);
    expect(isSealed({ ...read, timeMs: 0 }, key)).toBe(false);
    expect(isSealed({ ...read, log: "another" }, key)).toBe(false);
    expect(isSealed(read, createSecretKey(Buffer.alloc(32, 2)))).toBe(false);
    expect(isSealed(parseHead(signHead(head, key))!, key)).toBe(false);
    const said = ["the-log", "12", "03".repeat(32), new Date(head.timeMs).toISOString()];
    const byKeyOf = (one: KeyObject) => createHmac("sha256", one).update(netstrings(said)).digest();
    expect(read.mac).toEqual(byKeyOf(subkeyOf(key, "iam head")));
    expect(read.mac).not.toEqual(byKeyOf(key));
  });

  test.each([
    "",
    "null",
    "{}",
    '{"log":"a","position":"1","link":"00","time":"2026-01-01T00:00:00.000Z"}',
    '{"log":"a","position":1,"link":"","time":""}',
  ])("is no text like %s", (text) => {
    expect(parseHead(text)).toBeUndefined();
  });
});

describe("heads", () => {
  test("follow what others append, every followMs", async () => {
    const { place, kept } = memory();
    const log = logAt(4n);
    const [lines, now] = [{ error() {}, info() {} }, () => 7];
    const following = { ...limits, followMs: 5 };
    const options = { log, key, places: [kept], lock: unlocked, now, lines };
    const heads = keepHeads({ ...options, limits: following });
    await heads.begin(false);
    await log.append(thing);
    await until(() => positionIn(place.text) === 5n);
    await heads.close();
  });

  test("follow the appends, and the last one is written at the end", async () => {
    const { place, kept } = memory();
    const heads = keeper(logAt(4n), [kept]);
    await heads.begin(false);
    expect(positionIn(place.text)).toBe(4n);
    await heads.log.append(thing);
    await until(() => positionIn(place.text) === 5n);
    await heads.log.append(thing);
    await heads.close();
    expect(positionIn(place.text)).toBe(6n);
  });

  test("wait no longer once so many events have come", async () => {
    const { place, kept } = memory();
    const log = logAt(4n);
    const lines = { error: () => {}, info: () => {} };
    const rare = { ...limits, everyMs: 60_000 };
    const options = { log, key, places: [kept], lock: unlocked, now: () => 7, lines };
    const heads = keepHeads({ ...options, limits: rare });
    await heads.begin(false);
    for (let events = 1; events < limits.events; events += 1) await heads.log.append(thing);
    await pause(20);
    expect(positionIn(place.text)).toBe(4n);
    await heads.log.append(thing);
    await until(() => positionIn(place.text) === 4n + BigInt(limits.events));
    await heads.close();
  });

  test("are not put over one that is ahead, unless that is decided", async () => {
    const { place, kept } = memory();
    const ahead = { log: "the-log", position: 9n, link: Buffer.alloc(32), timeMs: 0 };
    place.text = sealHead(ahead, key);
    const heads = keeper(logAt(4n), [kept]);
    await heads.begin(false);
    expect(positionIn(place.text)).toBe(9n);
    await heads.begin(true);
    expect(positionIn(place.text)).toBe(4n);
    await heads.close();
  });

  test.each([
    ["was sealed with another key", "the-log", createSecretKey(Buffer.alloc(32, 2))],
    ["is of another log", "another", key],
  ])("are put over one that is ahead but %s", async (_what, log, by) => {
    const { place, kept } = memory();
    place.text = sealHead({ log, position: 9n, link: Buffer.alloc(32), timeMs: 0 }, by);
    const heads = keeper(logAt(4n), [kept]);
    await heads.begin(false);
    expect(positionIn(place.text)).toBe(4n);
    await heads.close();
  });

  test("of several processes that write one file never go back", async () => {
    await inDirectory(async (directory) => {
      const file = fileOfHead(join(directory, "iam.head"), "iam.head", randomBytes);
      const lockPath = join(directory, "iam.head.lock");
      const locks = [openFileLock(lockPath), openFileLock(lockPath)];
      const log = logAt(0n);
      const written: (bigint | undefined)[] = [];
      const held = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const placeOf = (before: () => Promise<void>): HeadPlace => ({
        ...file,
        write: async (text) => {
          await before();
          await file.write(text);
          written.push(positionIn(text));
        },
      });
      const slow = async () => {
        begun.resolve();
        await held.promise;
      };
      const [one, other] = [
        keeper(log, [placeOf(slow)], [], locks[0]),
        keeper(log, [placeOf(async () => {})], [], locks[1]),
      ];
      await one.log.append(thing);
      await begun.promise;
      await other.log.append(thing);
      await pause(50);
      held.resolve();
      await Promise.all([one.close(), other.close()]);
      for (const lock of locks) lock.close();
      expect(written).toEqual([1n, 2n]);
      expect((await stat(lockPath)).mode & 0o777).toBe(0o600);
    });
  });

  test("that cannot be kept refuse nothing, are told once, and are kept later", async () => {
    const [file, anchor] = [memory(), memory("the anchor", false)];
    anchor.place.problem = "it answered 500";
    const lines: string[] = [];
    const heads = keeper(logAt(1n), [file.kept, anchor.kept], lines);
    await heads.begin(false);
    expect(await heads.log.append(thing)).toMatchObject({ kind: "appended" });
    await until(() => anchor.place.writes > 3);
    expect(lines).toEqual(["the head cannot be stored outside of the log"]);
    expect(await heads.log.condition(0)).toMatchObject({
      figures: { freeBytes: 7, anchorLagEvents: 2 },
      warnings: ["The head of the log cannot be stored in the anchor: it answered 500."],
    });
    anchor.place.problem = "";
    await until(() => positionIn(anchor.place.text) === 2n);
    await heads.close();
    expect(lines.at(-1)).toBe("the head is stored again");
    expect(await heads.log.condition(0)).toMatchObject({
      figures: { headLagEvents: 0, anchorLagEvents: 0 },
      warnings: [],
    });
  });
});

test.each([
  ["", true],
  ["file:///mnt/elsewhere/iam.anchor", true],
  ["https://example.com/heads?token=1", true],
  ["/mnt/iam.anchor", false],
  ["file:///mnt/", false],
  ["file://host/a", false],
  ["ftp://a/b", false],
  ["https://u:p@a/", false],
])("an anchor may be at %j: %j", (url, isGood) => {
  const read = () => readConfig([], { IAM_ANCHOR_URL: url }).anchorUrl;
  if (isGood) expect(read()).toBe(url);
  else expect(read).toThrow(/^IAM_ANCHOR_URL \(--anchor-url\) must be [^"]+$/);
});

test("a webhook gets heads by POST and may answer the last; a refusal names no URL", async () => {
  let text = "";
  let status = 200;
  const server = createServer((request, response) => {
    if (request.method === "GET") return void response.writeHead(status).end(text);
    text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => response.writeHead(status).end());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const anchor = anchorOf(`http://127.0.0.1:${port}/heads?token=secret`, randomBytes);
  try {
    const head = sealHead({ log: "a", position: 1n, link: Buffer.alloc(32), timeMs: 0 }, key);
    await anchor.write(head);
    expect([text, await anchor.read()]).toEqual([head, head]);
    text = "";
    expect(await anchor.read()).toBeUndefined();
    for (text of ["it is well", `"${"x".repeat(5_000)}"`]) {
      await expect(anchor.read()).rejects.toThrow(/^its answer is not a head$/);
    }
    status = 404;
    await expect(anchor.read()).rejects.toThrow(/^it answered 404$/);
    await expect(anchor.write("another")).rejects.toThrow(/^it answered 404$/);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await expect(anchor.read()).rejects.toThrow(/^it does not answer$/);
  await expect(anchor.write("another")).rejects.toThrow(/^it does not answer$/);
});
