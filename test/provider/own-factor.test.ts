import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { setupLimits } from "../../src/provider/base/pending-otp.ts";
import { createKeyring, keyIdOf } from "../../src/secrets/keyring.ts";
import { parseKeyring } from "../../src/secrets/keys.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { isLetIn } from "./asking.ts";
import { heading } from "./browser.ts";
import { logInByApp, ownFactors } from "./own-factors.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const row = "an authenticator app that nobody has";
const offline = { scope: "openid offline_access" };
const now = (secret: string) => codeAt(secret, parties.clock.nowMs);
const wrongFor = (secret: string) => (now(secret) === "000000" ? "000001" : "000000");

/** Somebody who is logged in, without an app. */
async function givenSomebody() {
  const person = await parties.givenPerson();
  const browser = parties.browser();
  await logIn(browser, app, person);
  return { person, browser, own: await ownFactors(parties, person) };
}

const keyNamed = (id: string) => `${id}:${randomBytes(32).toString("base64")}`;
/** The same in a process that has these keys. */
const withKeys = (person: Parameters<typeof ownFactors>[1], keys: string) =>
  ownFactors(parties, person, createKeyring(parseKeyring(keys), randomBytes));

const added = ["user.human.otp.added", "user.human.otp.used", "user.human.notice.added"];
const typesOf = async (person: { readonly userId: string }) =>
  (await parties.typesOf(person)).slice(1);

describe(`${row}: one that somebody sets up`, () => {
  test("counts from its first code on, which is used up by it", async () => {
    const { person, own } = await givenSomebody();
    const { secret, uri } = await own.begin();
    const { pathname, searchParams } = new URL(uri);
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(searchParams.get("secret")).toBe(secret);
    expect(pathname).toContain(`:${person.userName}`);
    expect(await typesOf(person)).toEqual([]);
    const untouched = parties.browser();
    await logIn(untouched, app, person);
    expect(await own.confirm(` ${now(secret).slice(0, 3)} ${now(secret).slice(3)}`)).toBe("added");
    expect((await typesOf(person)).slice(1)).toEqual(added);
    const { userName, password } = person;
    const browser = parties.browser();
    const begun = await begin(app);
    await browser.open(begun.url.href);
    expect(heading(await browser.send({ userName, password }))).toBe("Enter a one-time code");
    expect((await browser.send({ code: now(secret) }, "otp")).status).toBe(400);
    parties.clock.nowMs += 30_000;
    const back = await browser.send({ code: now(secret) }, "otp");
    expect((await fetchTokens(app, begun, back.url)).claims()?.amr).toEqual(["pwd", "otp"]);
    const kept = await parties.server.kept();
    expect(kept).not.toContain(secret);
  });

  test("is void after five wrong codes, and counts them anew with another secret", async () => {
    const { person, own } = await givenSomebody();
    for (const _again of [1, 2]) {
      const { secret } = await own.begin();
      const told = [];
      for (let i = 0; i < setupLimits.failures; i += 1)
        told.push(await own.confirm(wrongFor(secret)));
      expect(told).toEqual([...Array(setupLimits.failures - 1).fill("wrong"), "over"]);
      expect(await own.confirm(now(secret))).toBe("over");
    }
    const { secret } = await own.begin();
    for (let i = 1; i < setupLimits.failures; i += 1) await own.confirm(wrongFor(secret));
    expect(await own.confirm(now(secret))).toBe("added");
    expect(await typesOf(person)).toEqual(added);
  });

  test("is tried five times, however many codes come at once", async () => {
    const { own } = await givenSomebody();
    const { secret } = await own.begin();
    const codes = Array<string>(setupLimits.failures + 3).fill(wrongFor(secret));
    const told = await Promise.all(codes.map((code) => own.confirm(code)));
    expect(told.filter((one) => one === "wrong").length).toBeLessThan(setupLimits.failures);
    expect(await own.confirm(now(secret))).toBe("over");
  });

  test("is added once, however often its form comes", async () => {
    const { person, own } = await givenSomebody();
    const { secret } = await own.begin();
    const code = now(secret);
    const told = await Promise.all([1, 2].map(() => own.confirm(code)));
    expect([...told, await own.confirm(code)]).toEqual(["added", "added", "added"]);
    expect(await typesOf(person)).toEqual(added);
  });

  test("waits a quarter of an hour for its first code, and no longer", async () => {
    const { own } = await givenSomebody();
    const first = await own.begin();
    parties.clock.nowMs += setupLimits.pendingMs + 1_000;
    expect(await own.confirm(now(first.secret))).toBe("over");
    const second = await own.begin();
    parties.clock.nowMs += setupLimits.pendingMs - 5_000;
    expect(await own.confirm(now(second.secret))).toBe("added");
  });

  test("is that of the session in which its secret was shown", async () => {
    const { person, own: there } = await givenSomebody();
    await logIn(parties.browser(), app, person);
    const here = await ownFactors(parties, person);
    const { secret } = await there.begin();
    expect(await here.confirm(now(secret))).toBe("over");
    const mine = await here.begin();
    expect(await here.confirm(now(secret))).toBe("wrong");
    expect(await here.confirm(now(mine.secret))).toBe("added");
  });

  test("does not wait in a session that has ended", async () => {
    const { person, own } = await givenSomebody();
    const { secret } = await own.begin();
    await parties.call("POST", `/management/v1/users/${person.userId}/sessions/_terminate`, {});
    expect(await own.confirm(now(secret))).toBe("over");
    expect(await typesOf(person)).toEqual(["user.human.sessions.terminated"]);
  });

  test("is begun anew where the key was retired that had sealed its secret", async () => {
    const { person, own } = await givenSomebody();
    const { secret } = await own.begin();
    const rotated = await withKeys(person, keyNamed("another"));
    expect(await rotated.confirm(now(secret))).toBe("over");
  });

  test("is recorded with the newest key, though another had sealed its secret", async () => {
    const { person } = await givenSomebody();
    const [old, newest] = [keyNamed("old"), keyNamed("new")];
    const before = await withKeys(person, old);
    const rotated = await withKeys(person, `${newest},${old}`);
    const { secret } = await before.begin();
    expect(await rotated.confirm(now(secret))).toBe("added");
    const events = await parties.server.store.readStream(`user-${person.userId}`, 0, 100);
    const { payload } = events.find(({ type }) => type === "user.human.otp.added")!;
    expect(keyIdOf(JSON.parse(payload).secret)).toBe("new");
  });

  test("does not wait for somebody who was erased", async () => {
    const { person, own } = await givenSomebody();
    await own.begin();
    const sessionId = String(own.state.human?.login?.sessions[0]?.sessionId);
    const row = `PendingOTP:${hashSecret(sessionId)}`;
    expect(await parties.server.kept()).toContain(row);
    await parties.call("POST", `/management/v1/users/${person.userId}/_erase`, {});
    expect(await parties.server.kept()).not.toContain(row);
  });
});

