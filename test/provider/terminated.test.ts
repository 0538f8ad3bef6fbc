import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { mailedLinkOf } from "../cases/accounts.ts";
import { type Browser, heading } from "./browser.ts";
import { allowed, callWith, givenOwner } from "./consenting.ts";
import { mailedTo } from "./mails.ts";
import {
  type App,
  begin,
  type Called,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";
import { codeAt } from "./totp.ts";

// What administrators end, tokens included that would have outlived their session.

const out = "a device that was lost";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const offline = { scope: "openid offline_access" };
const otpCode = "JBSWY3DPEHPK3PXPJBSWY3DP";

const pathOf = ({ userId }: Person, path: string) => `/management/v1/users/${userId}/${path}`;

async function sessionsOf(person: Person) {
  const { result = [] } = await parties.call("POST", pathOf(person, "sessions/_search"), {});
  return result as readonly (Called & { readonly id: string })[];
}

type Tokens = Awaited<ReturnType<typeof logIn>>;

/** What the tokens of a login still do: the refresh token first, whose answer is another one. */
async function worksFor(person: Person, { refresh_token, access_token }: Tokens) {
  const refreshed = await oidc.refreshTokenGrant(app.config, String(refresh_token)).then(
    () => "refreshed",
    (error: { readonly error?: string }) => error.error,
  );
  const info = await oidc.fetchUserInfo(app.config, access_token, person.userId).then(
    () => 200,
    (error: { readonly status?: number }) => error.status,
  );
  return [refreshed, info];
}

const works = ["refreshed", 200];
const isOver = ["invalid_grant", 401];

/** Whether the browser comes to the application without a page. */
async function isLoggedIn(browser: Browser): Promise<boolean> {
  const { url } = await browser.open((await begin(app, { prompt: "none" })).url.href);
  return url.includes("code=");
}

describe(`${out}: TerminateUserSession`, () => {
  test("ends that session with its refresh tokens and codes, and no other", async () => {
    const person = await parties.givenPerson();
    const [lost, kept] = [parties.browser(), parties.browser()];
    const there = await logIn(lost, app, person, offline);
    const here = await logIn(kept, app, person, offline);
    const waiting = await begin(app);
    const { url: unfetched } = await lost.open(waiting.url.href);
    expect(unfetched).toContain("code=");
    const [, of] = await sessionsOf(person);
    await parties.call("DELETE", pathOf(person, `sessions/${of?.id}`));
    await expect(fetchTokens(app, waiting, unfetched)).rejects.toMatchObject({
      error: "invalid_grant",
    });
    expect(await worksFor(person, there)).toEqual(isOver);
    expect(await isLoggedIn(lost)).toBe(false);
    expect(await worksFor(person, here)).toEqual(works);
    expect(await isLoggedIn(kept)).toBe(true);
    const again = await logIn(lost, app, person, offline);
    expect(await worksFor(person, again)).toEqual(works);
  });

  test("ends a code whose tokens would have outlived the session", async () => {
    const person = await parties.givenPerson();
    const [browser, begun] = [parties.browser(), await begin(app, offline)];
    await browser.open(begun.url.href);
    const { userName, password } = person;
    const { url: unfetched } = await browser.send({ userName, password });
    const [session] = await sessionsOf(person);
    await parties.call("DELETE", pathOf(person, `sessions/${session?.id}`));
    await expect(fetchTokens(app, begun, unfetched)).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("ends what an application may do here for the person by that login", async () => {
    const [client, owner] = [await parties.givenApp(), await givenOwner(parties)];
    const browser = parties.browser();
    const { access_token: token } = await allowed(browser, client, owner);
    const status = async () =>
      (await callWith(parties, token, "/management/v1/projects/_search")).status;
    expect(await status()).toBe(200);
    const [session] = await sessionsOf(owner);
    await parties.call("DELETE", pathOf(owner, `sessions/${session?.id}`));
    expect(await status()).toBe(401);
  });

  test("is shown the browser, the system and the network of the session", async () => {
    const person = await parties.givenPerson();
    const browser = parties.browser({
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    });
    await logIn(browser, app, person);
    expect(await sessionsOf(person)).toEqual([
      {
        id: expect.any(String),
        creationDate: expect.any(String),
        lastUsedDate: expect.any(String),
        factors: ["password"],
        ...{ browser: "Firefox", system: "Linux", network: "127.0.0.0/24" },
        applications: [app.clientId],
      },
    ]);
  });
});

/** The calls that end all that came from logins, and what a person needs to get in again. */
const endings: readonly (readonly [string, (person: Person) => Promise<unknown>])[] = [
  [
    "TerminateAllUserSessions",
    (person) => parties.call("POST", pathOf(person, "sessions/_terminate"), {}),
  ],
  [
    "RemoveHumanAuthFactorOTP",
    (person) => parties.call("DELETE", pathOf(person, "auth_factors/otp")),
  ],
  [
    "SetHumanPassword",
    (person) => {
      const { password } = person;
      return parties.call("POST", pathOf(person, "password"), { password });
    },
  ],
  [
    "UpdateHumanEmail",
    (person) => parties.call("PUT", pathOf(person, "email"), { email: "lovelace@example.com" }),
  ],
  ["LockUser, once unlocked,", (person) => throughLock(person, "_lock", "_unlock")],
  [
    "DeactivateUser, once reactivated,",
    (person) => throughLock(person, "_deactivate", "_reactivate"),
  ],
];

async function throughLock(person: Person, out: string, back: string): Promise<void> {
  await parties.call("POST", pathOf(person, out), {});
  await parties.call("POST", pathOf(person, back), {});
}

describe.each(endings)(`${out}: %s`, (_name, end) => {
  test("leaves no session, refresh token, code or open login", async () => {
    const person = await parties.givenPerson({ otpCode });
    const [one, open] = [parties.browser(), parties.browser()];
    const begun = await begin(app, offline);
    await one.open(begun.url.href);
    await one.send({ userName: person.userName, password: person.password });
    const code = codeAt(otpCode, parties.clock.nowMs);
    const tokens = await fetchTokens(app, begun, (await one.send({ code })).url);
    const waiting = await begin(app);
    const { url: unfetched } = await one.open(waiting.url.href);
    await open.open((await begin(app)).url.href);
    await open.send({ userName: person.userName, password: person.password });
    expect(heading(open.page)).toBe("Enter a one-time code");

    await end(person);

    expect(await worksFor(person, tokens)).toEqual(isOver);
    expect(await isLoggedIn(one)).toBe(false);
    await expect(fetchTokens(app, waiting, unfetched)).rejects.toMatchObject({
      error: "invalid_grant",
    });
    const next = codeAt(otpCode, parties.clock.nowMs + 30_000);
    expect((await open.send({ code: next })).status).toBe(400);
    expect(await sessionsOf(person)).toEqual([]);
  });
});

test("a locked person cannot log in, and can once unlocked", async () => {
  const person = await parties.givenPerson();
  await parties.call("POST", pathOf(person, "_lock"), {});
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const { userName, password } = person;
  expect((await browser.send({ userName, password })).status).toBe(400);
  await parties.call("POST", pathOf(person, "_unlock"), {});
  expect((await browser.send({ userName, password })).url).toContain("code=");
});

test(`${out}: a link for a passkey ends with the address that it was mailed to`, async () => {
  const person = await parties.givenPerson();
  const { userId } = person;
  await parties.call("POST", pathOf(person, "passwordless/_send_link"), {});
  const link = await mailedLinkOf(parties.server, userId);
  expect(Buffer.from(link.code, "base64url").length).toBeGreaterThanOrEqual(32);
  const beginning = "/iam.account.v1.AccountService/BeginPasskey";
  expect(await parties.call("POST", beginning, link)).toHaveProperty("options");
  await parties.call("PUT", pathOf(person, "email"), { email: "lovelace@example.com" });
  const over = "CODE_INVALID";
  await expect(parties.call("POST", beginning, link)).rejects.toThrow(over);
});

test(`${out}: the mail of a reset leads to another password`, async () => {
  const person = await parties.givenPerson();
  await parties.call("POST", pathOf(person, "password/_reset"), {});
  const browser = parties.browser();
  const mailed = (await mailedTo(parties, person))!;
  // Wrong ones are not counted, so nobody may guess it.
  expect(Buffer.from(mailed.code, "base64url").length).toBeGreaterThanOrEqual(32);
  await browser.open(mailed.link);
  await browser.send({ password: "a better horse battery" });
  const tokens = await logIn(parties.browser(), app, {
    ...person,
    password: "a better horse battery",
  });
  expect(tokens.claims()?.sub).toBe(person.userId);
});
