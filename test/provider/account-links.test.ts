import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { dayLimits } from "../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { freshMs } from "../../src/provider/account/part.ts";
import { givenOIDCProvider } from "../cases/idps.ts";
import { happen } from "../cases/users.ts";
import { type Browser, heading } from "./browser.ts";
import { type App, logIn, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

/** A provider of the organization of the people. */
const givenProvider = (name: string = v7()) =>
  givenOIDCProvider(parties.server, parties.server.admin.organization, {
    clientSecret: "secret",
    name,
  });

/** Links a person to accounts at a provider. */
async function link({ userId: id }: Person, idpId: string, ...names: readonly string[]) {
  const events = names.map((name): UserEvent => {
    const payload = { idpId, externalUserId: `${v7()} ${name}`, displayName: name };
    return { type: "user.human.externalidp.added", payload };
  });
  await happen(parties.server, events, { id });
}

/** A person at the accounts that it is linked to, by password. */
async function givenAt(person: Person): Promise<Browser> {
  const browser = parties.browser();
  await browser.open("/account/links");
  await browser.send({ userName: person.userName, password: person.password }, "password");
  return browser;
}

const said = ({ page }: Browser) => page.text.replaceAll(/\s+/g, " ");
const rows = ({ page }: Browser) =>
  [...page.text.matchAll(/<li class="row">.*?<\/li>/gs)].map(([row]) =>
    [...row.matchAll(/<bdi>(.*?)<\/bdi>/gs)].map(([, name]) => name),
  );
const typesOf = (who: Person) => parties.typesOf(who);
const removed = "user.human.externalidp.removed";

test("accounts elsewhere are listed by provider and name, as text", async () => {
  const who = await parties.givenPerson();
  await link(who, await givenProvider(`<b>${who.userId}`), "Ada <i>");
  await link(who, v7(), "Somebody");
  const browser = await givenAt(who);
  expect([heading(browser.page), rows(browser)]).toEqual([
    "Linked accounts",
    [
      [`&lt;b&gt;${who.userId}`, "Ada &lt;i&gt;"],
      ["Removed provider", "Somebody"],
    ],
  ]);
});

test("one is unlinked, with all that came from logins but for this session", async () => {
  const who = await parties.givenPerson();
  await link(who, await givenProvider(), "Ada", "Grace");
  const elsewhere = parties.browser();
  const { access_token: token } = await logIn(elsewhere, app, who);
  const browser = await givenAt(who);
  await browser.send({}, "remove");
  expect(said(browser)).toContain("The account was unlinked.");
  expect(rows(browser)).toHaveLength(1);
  await expect(oidc.fetchUserInfo(app.config, token, who.userId)).rejects.toMatchObject({
    status: 401,
  });
  expect(heading(await elsewhere.open("/account"))).toBe("Log in");
  expect((await parties.toldOf(who)).at(-1)).toBe("externalidp.removed");
  await browser.open("/account/activity");
  expect(said(browser)).toContain("An account elsewhere was unlinked");
});

test("an older login is asked to log in again first", async () => {
  const who = await parties.givenPerson();
  await link(who, await givenProvider(), "Ada");
  const browser = await givenAt(who);
  parties.clock.nowMs += freshMs;
  expect(heading(await browser.send({}, "remove"))).toBe("Log in");
  expect(heading(await browser.open("/account/links"))).toBe("Log in");
  expect(await typesOf(who)).not.toContain(removed);
});

test("an account that nobody is linked to is not unlinked", async () => {
  const who = await parties.givenPerson();
  await link(who, await givenProvider(), "Ada");
  const browser = await givenAt(who);
  await browser.send({ account: "another" }, "remove");
  expect(rows(browser)).toHaveLength(1);
  expect(await typesOf(who)).not.toContain(removed);
});

test("the only way in stays, whatever form is sent", async () => {
  const who = await parties.givenPerson();
  const { userId: id } = who;
  await link(who, await givenProvider(), "Ada");
  const browser = await givenAt(who);
  // The password is gone, and the session goes on as one that began elsewhere.
  const stream = await parties.server.store.readStream(`user-${id}`, 0, 1_000);
  const begun = stream.findLast(({ type }) => type === "user.human.session.begun");
  const password = { kind: "password" } as const;
  await happen(
    parties.server,
    [
      { type: "user.credentials.voided", payload: { voided: [password] } },
      { type: "user.human.session.begun", payload: JSON.parse(begun?.payload ?? "") },
    ],
    { id },
  );
  await browser.send({}, "remove");
  expect(said(browser)).toContain("it’s your only way to log in");
  expect(browser.page.text).not.toContain("Unlink");
  expect(await typesOf(who)).not.toContain(removed);
  // Another account that the policy lets people log in by is another way in.
  await link(who, await givenProvider(), "Grace");
  await browser.open("/account/links");
  await browser.send({}, "remove");
  expect(await typesOf(who)).toContain(removed);
});

test("no more are unlinked than there is room for in a day", async () => {
  const who = await parties.givenPerson();
  const [idpId, { userId: id }] = [await givenProvider(), who];
  const gone = { idpId, externalUserId: "gone" };
  const events = Array.from(
    { length: dayLimits.factorsOfDay },
    (): UserEvent => ({ type: removed, payload: gone }),
  );
  await happen(parties.server, events, { id });
  await link(who, idpId, "Ada");
  const browser = await givenAt(who);
  await browser.send({}, "remove");
  expect([browser.page.status, rows(browser).length]).toEqual([429, 1]);
});
