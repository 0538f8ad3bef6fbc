import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { registerLimits } from "../../src/domain/registration/pending.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { findRegistered } from "../../src/execute/registered.ts";
import { type NotifyPlace, notifyPlace, organization } from "../notify/place.ts";

let place: NotifyPlace;

beforeEach(async () => {
  place = await notifyPlace();
});
afterEach(() => place.remove());

const email = "ada@example.com";

/** Records somebody with the address, and what else happened. */
async function add(id: string, ...others: readonly UserEvent[]): Promise<void> {
  const names = { firstName: "Ada", lastName: "Lovelace", nickName: "", displayName: "Ada" };
  const payload = {
    ...{ ...names, userName: id, email, preferredLanguage: "", gender: "UNSPECIFIED" as const },
    passwordChangeRequired: false,
  };
  const added: UserEvent = { type: "user.human.added", payload };
  const outcome = await place.execute({
    actor: "somebody",
    writes: { user: { noun: user, id, owner: organization } },
    decide: () => ({ events: { user: [added, ...others] } }),
  });
  expect(outcome.kind).toBe("done");
}

const waits: UserEvent = { type: "user.human.initialization.code.added", payload: { code: "x" } };
const proven: UserEvent = { type: "user.human.email.verified", payload: {} };
const find = (of = organization) =>
  findRegistered(place.store, { email: " ADA@example.com ", organization: of });

test("who has an address comes before an account that waits, the oldest of these", async () => {
  expect(await find()).toEqual({ kind: "nobody" });
  await add("1");
  expect(await find()).toEqual({ kind: "nobody" });
  await add("2", waits);
  await add("3", waits);
  expect(await find()).toEqual({ kind: "unfinished", userId: "2" });
  expect(await find("another")).toEqual({ kind: "nobody" });
  await add("4", proven);
  expect(await find()).toMatchObject({ kind: "held", user: { userName: "4" } });
});

test(`${registerLimits.users} users with one address are looked at`, async () => {
  for (let i = 1; i < registerLimits.users; i += 1) await add(`${i}`);
  await add("at the bound", proven);
  expect(await find()).toMatchObject({ kind: "held" });
});

test("one more is not", async () => {
  for (let i = 1; i <= registerLimits.users; i += 1) await add(`${i}`);
  await add("past the bound", proven);
  expect(await find()).toEqual({ kind: "nobody" });
});

test("nobody is found out where the list takes too long", async () => {
  const store = { list: async () => undefined };
  await expect(findRegistered(store, { email, organization })).rejects.toThrow("in time");
});
