import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { ProviderParts } from "../../src/provider/base/parts.ts";
import { createUnit } from "../../src/provider/base/unit.ts";
import { createAdapter, type Request } from "../../src/provider/library/adapter.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { timeMs } from "../store/fixture.ts";
import { type SqlitePlace, sqlitePlace } from "../store/sqlite-place.ts";

let place: SqlitePlace;
beforeEach(async () => {
  place = await sqlitePlace();
});
afterEach(() => place.remove());

test("a second use ends the login, also where the token expires meanwhile", async () => {
  const { artifacts } = await place.open();
  const key = `RefreshToken:${hashSecret("token")}`;
  const artifact = { key, family: "grant", payload: "{}", expiresMs: timeMs + 1 };
  await artifacts.write(
    [
      { kind: "put", artifact },
      { kind: "use", key },
    ],
    timeMs,
  );
  let now = timeMs;
  const write: typeof artifacts.write = async (...given) => {
    const uses = await artifacts.write(...given);
    now += 1;
    return uses;
  };
  const unit = createUnit({ store: { artifacts: { ...artifacts, write } }, now: () => now });
  const lost: string[] = [];
  const request = {
    lose: async (family: string) => {
      lost.push(family);
      throw new Error("used before");
    },
  };
  const parts = { unit, now: () => now } as ProviderParts;
  const adapter = createAdapter("RefreshToken", parts, request as unknown as Request);
  await expect(unit.run(async () => await adapter.consume("token"))).rejects.toThrow("used before");
  expect(lost).toEqual(["grant"]);
});
