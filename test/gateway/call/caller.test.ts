import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { streamOf } from "../../../src/domain/noun.ts";
import { user } from "../../../src/domain/user/state/user.ts";
import { createCallers } from "../../../src/gateway/call/caller.ts";
import { createToken } from "../../../src/secrets/tokens.ts";
import { createObjects, objectLimits } from "../../../src/store/objects.ts";
import type { Store } from "../../../src/store/store.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

test("holders are remembered to a limit, and one more in place of the first", async () => {
  let lookups = 0;
  const holder = streamOf(user, server.admin.userId);
  // As if every token had been one of this user's, who has none of them any more.
  const store: Store = {
    ...server.store,
    find: async () => {
      lookups += 1;
      return holder;
    },
  };
  const objects = createObjects(store, objectLimits);
  const callers = createCallers(store, objects, Date.now, async () => undefined, {
    tokensMax: 3,
  });
  const show = async (token: string) => {
    await expect(callers.of(`Bearer ${token}`)).rejects.toThrow("no valid token");
    return lookups;
  };

  const [first, second, third, fourth] = Array.from({ length: 4 }, () => createToken(randomBytes));
  expect([await show(first!), await show(second!), await show(third!)]).toEqual([1, 2, 3]);
  expect([await show(first!), await show(second!), await show(third!)]).toEqual([3, 3, 3]);
  expect([await show(fourth!), await show(second!), await show(first!)]).toEqual([4, 4, 5]);
});

test("what a token is shows in its form: only access tokens are asked for elsewhere", async () => {
  const asked: string[] = [];
  const findAccess = async (token: string) => {
    asked.push(token);
    return undefined;
  };
  const { store } = server;
  const callers = createCallers(store, createObjects(store, objectLimits), Date.now, findAccess);
  const personal = createToken(randomBytes);
  const opaque = randomBytes(32).toString("base64url");
  const others = [personal.slice(1), `${opaque}x`, opaque.slice(1), "a.b", "a.b.c.d", "a..c", ""];
  for (const text of [personal, opaque, "a.b-.c_", ...others]) {
    await expect(callers.of(`Bearer ${text}`)).rejects.toThrow("no valid token");
  }
  expect(asked).toEqual([opaque, "a.b-.c_"]);
  await callers.of(`Bearer ${server.admin.token}`);
  expect(asked).toHaveLength(2);
});
