import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { user } from "../../src/domain/user/state/user.ts";
import { few, inFull } from "../harness/in-full.ts";
import { givenOrganization } from "../harness/server.ts";
import { mailedTo } from "./mails.ts";
import {
  type App,
  begin,
  fetchTokens,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

// Whom a login names, where managers of other organizations say what they like of their people.

const row = "a name or an address that others take";

let parties: Parties;
let lists = 0;
/** An application of the first organization, one of the second and one of a third. */
let own: App;
let other: App;
let third: App;
let second: string;

beforeAll(async () => {
  parties = await startParties({
    wrap: (log) => ({
      ...log,
      list: (query) => {
        // Which providers the first page offers is listed for everybody.
        if (query.kind === user.kind) lists += 1;
        return log.list(query);
      },
    }),
  });
  second = await givenOrganization(parties.server);
  own = await parties.givenApp();
  other = await givenAppOf(second);
  third = await givenAppOf(await givenOrganization(parties.server));
});
afterAll(() => parties.close());

async function givenAppOf(organization: string): Promise<App> {
  const name = crypto.randomUUID();
  const { id } = await parties.call("POST", "/management/v1/projects", { name }, organization);
  return await parties.givenApp({}, String(id), organization);
}

/** Whom a login by a name and a password lets in, as the application is told; else undefined. */
async function whoIs(app: App, userName: string, password: string): Promise<string | undefined> {
  const browser = parties.browser();
  const begun = await begin(app);
  await browser.open(begun.url.href);
  const back = await browser.send({ userName, password });
  if (!back.url.includes("code=")) return undefined;
  return (await fetchTokens(app, begun, back.url)).claims()?.sub;
}

/** Asks for a mail to replace the password; whether the person gets one. */
async function isMailed(app: App, login: string, person: Person): Promise<boolean> {
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  await browser.send({}, "forgotten");
  await browser.send({ userName: login }, "ask");
  return (await mailedTo(parties, person)) !== undefined;
}

const theirs = "a password of the others";
const address = () => `${crypto.randomUUID()}@example.com`;
const verified = (email: string) => ({ email: { email, isEmailVerified: true } });

/** What a manager of the second organization does to somebody's address. */
const takings: readonly (readonly [what: string, given: (email: string) => object])[] = [
  ["has it, unverified", (email) => ({ email: { email } })],
  ["is said to have it", verified],
  ["is said to have it, in capital letters", (email) => verified(email.toUpperCase())],
  ["has it as user name", (email) => ({ userName: email, email: { email: address() } })],
  ["has it as both", (email) => ({ userName: email, ...verified(email) })],
];

describe(row, () => {
  few(2).each(takings)("where somebody of another organization %s", async (_what, given) => {
    const person = await parties.givenPerson();
    const { userId, email, password } = person;
    const taker = await parties.givenPerson({ password: theirs, ...given(email) }, second);
    const before = lists;
    for (const app of [own, third]) {
      expect(await whoIs(app, email, password)).toBe(userId);
      expect(await whoIs(app, email, theirs)).toBeUndefined();
    }
    expect(await isMailed(third, ` ${email} `, person)).toBe(true);
    expect(await mailedTo(parties, taker)).toBeUndefined();
    // No look at what every organization has.
    expect(lists).toBe(before);
  });

  test("a machine that has it as user name", async () => {
    const { userId, email, password } = await parties.givenPerson();
    const machine = { userName: email, name: "A machine" };
    await parties.call("POST", "/management/v1/users/machine", machine, second);
    for (const app of [own, other, third]) expect(await whoIs(app, email, password)).toBe(userId);
  });

  test("the organization of the application decides, and else who was there first", async () => {
    const shared = address();
    const mine = await parties.givenPerson(verified(shared));
    const theirOwn = await parties.givenPerson({ password: theirs, ...verified(shared) }, second);
    expect(await whoIs(own, shared, mine.password)).toBe(mine.userId);
    expect(await whoIs(other, shared, theirs)).toBe(theirOwn.userId);
    expect(await whoIs(third, shared, mine.password)).toBe(mine.userId);
    expect(await whoIs(third, shared, theirs)).toBeUndefined();
    expect(await isMailed(other, shared, theirOwn)).toBe(true);
    expect(await mailedTo(parties, mine)).toBeUndefined();
    // By their user names all get in everywhere.
    expect(await whoIs(third, theirOwn.userName, theirs)).toBe(theirOwn.userId);
  });

  inFull("one of many, no matter who was there first, where the organization has one", async () => {
    const shared = address();
    for (let i = 0; i < 3; i += 1) {
      await parties.givenPerson({ password: theirs, ...verified(shared) }, second);
    }
    const mine = await parties.givenPerson(verified(shared));
    expect(await whoIs(own, shared, mine.password)).toBe(mine.userId);
  });

  test("one who has it unverified, and was there first, keeps nobody out", async () => {
    const shared = address();
    await parties.givenPerson({ password: theirs, email: { email: shared } });
    const { userId, password } = await parties.givenPerson(verified(shared));
    for (const app of [own, third]) expect(await whoIs(app, shared, password)).toBe(userId);
  });

  test("a user name with an at-sign stays the login of who has it", async () => {
    const userName = address();
    const { userId, password } = await parties.givenPerson({ userName });
    await parties.givenPerson({ password: theirs, ...verified(userName) }, second);
    for (const app of [own, third]) expect(await whoIs(app, userName, password)).toBe(userId);
  });

  few().each([
    ["verified", verified],
    ["verified, in capital letters", (email: string) => verified(email.toUpperCase())],
  ])("who has it as both and was there first keeps it from one with it %s", async (_, given) => {
    const userName = address();
    const person = await parties.givenPerson({ userName, ...verified(userName) });
    const taker = await parties.givenPerson({ password: theirs, ...given(userName) }, second);
    for (const app of [other, own, third]) {
      expect(await whoIs(app, userName, person.password)).toBe(person.userId);
      expect(await whoIs(app, userName, theirs)).toBeUndefined();
    }
    expect(await isMailed(other, userName, person)).toBe(true);
    expect(await mailedTo(parties, taker)).toBeUndefined();
    // That one has a user name to log in by.
    expect(await whoIs(other, taker.userName, theirs)).toBe(taker.userId);
  });

  inFull("who has it as both, and came later, takes it from nobody", async () => {
    const shared = address();
    const { userId, password } = await parties.givenPerson(verified(shared));
    await parties.givenPerson({ userName: shared, password: theirs, ...verified(shared) }, second);
    for (const app of [own, third]) expect(await whoIs(app, shared, password)).toBe(userId);
    // Among its own people the organization of the application decides.
    expect(await whoIs(other, shared, theirs)).not.toBe(userId);
  });

  test("somebody out of use, or whose address is another one now, keeps nobody out", async () => {
    const shared = address();
    const gone = await parties.givenPerson({ userName: shared, ...verified(shared) });
    const { userId, password } = await parties.givenPerson(verified(shared));
    expect(await whoIs(own, shared, password)).toBe(gone.userId);
    const users = `/management/v1/users/${gone.userId}`;
    await parties.call("POST", `${users}/_deactivate`, {});
    expect(await whoIs(own, shared, password)).toBe(userId);
    await parties.call("POST", `${users}/_reactivate`, {});
    expect(await whoIs(own, shared, password)).toBe(gone.userId);
    await parties.call("DELETE", users);
    expect(await whoIs(own, shared, password)).toBe(userId);
  });
});
