import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { forgedArtifactCases } from "./artifact-forged.ts";
import { timeMs } from "./fixture.ts";
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
  place.connect().exec(`
    ALTER TABLE artifacts DROP COLUMN mac;
    INSERT INTO artifacts VALUES ('code', NULL, NULL, '{}', ${timeMs + 1}, 0);
    PRAGMA user_version = 11;
  `);
  const { artifacts } = await place.open();
  expect(await artifacts.find("code", timeMs)).toBeUndefined();
  expect(place.connect().prepare("SELECT * FROM artifacts").all()).toEqual([]);
});
