import { afterEach, beforeEach, describe } from "@jest/globals";
import { readLog } from "../../src/store/sqlite/export-file.ts";
import { fillSqlite } from "../../src/store/sqlite/fill-file.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import type { Store } from "../../src/store/store.ts";
import { attachmentDamages } from "./attachments.ts";
import { things } from "./fixture.ts";
import { sealing } from "./keys.ts";
import { damage, rebuilt, verified } from "./sqlite-damage.ts";
import { type SqlitePlace, sqlitePlace } from "./sqlite-place.ts";

let place: SqlitePlace;
let filled: Store | undefined;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(async () => {
  await filled?.close();
  await place.remove();
});

describe("in a file,", () => {
  const there = () => `${place.path}.filled`;
  attachmentDamages(
    () => ({
      open: () => place.open(),
      damage: async (sql) => damage(place.path, sql),
      verify: async () => (await verified(place.path)).lines,
      rebuild: () => rebuilt(place.path),
      read: () => readLog(place.path),
      fill: (id) => fillSqlite(there(), id),
      verifyFilled: async () => (await verified(there())).lines,
      openFilled: async () => {
        filled = await openSqlite({ path: there(), projector: things(), ...sealing });
        return filled;
      },
    }),
    (bytes) => `x'${bytes.toString("hex")}'`,
  );
});
