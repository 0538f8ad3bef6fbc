import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "@jest/globals";
import type { Store } from "../../src/store/store.ts";
import { append, change, timeMs } from "./fixture.ts";
import { openSingly, singly } from "./singly.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
let store: Store;

beforeEach(async () => {
  place = await sqlitePlace();
  store = await place.open();
});
afterEach(() => place.remove());

const artifact = (key: string) => ({ key, payload: key, expiresMs: timeMs + 1_000 });

/** How many transactions the WAL holds: the last frame of each says how large the file is then. */
function commits(): number {
  const wal = readFileSync(`${place.path}-wal`);
  const frameBytes = 24 + wal.readUInt32BE(8);
  let found = 0;
  for (let at = 32; at + frameBytes <= wal.length; at += frameBytes) {
    if (wal.readUInt32BE(at + 4) > 0) found += 1;
  }
  return found;
}

it("shares one commit among all that is written in a turn of the event loop", async () => {
  const artifacts = singly(store.artifacts);
  await artifacts.put(artifact("code"));
  const before = commits();
  await Promise.all([
    ...Array.from({ length: 20 }, (_, i) => artifacts.put(artifact(`token ${i}`))),
    store.append(append([change("thing-1", 0)])),
    artifacts.use("code", timeMs),
    artifacts.count("tries", timeMs + 1_000, timeMs),
    artifacts.remove("token 0"),
    artifacts.removeFamily("login"),
  ]);
  expect(commits() - before).toBe(1);
  expect(await artifacts.find("token 0", timeMs)).toBeUndefined();
  expect(await artifacts.find("token 19", timeMs)).toMatchObject({ key: "token 19" });
});

it("refuses artifacts like all else that is written past what may wait", async () => {
  const { artifacts } = await openSingly(() => place.open(undefined, { waitingAppends: 2 }))();
  const made = ["one", "two", "three"].map((key) => artifacts.put(artifact(key)));
  const ends = (await Promise.allSettled(made)).map(({ status }) => status);
  expect(ends).toEqual(["fulfilled", "fulfilled", "rejected"]);
});
