import { afterAll, beforeAll, expect, jest, test } from "@jest/globals";
import { inFull } from "../harness/in-full.ts";
import { cookiesOf } from "./asking.ts";
import { errorIn, heading } from "./browser.ts";
import { begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test("a person has to choose another password where that was asked for", async () => {
  const app = await parties.givenApp();
  const person = await parties.givenPerson({ passwordChangeRequired: true });
  const { userName, password } = person;
  const browser = parties.browser();
  const begun = await begin(app);
  await browser.open(begun.url.href);
  expect(heading(await browser.send({ userName, password }))).toBe("Choose a new password");
  for (const [wrong, told] of [
    ["short", "8 to 256 characters"],
    ["a better\0horse", "8 to 256 characters"],
    ["password123", "too common"],
    [password, "haven’t used before"],
    [userName, "too common"],
  ] as const) {
    const page = await browser.send({ password: wrong }, "change");
    expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining(told)]);
  }
  const back = await browser.send({ password: "a better horse battery" }, "change");
  expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(person.userId);
  expect(await parties.typesOf(person)).toEqual([
    "user.human.password.changed",
    "user.human.notice.added",
    "user.human.session.begun",
  ]);
  const anew = await logIn(parties.browser(), app, {
    ...person,
    password: "a better horse battery",
  });
  expect(anew.claims()?.sub).toBe(person.userId);
});

test("the page for another password opens to nobody who has not shown this one", async () => {
  const app = await parties.givenApp();
  await parties.givenPerson({ passwordChangeRequired: true });
  const browser = parties.browser();
  const { url } = await browser.open((await begin(app)).url.href);
  for (const step of ["change", "otp", "proceed", "unknown"]) {
    const body = new URLSearchParams({ step, password: "a better horse battery", code: "123456" });
    const headers = cookiesOf(browser);
    const { status } = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
    expect([step, status]).toEqual([step, step === "proceed" ? 200 : 400]);
  }
});

test("CVE-2025-64103: an authenticator app that was imported has to be shown", async () => {
  const app = await parties.givenApp();
  const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";
  const person = await parties.givenPerson({ otpCode: secret });
  const { userName, password } = person;
  const browser = parties.browser();
  const begun = await begin(app);
  await browser.open(begun.url.href);
  expect(heading(await browser.send({ userName, password }))).toBe("Enter a one-time code");
  expect(errorIn(await browser.send({ code: "000000" }, "otp"))).toContain("isn’t valid");
  const code = codeAt(secret, parties.clock.nowMs);
  const back = await browser.send({ code: `${code.slice(0, 3)} ${code.slice(3)}` }, "otp");
  const tokens = await fetchTokens(app, begun, back.url);
  expect(tokens.claims()).toMatchObject({ sub: person.userId, amr: ["pwd", "otp"] });

  const another = parties.browser();
  await another.open((await begin(app)).url.href);
  await another.send({ userName, password });
  expect(errorIn(await another.send({ code }, "otp"))).toContain("already been used");
  expect(await parties.typesOf(person)).toEqual([
    ...["user.human.otp.added", "user.human.login.failed", "user.human.otp.used"],
    ...["user.human.session.begun", "user.human.login.failed"],
  ]);
});

test("codes are guessed no more often than passwords", async () => {
  const app = await parties.givenApp();
  const person = await parties.givenPerson({ otpCode: "JBSWY3DPEHPK3PXPJBSWY3DP" });
  const { userName, password } = person;
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  await browser.send({ userName, password });
  const told = [];
  for (let i = 0; i < 12; i += 1) told.push(errorIn(await browser.send({ code: "000000" }, "otp")));
  expect(told.at(0)).toContain("isn’t valid");
  expect(told.at(-1)).toContain("too many");
  const right = await browser.send({ code: codeAt("JBSWY3DPEHPK3PXPJBSWY3DP", Date.now()) }, "otp");
  expect(right.url).not.toContain("code=");
});

inFull("a hash of an old kind is made anew by the next login", async () => {
  const app = await parties.givenApp();
  // bcrypt, cost 10, of "correct horse battery"
  const value = "$2b$10$N9qo8uLOickgx2ZMRZoMye";
  const hashed = await import("@node-rs/bcrypt").then(({ hash }) =>
    hash("correct horse battery", 10, Buffer.from(value).subarray(0, 16)),
  );
  const person = await parties.givenPerson({ password: "", hashedPassword: { value: hashed } });
  const hashing = jest.spyOn(parties.server.passwords, "hashPassword");
  const comparing = jest.spyOn(parties.server.passwords, "verifyPassword");
  await logIn(parties.browser(), app, person);
  // It waits as what is compared does, and counts as little.
  const ranked = { kind: "strangers" as const, rank: expect.any(Number) };
  expect(hashing).toHaveBeenLastCalledWith("correct horse battery", { ranked });
  await logIn(parties.browser(), app, person);
  expect(comparing.mock.lastCall?.[2]).toEqual({ ranked });
  await logIn(parties.browser(), app, person);
  expect(await parties.typesOf(person)).toEqual([
    "user.human.password.rehashed",
    ...["user.human.session.begun", "user.human.session.begun", "user.human.session.begun"],
  ]);
});
