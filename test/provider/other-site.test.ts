import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { few } from "../harness/in-full.ts";
import { formOf, heading } from "./browser.ts";
import { type App, begin, logIn, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
let app: App;
let person: Person;
let own = "";

beforeAll(async () => {
  parties = await startParties();
  [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  own = parties.server.url;
});
afterAll(() => parties.close());

type Header = { readonly [name: string]: string };

const another = { origin: "https://evil.example" };
const sameOrigin = { "sec-fetch-site": "same-origin" };

/** What browsers say of a form, old ones and those with extensions too, and whether it is ours. */
const said: readonly [string, (own: string) => Header, boolean][] = [
  ["nothing", () => ({}), false],
  ["another site", () => another, false],
  ["another site, as a part of this one", () => ({ ...another, ...sameOrigin }), false],
  ["nobody", () => ({ origin: "null" }), false],
  ["nobody, from another site", () => ({ origin: "null", "sec-fetch-site": "cross-site" }), false],
  ["nobody, from a sibling", () => ({ origin: "null", "sec-fetch-site": "same-site" }), false],
  ["nobody, from the address bar", () => ({ origin: "null", "sec-fetch-site": "none" }), false],
  ["the address bar alone", () => ({ "sec-fetch-site": "none" }), false],
  ["another site alone", () => ({ "sec-fetch-site": "cross-site" }), false],
  ["a sibling alone", () => ({ "sec-fetch-site": "same-site" }), false],
  ["a sibling by name", (url) => ({ origin: url.replace("127.0.0.1", "a.127.0.0.1") }), false],
  ["another port", (url) => ({ origin: url.replace(/\d+$/, "1") }), false],
  ["another scheme", (url) => ({ origin: url.replace("http:", "https:") }), false],
  ["a name that begins alike", (url) => ({ origin: `${url}.evil.example` }), false],
  ["this one, led over another", (url) => ({ origin: url, "sec-fetch-site": "cross-site" }), false],
  ["this one", (url) => ({ origin: url }), true],
  ["this one twice", (url) => ({ origin: url, ...sameOrigin }), true],
  ["this one, sent again", (url) => ({ origin: url, "sec-fetch-site": "none" }), true],
  ["nobody, from this one", () => ({ origin: "null", ...sameOrigin }), true],
  ["this one without a name", () => sameOrigin, true],
];

describe("a form of another site", () => {
  few(2).each(said)("logs nobody in where it is from %s", async (_who, headersOf, isOurs) => {
    const [before, browser] = [await parties.server.head(), parties.browser()];
    const { url } = await browser.open((await begin(app)).url.href);
    const fields = { userName: person.userName, password: person.password };
    const body = new URLSearchParams({ step: "password", ...fields });
    const cookie = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`);
    const headers = { ...headersOf(own), cookie: cookie.join("; ") };
    const sent = await fetch(url, { method: "POST", body, redirect: "manual", headers });
    expect(sent.status).toBe(isOurs ? 303 : 400);
    expect(await parties.server.head()).toBe(before);
    const back = await browser.open(sent.headers.get("location") ?? url);
    expect(back.url.includes("code=")).toBe(isOurs);
  });

  few().each([
    ...["/ui/initialize", "/ui/phone/verify", "/ui/email/verify", "/account/sessions"],
    ...["/ui/password", "/ui/owner", "/ui/login/nobody"],
  ])("is none of %s", async (path) => {
    const body = new URLSearchParams({ userID: "nobody", step: "code", code: "ABCDEF" });
    for (const [, headersOf, isOurs] of said) {
      const headers = headersOf(own);
      const init = { method: "POST", body, headers, redirect: "manual" } as const;
      const text = await (await fetch(own + path, init)).text();
      expect([headers, heading({ text }) === "That didn’t work"]).toEqual([headers, !isOurs]);
    }
  });

  test("logs nobody out", async () => {
    const browser = parties.browser();
    await logIn(browser, app, person);
    const page = await browser.open("/oidc/v1/end_session");
    const { xsrf = "" } = formOf(page).fields;
    const cookie = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`);
    const body = new URLSearchParams({ xsrf, logout: "yes" });
    const others = said.filter(([, , isOurs]) => !isOurs).map(([, headersOf]) => headersOf(own));
    for (const [status, more] of [...others.map((one) => [400, one]), [303, { origin: own }]]) {
      const headers = { ...(more as Header), cookie: cookie.join("; ") };
      const init = { method: "POST", body, redirect: "manual", headers } as const;
      const sent = await fetch(`${own}/oidc/v1/end_session/confirm`, init);
      expect([more, sent.status]).toEqual([more, status]);
    }
  });

  test("has no cookie of the login, or another one", async () => {
    const [before, browser] = [await parties.server.head(), parties.browser()];
    const { url } = await browser.open((await begin(app)).url.href);
    const second = await parties.browser().open((await begin(app)).url.href);
    const cookie = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`);
    const body = new URLSearchParams({
      ...{ step: "password", userName: person.userName, password: person.password },
    });
    for (const [to, headers] of [
      [url, sameOrigin],
      [second.url, { ...sameOrigin, cookie: cookie.join("; ") }],
    ] as const) {
      const init = { method: "POST", body, redirect: "manual", headers } as const;
      expect((await fetch(to, init)).status).toBe(400);
    }
    expect(await parties.server.head()).toBe(before);
  });
});
