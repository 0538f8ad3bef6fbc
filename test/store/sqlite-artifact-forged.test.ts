import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { forgedArtifactCases } from "./artifact-forged.ts";
import { timeMs } from "./fixture.ts";
import { takeArtifactsBack, takeBack } from "./sqlite-forge.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("rows of artifacts that somebody has forged", () => {
  forgedArtifactCases(() => ({
    open: () => place.open(),
    run: async (sql) => {
      place.connect().exec(sql);
      // In the same turn of the event loop the file is not looked at again.
      await turn();
    },
    bytes: (hex) => `x'${hex}'`,
  }));
});

it("loses the artifacts of a program that kept them without a MAC", async () => {
  await (await place.open()).close();
  const db = place.connect();
  takeBack(db);
  db.exec(`INSERT INTO artifacts VALUES ('code', NULL, NULL, '{}', ${timeMs + 1}, 0)`);
  const { artifacts } = await place.open();
  expect(await artifacts.find("code", timeMs)).toBeUndefined();
  expect(db.prepare("SELECT * FROM artifacts").all()).toEqual([]);
});

it("keeps the artifacts of a program that kept them by their keys", async () => {
  const before = await place.open();
  const artifact = { key: "code", alias: "uid", family: "login", payload: "{}" };
  const all = [artifact, { key: "token", payload: "{}" }];
  const changes = all.map(
    (one) => ({ kind: "put", artifact: { ...one, expiresMs: timeMs + 1 } }) as const,
  );
  await before.artifacts.write([...changes, { kind: "use", key: "code" }], timeMs);
  await before.close();
  takeArtifactsBack(place.connect());
  const { artifacts } = await place.open();
  const found = { ...artifact, expiresMs: timeMs + 1, uses: 1 };
  expect(await artifacts.find("code", timeMs)).toEqual(found);
  expect(await artifacts.findAlias("uid", timeMs)).toEqual(found);
  expect(await artifacts.find("token", timeMs)).toMatchObject({ key: "token", uses: 0 });
});
