import { readFile, rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { payloadHash } from "../../src/store/chain/link.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { append, change, things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { type DamagePlace, damage, damagePlace, rebuilt, verified } from "./sqlite-damage.ts";

const marker = "planted-marker-ada";
const secret = JSON.stringify({ name: marker });

let place: DamagePlace;
let salt: string;
beforeAll(async () => {
  place = await damagePlace();
});
afterAll(() => place.remove());

/** A file with the erased stream "gone" of three events, the last of which has erased it. */
async function erased(): Promise<string> {
  const path = await place.copy();
  const store = await openSqlite({ path, projector: things(), ...sealing });
  const events = [{ type: "thing.added", payload: secret }];
  const row = { kind: "thing", parent: "", fields: { name: marker } };
  const state = JSON.stringify({ name: marker, parent: "" });
  await store.append(append([change("gone", 0, { events, state, row })]));
  await store.append(append([change("gone", 1, { events, state, row })]));
  damage(path, "", (db) => {
    salt = String(db.prepare("SELECT hex(salt) FROM events WHERE stream = 'gone'").pluck().get());
  });
  const erasing = [{ type: "thing.erased", payload: "{}" }];
  const nothing = { state: undefined, row: undefined };
  await store.append(append([change("gone", 2, { events: erasing, ...nothing })]));
  await store.close();
  return path;
}

test("an erased stream is whole, before a rebuild and after it", async () => {
  const path = await erased();
  expect((await verified(path)).lines).toEqual([]);
  await rebuilt(path);
  expect((await verified(path)).lines).toEqual([]);
});

test("what was erased is in none of the files, even while the store is open", async () => {
  const path = await place.copy();
  const store = await openSqlite({ path, projector: things(), ...sealing });
  const long = JSON.stringify({ name: marker.repeat(2_000) });
  for (let version = 0; version < 40; version += 1) {
    const events = [{ type: "thing.added", payload: version % 2 === 0 ? secret : long }];
    const row = { kind: "thing", parent: "", fields: { name: `${marker} ${version}` } };
    const state = JSON.stringify({ name: `${marker} ${version}`, parent: "" });
    await store.append(append([change("gone", version, { events, state, row })]));
    await store.append(append([change(`other-${version}`, 0)]));
  }
  const found = async () => {
    const files = [path, `${path}-wal`].map(async (file) =>
      (await readFile(file)).toString("latin1"),
    );
    return (await Promise.all(files)).map((text) => text.includes(marker));
  };
  expect(await found()).toContain(true);
  const events = [{ type: "thing.erased", payload: "{}" }];
  await store.append(append([change("gone", 40, { events, state: undefined, row: undefined })]));
  expect(await found()).toEqual([false, false]);
  await store.close();
  await rm(path);
});

const hex = (bytes: string) => `x'${bytes}'`;
const first = "WHERE stream = 'gone' AND version = 1";
const ofThing3 = "WHERE stream = 'thing-3' AND version = 1";

describe("verify names", () => {
  test("an event that was filled again", async () => {
    const path = await erased();
    damage(path, `UPDATE events SET payload = '${secret}', salt = ${hex(salt)} ${first}`);
    expect((await verified(path)).lines).toEqual([
      "event at position 19, version 1 of gone: it has a payload, which the event at position 21 erased",
    ]);
  });

  test("a payload that was taken though no event erased it", async () => {
    const path = await erased();
    damage(path, "", (db) => {
      const row = db.prepare(`SELECT payload, hex(salt) AS salt FROM events ${ofThing3}`).get();
      const said = row as { payload: string; salt: string };
      const hash = payloadHash(Buffer.from(said.salt, "hex"), said.payload);
      db.exec(`UPDATE events SET payload = '', salt = ${hex(hash)} ${ofThing3}`);
    });
    const { lines } = await verified(path);
    expect(lines).toContainEqual(
      expect.stringMatching(/^event at .* of thing-3: its payload is gone, and no event of its/),
    );
    await expect(rebuilt(path)).rejects.toThrow("thing-3");
  });

  test.each([
    ["another payload in place of one that was erased", "payload = '{}'"],
    ["another hash", `salt = ${hex("00".repeat(32))}`],
    ["a short hash", `salt = ${hex("00".repeat(16))}`],
  ])("%s", async (_, change) => {
    const path = await erased();
    damage(path, `UPDATE events SET ${change} ${first}`);
    expect((await verified(path)).lines).toContainEqual(
      expect.stringMatching(/^event at position 19, .*: it is not what was appended/),
    );
  });
});