describe(`${row}: one that somebody removes`, () => {
  test("leaves the session in which that is done, and no other, and no tokens", async () => {
    const { person, browser, own } = await givenSomebody();
    const { secret } = await own.begin();
    await own.confirm(now(secret));
    parties.clock.nowMs += 60_000;
    const far = parties.browser();
    const remote = await logInByApp(parties, { app, browser: far }, { ...person, secret }, offline);
    parties.clock.nowMs += 60_000;
    const near = await logInByApp(
      parties,
      { app, browser },
      { ...person, secret },
      {
        ...offline,
        prompt: "login",
      },
    );
    const here = await ownFactors(parties, person);
    expect(await here.giveCodes()).toHaveLength(10);
    expect(await here.remove()).toBe(true);

    expect((await ownFactors(parties, person)).state.human).toMatchObject({ recoveryCodes: [] });
    expect(await isLetIn(far, app)).toBe(false);
    for (const { refresh_token } of [remote, near]) {
      await expect(oidc.refreshTokenGrant(app.config, String(refresh_token))).rejects.toMatchObject(
        { error: "invalid_grant" },
      );
    }
    const begun = await begin(app, { prompt: "none" });
    const { url } = await browser.open(begun.url.href);
    const anew = await fetchTokens(app, begun, url);
    await oidc.fetchUserInfo(app.config, anew.access_token, person.userId);
    expect(await here.remove()).toBe(false);
    expect(await here.giveCodes()).toBeUndefined();
    await logIn(parties.browser(), app, person);
  });
});

describe("recovery codes that somebody gets", () => {
  test("are ten that nothing keeps but their hashes", async () => {
    const { person, own } = await givenSomebody();
    expect(await own.giveCodes()).toBeUndefined();
    const { secret } = await own.begin();
    await own.confirm(now(secret));
    const codes = (await own.giveCodes()) ?? [];
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}(-|$)){4}$/);
    const { state } = await ownFactors(parties, person);
    const plain = codes.map((code) => code.replaceAll("-", ""));
    expect(state.human?.recoveryCodes).toEqual(plain.map(hashSecret));
    const kept = await parties.server.kept();
    expect([...codes, ...plain].filter((code) => kept.includes(code))).toEqual([]);
  });
});
