import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { forgedArtifactCases } from "./artifact-forged.ts";
import { timeMs } from "./fixture.ts";
import { takeBack } from "./sqlite-forge.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

describe("rows of artifacts that somebody has forged", () => {
  forgedArtifactCases(() => ({
    open: () => place.open(),
    run: async (sql) => void place.connect().exec(sql),
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
