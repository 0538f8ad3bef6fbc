import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { cookiesOf } from "./asking.ts";
import { heading, type Page } from "./browser.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { backOf, type Forged, forge, goStraight } from "./forged.ts";
import { type App, callback } from "./relying.ts";

let parties: ExternalParties;
let app: App;
let idpId: string;
let otherId: string;
let forged: Forged;

beforeAll(async () => {
  parties = await startExternal();
  app = await parties.givenApp();
  idpId = await parties.givenProvider();
  otherId = await parties.givenProvider({ more: { name: v7() } });
  const links = [idpId, otherId].map((configId) => ({
    ...{ configId, externalUserId: "mallory", displayName: "Mallory" },
  }));
  await parties.givenPerson({ idps: links });
});
afterAll(() => parties.close());
beforeEach(() => {
  forged = forge(parties.foreign);
});

const isIn = ({ url }: Page) => url.startsWith(`${callback}?code=`);

async function go(browser = parties.browser(), at = idpId) {
  const gone = await goStraight(browser, app, at);
  forged.nonce = new URL(gone.url).searchParams.get("nonce") ?? "";
  return { ...gone, browser, nonce: forged.nonce };
}

const asksForTokens = () => parties.foreign.asked.filter((path) => path === "/token").length;

/** The address of the login that the state of a request is of. */
async function loginOf(state: string): Promise<string> {
  const back = await fetch(backOf(parties, idpId, { state }), { redirect: "manual" });
  const { href } = new URL(back.headers.get("location") ?? "", back.url);
  return href.replace(/\/idps\/.*/s, "");
}

describe("CVE-2025-46815: the way back from a provider", () => {
  test("leads in the browser that went there to the application", async () => {
    const { browser, state } = await go();
    expect(isIn(await browser.open(backOf(parties, idpId, { code: "c", state })))).toBe(true);
  });

  test("leads another browser nowhere, and leaves the login to its own", async () => {
    const { browser, state, nonce } = await go();
    const back = backOf(parties, idpId, { code: "c", state });
    const before = asksForTokens();
    expect(await parties.browser().open(back)).toMatchObject({ status: 400 });
    // A login of its own in that browser changes nothing of it.
    const other = await go();
    expect(await other.browser.open(back)).toMatchObject({ status: 400 });
    expect(asksForTokens()).toBe(before);
    forged.nonce = nonce;
    expect(isIn(await browser.open(back))).toBe(true);
  });

  test("takes no state of another login of the same browser", async () => {
    const browser = parties.browser();
    const [first, second] = [await go(browser), await go(browser)];
    const at = `${await loginOf(first.state)}/idps/${idpId}?code=c&state=${second.state}`;
    expect(await browser.open(at)).toMatchObject({ status: 400 });
    // Nor did that use the other up.
    expect(
      isIn(await browser.open(backOf(parties, idpId, { code: "c", state: second.state }))),
    ).toBe(true);
  });

  test("is there once", async () => {
    const { browser, state } = await go();
    const back = backOf(parties, idpId, { code: "c", state });
    expect(isIn(await browser.open(back))).toBe(true);
    expect(await browser.open(back)).toMatchObject({ status: 400 });
  });

  test("is there once, however many come at the same time", async () => {
    const { browser, state } = await go();
    const before = asksForTokens();
    const at = `${await loginOf(state)}/idps/${idpId}?code=c&state=${state}`;
    const headers = cookiesOf(browser);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => fetch(at, { redirect: "manual", headers })),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([303, ...Array.from({ length: 7 }, () => 400)]);
    expect(asksForTokens() - before).toBe(1);
  });

  test("is that of the request which the login made last", async () => {
    const { browser, state } = await go();
    const { url } = await browser.open(await loginOf(state));
    const again = new URL(url).searchParams;
    forged.nonce = again.get("nonce") ?? "";
    expect(await browser.open(backOf(parties, idpId, { code: "c", state }))).toMatchObject({
      status: 400,
    });
    const query = { code: "c", state: again.get("state") ?? "" };
    expect(isIn(await browser.open(backOf(parties, idpId, query)))).toBe(true);
  });

  test.each([
    ["no state", {}],
    ["an empty one", { state: "" }],
    ["one that nobody has", { state: "x".repeat(43) }],
    ["one of 10,000 characters", { state: "x".repeat(10_000) }],
  ])("leads nowhere with %s", async (_, query) => {
    const { browser } = await go();
    const page = await browser.open(backOf(parties, idpId, { code: "c", ...query }));
    expect(page.status).toBe(400);
  });

  test("leads nowhere with two states", async () => {
    const { browser, state } = await go();
    const back = `${backOf(parties, idpId, { code: "c", state: "x" })}&state=${state}`;
    expect((await browser.open(back)).status).toBe(400);
  });
});

