import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { cookiesOf, isLetIn } from "./asking.ts";
import { begin, fetchTokens, type Parties, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const refusedGrant = { error: "invalid_grant" };

describe("CVE-2026-16103, CVE-2026-9798: who may log in is looked at each time:", () => {
  const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";
  const users = "/management/v1/users";

  test("a lock between password and code", async () => {
    const [app, person] = [
      await parties.givenApp(),
      await parties.givenPerson({ otpCode: secret }),
    ];
    const { userName, password } = person;
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    await browser.send({ userName, password });
    const other = parties.browser();
    await other.open((await begin(app)).url.href);
    for (let i = 0; i < loginLimits.failures; i += 1) {
      await other.send({ userName, password: "wrong" });
    }
    const code = codeAt(secret, parties.clock.nowMs);
    expect((await browser.send({ code }, "otp")).status).toBe(400);
    expect(await isLetIn(browser, app)).toBe(false);
  });

  test.each([
    ["out of use", "POST", "/_deactivate", {}],
    ["gone", "DELETE", "", undefined],
  ] as const)("a user who is %s between any two steps", async (_what, verb, path, message) => {
    const app = await parties.givenApp();
    const people = await Promise.all([1, 2, 3].map(() => parties.givenPerson({ otpCode: secret })));
    const end = ({ userId }: { userId: string }) =>
      parties.call(verb, `${users}/${userId}${path}`, message);
    const code = codeAt(secret, parties.clock.nowMs);
    for (const [stage, person] of people.entries()) {
      const { userName, password } = person;
      const browser = parties.browser();
      const begun = await begin(app);
      const { url } = await browser.open(begun.url.href);
      await browser.send({ userName, password });
      if (stage === 0) {
        await end(person);
        expect((await browser.send({ code }, "otp")).status).toBe(400);
      } else if (stage === 1) {
        const body = new URLSearchParams({ step: "otp", code });
        const headers = cookiesOf(browser);
        const shown = await fetch(url, { method: "POST", body, headers, redirect: "manual" });
        await end(person);
        const back = await browser.open(String(shown.headers.get("location")));
        expect(back.url).not.toContain("code=");
      } else {
        const back = await browser.send({ code }, "otp");
        expect(back.url).toContain("code=");
        await end(person);
        await expect(fetchTokens(app, begun, back.url)).rejects.toMatchObject(refusedGrant);
      }
      expect(await isLetIn(browser, app)).toBe(false);
    }
  });
});

test("CVE-2026-16103: no login goes on with a password that a grant has voided", async () => {
  const users = "/management/v1/users";
  const machine = { userName: v7(), name: "M" };
  const { userId } = await parties.call("POST", `${users}/machine`, machine);
  const member = { userId, roles: ["ORG_OWNER"] };
  await parties.call("POST", "/management/v1/orgs/me/members", member);
  const { token } = await parties.call("POST", `${users}/${userId}/pats`, {});
  const app = await parties.givenApp();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (const isGranted of [false, true]) {
    const userName = v7();
    const person = { userName, password: "correct horse battery" };
    const human = {
      ...person,
      email: { email: `${userName}@example.com`, isEmailVerified: true },
      profile: { firstName: "Ada", lastName: "Lovelace" },
    };
    const imported = await fetch(`${parties.server.url}${users}/human/_import`, {
      ...{ method: "POST", headers, body: JSON.stringify(human) },
    });
    const { userId: theirs } = (await imported.json()) as { readonly userId: string };
    const browser = parties.browser();
    const { url } = await browser.open((await begin(app)).url.href);
    const body = new URLSearchParams({ step: "password", ...person });
    const init = { method: "POST", body, headers: cookiesOf(browser), redirect: "manual" } as const;
    const shown = await fetch(url, init);
    expect(shown.status).toBe(303);
    const owner = { userId: theirs, roles: ["IAM_OWNER"], returnInitializationLink: true };
    if (isGranted) await parties.call("POST", "/admin/v1/members", owner);
    const back = await browser.open(String(shown.headers.get("location")));
    expect([isGranted, back.url.includes("code=")]).toEqual([isGranted, !isGranted]);
    expect(await isLetIn(browser, app)).toBe(!isGranted);
  }
});

test("GHSA-xg6x-h9c9-2m83: one of two factors opens nothing", async () => {
  const [app, other] = [await parties.givenApp(), await parties.givenApp()];
  const person = await parties.givenPerson({ otpCode: "JBSWY3DPEHPK3PXPJBSWY3DP" });
  const { userName, password } = person;
  const browser = parties.browser();
  const { url } = await browser.open((await begin(app)).url.href);
  await browser.send({ userName, password });
  expect([await isLetIn(browser, app), await isLetIn(browser, other)]).toEqual([false, false]);
  await browser.open(`/oauth/v2/authorize/${url.split("/").at(-1)}`);
  expect(browser.page.url).not.toContain("code=");
  expect(await parties.typesOf(person)).toEqual(["user.human.otp.added"]);
});
