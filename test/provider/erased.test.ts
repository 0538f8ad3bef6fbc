import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { repeatErasure } from "../../src/log/repeat-erasure.ts";
import { givenUser } from "../harness/server.ts";
import { ask } from "./consenting.ts";
import { type App, begin, logIn, type Parties, startParties } from "./relying.ts";

// What lies beside the log of somebody who is erased goes with the erasure, not when it expires.

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const offline = { scope: "openid offline_access" };
const otpCode = "JBSWY3DPEHPK3PXPJBSWY3DP";
const erase = (userId: string) =>
  parties.call("POST", `/management/v1/users/${userId}/_erase`, { reason: "asked" });

/** The kinds of the artifacts that name a user, each once. */
async function kindsOf(userId: string): Promise<readonly string[]> {
  const rows = await parties.server.sql(
    `SELECT key FROM artifacts WHERE payload LIKE '%${userId}%' OR family LIKE '%${userId}%'
       OR alias LIKE '%${userId}%' ORDER BY key`,
  );
  return [...new Set(rows.map(({ key }) => String(key).split(":")[0] ?? ""))];
}

const kinds = ["AccessToken", "AuthorizationCode", "Grant", "RefreshToken", "Session"];

test("sessions, grants and tokens of an erased person are gone, and nobody else's", async () => {
  const [erased, other] = [await parties.givenPerson(), await parties.givenPerson()];
  for (const person of [erased, other]) {
    const browser = parties.browser();
    await logIn(browser, app, person, offline);
    // A code that nobody has fetched tokens for.
    await browser.open((await begin(app)).url.href);
    await logIn(parties.browser(), app, person, offline);
    expect(await kindsOf(person.userId)).toEqual(kinds);
  }
  await erase(erased.userId);
  expect(await kindsOf(erased.userId)).toEqual([]);
  expect(await kindsOf(other.userId)).toEqual(kinds);
});

test("so are sessions that have ended, with tokens that outlive them", async () => {
  const person = await parties.givenPerson();
  await logIn(parties.browser(), app, person, offline);
  await parties.call("POST", `/management/v1/users/${person.userId}/sessions/_terminate`, {});
  expect(await kindsOf(person.userId)).toEqual(expect.arrayContaining(["Grant", "RefreshToken"]));
  await erase(person.userId);
  expect(await kindsOf(person.userId)).toEqual([]);
});

test("so is how far a login has come that waits for a code", async () => {
  const person = await parties.givenPerson({ otpCode });
  const { userName, password, userId } = person;
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  await browser.send({ userName, password });
  expect(await kindsOf(userId)).toEqual(["LoginStep"]);
  await erase(userId);
  expect(await kindsOf(userId)).toEqual([]);
});

test("so is a login that waits for the person to allow access", async () => {
  const person = await parties.givenPerson();
  await ask(parties.browser(), app, person);
  expect(await kindsOf(person.userId)).toEqual(["Grant", "Interaction", "Session"]);
  await erase(person.userId);
  expect(await kindsOf(person.userId)).toEqual([]);
});

test("so is all of it where a start repeats the erasure", async () => {
  const person = await parties.givenPerson();
  await logIn(parties.browser(), app, person, offline);
  const { execute, admin, log } = parties.server;
  const entry = { log: log.log, user: person.userId, position: 1n, timeMs: parties.clock.nowMs };
  await repeatErasure(execute, v7, { ...entry, owner: admin.organization });
  expect(await kindsOf(person.userId)).toEqual([]);
});

test("so is all of it where the person is removed, and not erased", async () => {
  const person = await parties.givenPerson();
  await logIn(parties.browser(), app, person, offline);
  await parties.call("DELETE", `/management/v1/users/${person.userId}`);
  expect(await kindsOf(person.userId)).toEqual([]);
});

test("so are the answers that it was given as a caller", async () => {
  const { organization } = parties.server.admin;
  const scope = { level: "organization", organization } as const;
  const { userId, token } = await givenUser(parties.server, organization, [
    { scope, roles: ["ORG_OWNER"] },
  ]);
  const response = await fetch(`${parties.server.url}/management/v1/projects`, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
      "idempotency-key": "once",
    },
    body: JSON.stringify({ name: v7() }),
  });
  expect(response.status).toBe(200);
  const answers = () => parties.server.sql(`SELECT caller FROM answers WHERE caller = '${userId}'`);
  expect(await answers()).toHaveLength(1);
  await parties.call("DELETE", `/management/v1/orgs/me/members/${userId}`);
  await erase(userId);
  expect(await answers()).toEqual([]);
});
