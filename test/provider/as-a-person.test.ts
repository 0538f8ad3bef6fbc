import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { erasureTimes } from "../../src/domain/user/state/asked-erasure.ts";
import { createEraseAsked } from "../../src/start/erase-asked.ts";
import { givenUser } from "../harness/server.ts";
import { heading } from "./browser.ts";
import { enter } from "./own-browser.ts";
import { type Parties, type Person, startParties } from "./relying.ts";

// Who sets a password can log in by it: the person hears of it, and the log names the caller.

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const row = "an administrator who logs in as a person";

/** A person as whom somebody has logged in who may write users, and asked for the erasure. */
async function givenTaken() {
  const person = await parties.givenPerson();
  const { server } = parties;
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  const manager = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
  const set = await asked(manager.token, `${person.userId}/password`, "password set by another");
  const erased = await asked(manager.token, `${person.userId}/_erase`);
  expect([set.status, erased.status]).toEqual([200, 403]);
  const browser = parties.browser();
  await browser.open("/account");
  await enter(browser, { ...person, password: "password set by another" });
  expect(heading(browser.page)).toBe("Choose a new password");
  await browser.send({ password: "a password chosen by another" }, "change");
  await browser.open("/account/erasure");
  await browser.send({}, "request");
  return { person, manager };
}

const asked = (token: string, path: string, password?: string) =>
  fetch(`${parties.server.url}/management/v1/users/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(password === undefined ? {} : { password }),
  });

const stepOf = ({ server, clock }: Parties) =>
  createEraseAsked({ ...server, now: () => clock.nowMs, isSettled: () => true, newId: v7 });

/** What the address of the person is told, in order. */
async function noticesOf({ userId }: Person): Promise<readonly string[]> {
  const events = await parties.server.store.readStream(`user-${userId}`, 0, 100);
  const notices = events.filter(({ type }) => type === "user.human.notice.added");
  return notices.map(({ payload }) => JSON.parse(payload).about);
}

describe(`${row}: a request for erasure by a password that another set`, () => {
  test("is told to the person, as the password is, and the log names who set it", async () => {
    const { person, manager } = await givenTaken();
    expect(await noticesOf(person)).toEqual([
      "password.changed",
      "password.changed",
      "erasure.requested",
    ]);
    const events = await parties.server.store.readStream(`user-${person.userId}`, 0, 100);
    const set = events.find(({ type }) => type === "user.human.password.set");
    expect(set?.actor).toBe(manager.userId);
  });

  test("comes to nothing while the person is locked, and is told before it comes", async () => {
    const { person } = await givenTaken();
    const before = await noticesOf(person);
    await parties.call("POST", `/management/v1/users/${person.userId}/_lock`, {});
    const { user: shown } = await parties.call("GET", `/management/v1/users/${person.userId}`);
    expect(shown).toMatchObject({ state: "USER_STATE_LOCKED", erasureDate: expect.any(String) });
    parties.clock.nowMs += erasureTimes.waitMs + erasureTimes.announceMs;
    await stepOf(parties)();
    expect(await noticesOf(person)).toEqual(before);
    await parties.call("POST", `/management/v1/users/${person.userId}/_unlock`, {});
    await stepOf(parties)();
    await stepOf(parties)();
    expect(await noticesOf(person)).toEqual([...before, "erasure.due"]);
  });
});
