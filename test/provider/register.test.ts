import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { registerLimits } from "../../src/domain/registration/pending.ts";
import type { UserState } from "../../src/domain/user/user.ts";
import { errorIn, heading } from "./browser.ts";
import { codeIn, mailsTo, names, password, pendingOf, register, setPolicy } from "./registering.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties({ delivers: true });
  app = await parties.givenApp();
  await setPolicy(parties, { allowRegister: true });
});
afterAll(() => parties.close());

const freshAddress = () => `${v7()}@example.com`;

/** The events of a user: types and actors. */
async function eventsOf(userId: string) {
  return await parties.server.store.readStream(`user-${userId}`, 0, 1_000);
}

async function stateOf(userId: string): Promise<UserState> {
  const [stored] = await parties.server.store.load([`user-${userId}`]);
  return JSON.parse(stored?.state ?? "{}") as UserState;
}

test("somebody registers from the login page, and goes on to the application", async () => {
  const browser = parties.browser();
  const email = freshAddress();
  const before = await parties.server.store.head();
  const { begun, page } = await register(browser, app, email);
  expect([page.status, heading(page)]).toEqual([200, "Check your email"]);
  const [mail] = await mailsTo(parties, email);
  expect(mail).not.toContain("Grace");
  const waiting = await parties.server.store.readAll(before.position, 100);
  expect(waiting.map(({ type }) => type)).toEqual([
    ...["registration.requested", "registration.mail.sent"],
  ]);
  expect(JSON.stringify(waiting, (_, value) => (typeof value === "bigint" ? 0 : value))).not.toMatch(
    new RegExp(`${email}|Grace|Hopper|${codeIn(mail)}`),
  );

  const way = await browser.send({ code: codeIn(mail).toLowerCase() }, "register-code");
  expect([way.status, heading(way)]).toEqual([200, "Choose how to log in"]);
  expect(way.text).toContain(`value="${email}" readonly`);
  const back = await browser.send({ password }, "register-password");
  const sub = (await fetchTokens(app, begun, back.url)).claims()?.sub ?? "";
  const events = await eventsOf(sub);
  expect(events.map(({ type }) => type)).toEqual([
    ...["user.human.added", "user.human.email.verified", "user.human.session.begun"],
  ]);
  expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([sub]));
  expect(JSON.parse(events[0]?.payload ?? "{}").through).toBe(app.clientId);
  const { memberships, userName, human } = await stateOf(sub);
  expect({ memberships, userName }).toEqual({ memberships: [], userName: email });
  expect(human).toMatchObject({ ...names, email, emailMade: { maker: sub }, passwordMade: { maker: sub } });
  const other = parties.browser();
  const person = { userId: sub, userName: email, email, password };
  expect((await logIn(other, app, person)).claims()?.sub).toBe(sub);
});