test("strangers filling the store: all requests of a login have one place", async () => {
  const { artifacts } = parties.server.store;
  const find = (state: string) =>
    artifacts.findAlias(`ExternalAsk:${hashSecret(state)}`, parties.clock.nowMs);
  const { browser, state } = await go();
  const login = await loginOf(state);
  const kept = await find(state);
  if (kept === undefined) throw new Error("the request is not kept");
  await artifacts.write([{ kind: "put", artifact: { ...kept, family: "begun:own" } }], 0);
  await browser.open(backOf(parties, idpId, { error: "access_denied", state }));
  const { url } = await browser.open(login);
  const again = new URL(url).searchParams.get("state") ?? "";
  expect(again).not.toBe(state);
  expect((await find(again))?.family).toBe("begun:own");
  // Who comes of it has no other place either.
  forged.nonce = new URL(url).searchParams.get("nonce") ?? "";
  forged.claims = forged.info = { sub: v7() };
  await browser.open(backOf(parties, idpId, { code: "c", state: again }));
  const arrival = `ExternalArrival:${hashSecret(login.split("/").at(-1) ?? "")}`;
  expect((await artifacts.find(arrival, parties.clock.nowMs))?.family).toBe("begun:own");
});

describe("GHSA-x445-f3h2-j279: where providers are mixed up", () => {
  test("the path of another takes no state", async () => {
    const { browser, state } = await go();
    const page = await browser.open(backOf(parties, otherId, { code: "c", state }));
    expect(page.status).toBe(400);
  });

  test("the path of another takes none within the login either", async () => {
    const { browser, state } = await go();
    const at = `${await loginOf(state)}/idps/${otherId}?code=c&state=${state}`;
    expect((await browser.open(at)).status).toBe(400);
  });

  test("a code that another issuer gave goes to no token endpoint", async () => {
    const { browser, state } = await go();
    const before = asksForTokens();
    const iss = "https://evil.example";
    const page = await browser.open(backOf(parties, idpId, { code: "c", state, iss }));
    expect(page.status).toBe(502);
    expect(asksForTokens()).toBe(before);
  });

  test("the issuer itself is one that may be named", async () => {
    const { browser, state } = await go();
    const { issuer: iss } = parties.foreign;
    expect(isIn(await browser.open(backOf(parties, idpId, { code: "c", state, iss })))).toBe(true);
  });
});

describe("an error in place of a code", () => {
  const markup = `<img src=x onerror=alert(1)> javascript:alert(2)`;

  test.each([
    ["access_denied", 400],
    ["login_required", 400],
    ["server_error", 502],
    ["<script>alert(3)</script>", 502],
    ["javascript:alert(4)", 502],
    ["__proto__", 502],
  ])("%s: lets nobody in, and says nothing that it says", async (error, status) => {
    const { browser, state } = await go();
    const said = { error, error_description: markup, error_uri: "javascript:alert(5)" };
    const from = parties.server.logged().length;
    const page = await browser.open(backOf(parties, idpId, { state, ...said }));
    expect(page.status).toBe(status);
    expect(heading(page)).toBe("You weren’t logged in");
    const lines = parties.server.logged().slice(from).join("\n");
    expect(lines).toContain("no login came of an identity provider");
    expect(page.text + lines).not.toMatch(/alert\(|onerror/);
  });

  test("ends the request: a code behind it lets nobody in", async () => {
    const { browser, state } = await go();
    await browser.open(backOf(parties, idpId, { state, error: "access_denied" }));
    const page = await browser.open(backOf(parties, idpId, { state, code: "c" }));
    expect(page.status).toBe(400);
  });

  test("beside a code lets nobody in", async () => {
    const { browser, state } = await go();
    const both = { state, code: "c", error: "access_denied" };
    expect((await browser.open(backOf(parties, idpId, both))).status).toBe(400);
  });
});
