import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { cookiesOf } from "./asking.ts";
import type { Browser } from "./browser.ts";
import { type ExternalParties, startExternal } from "./external.ts";
import { backOf, type Forged, forge, goStraight } from "./forged.ts";
import { givenRuled, type Ruled } from "./policies.ts";
import { type App, callback, fetchTokens, type Person } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: ExternalParties;
let forged: Forged;

beforeAll(async () => {
  parties = await startExternal();
  forged = forge(parties.foreign);
});
afterAll(() => parties.close());

const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";

interface Given {
  readonly ruled: Ruled;
  readonly app: App;
  readonly idpId: string;
  readonly person: Person;
  readonly sub: string;
}

/** Somebody of an organization whose policy names the provider that the person comes by. */
async function given(more: object = {}): Promise<Given> {
  const ruled = await givenRuled(parties, { allowExternalIdp: true });
  const { organization } = ruled;
  const idpId = await parties.givenProvider({ organization });
  await parties.call("POST", "/management/v1/policies/login/idps", { idpId }, organization);
  const sub = v7();
  const link = { configId: idpId, externalUserId: sub, displayName: sub };
  const person = await parties.givenPerson({ idps: [link], ...more }, organization);
  return { ruled, app: await ruled.givenApp(), idpId, person, sub };
}

const at = ({ ruled: { organization } }: Given, verb: string, path: string) =>
  parties.call(verb, `/management/v1/${path}`, verb === "POST" ? {} : undefined, organization);

const changes: readonly (readonly [string, (given: Given) => Promise<unknown>])[] = [
  ["the provider is deactivated", (all) => at(all, "POST", `idps/${all.idpId}/_deactivate`)],
  [
    "the provider is removed with its links",
    async (all) => {
      await unlink(all);
      await at(all, "DELETE", `idps/${all.idpId}`);
    },
  ],
  ["the policy names it no more", (all) => at(all, "DELETE", `policies/login/idps/${all.idpId}`)],
  ["the policy allows no providers", (all) => all.ruled.change({ allowExternalIdp: false })],
  ["the person is deactivated", (all) => at(all, "POST", `users/${all.person.userId}/_deactivate`)],
  ["the person is removed", (all) => at(all, "DELETE", `users/${all.person.userId}`)],
  ["the link is removed", unlink],
  [
    "the application is deactivated",
    async (all) => {
      const { projectId, appId } = await placeOf(all);
      await at(all, "POST", `projects/${projectId}/apps/${appId}/_deactivate`);
    },
  ],
  [
    "the project is deactivated",
    async (all) => at(all, "POST", `projects/${(await placeOf(all)).projectId}/_deactivate`),
  ],
  ["the organization is deactivated", (all) => at(all, "POST", "orgs/me/_deactivate")],
];

async function unlink(all: Given): Promise<void> {
  await at(all, "DELETE", `users/${all.person.userId}/idps/${all.idpId}/${all.sub}`);
}

async function placeOf(all: Given) {
  const { result = [] } = await at(all, "POST", "projects/_search");
  const [project] = result as readonly { readonly id: string }[];
  return { projectId: String(project?.id), appId: all.app.appId };
}

async function go({ app, idpId, sub }: Given, browser: Browser) {
  const { begun, url, state } = await goStraight(browser, app, idpId);
  forged.nonce = new URL(url).searchParams.get("nonce") ?? "";
  [forged.claims, forged.info] = [{ sub }, { sub }];
  return { begun, back: backOf(parties, idpId, { code: "c", state }) };
}

async function isIn({ person }: Given, { url }: { readonly url: string }): Promise<boolean> {
  const types = await parties.server
    .events()
    .then((events) => events.filter(({ stream }) => stream === `user-${person.userId}`))
    .then((events) => events.map(({ type }) => type));
  return url.startsWith(`${callback}?code=`) || types.includes("user.human.session.begun");
}

describe("while somebody is at a provider", () => {
  test("nothing happens: the person is let in", async () => {
    const all = await given();
    const browser = parties.browser();
    const { begun, back } = await go(all, browser);
    const page = await browser.open(back);
    expect((await fetchTokens(all.app, begun, page.url)).claims()?.sub).toBe(all.person.userId);
  });

  test.each(changes)("%s: the person is not let in", async (_, change) => {
    const all = await given();
    const browser = parties.browser();
    const { back } = await go(all, browser);
    await change(all);
    expect(await isIn(all, await browser.open(back))).toBe(false);
  });
});

describe("while a code of an app is asked for behind a provider", () => {
  const come = async (all: Given) => {
    const browser = parties.browser();
    const { begun, back } = await go(all, browser);
    const page = await browser.open(back);
    expect(page.text).toContain('value="otp"');
    expect(await isIn(all, page)).toBe(false);
    return { begun, browser };
  };
  const show = (browser: Browser) =>
    browser.send({ code: codeAt(secret, parties.clock.nowMs) }, "otp");

  test("nothing happens: the person is let in by both", async () => {
    const all = await given({ otpCode: secret });
    const { begun, browser } = await come(all);
    const { url } = await show(browser);
    expect((await fetchTokens(all.app, begun, url)).claims()).toMatchObject({
      ...{ sub: all.person.userId, amr: ["fed", "otp"], acr: "urn:iam:acr:mfa" },
    });
  });

  test.each(changes)("%s: the person is not let in", async (_, change) => {
    const all = await given({ otpCode: secret });
    const { browser } = await come(all);
    await change(all);
    expect(await isIn(all, await show(browser))).toBe(false);
  });
});

describe("before the application is granted anything", () => {
  /** Comes back, and stops where the browser is led on to what grants. */
  async function stop(all: Given) {
    const browser = parties.browser();
    const { back } = await go(all, browser);
    const inner = await fetch(back, { redirect: "manual" });
    const headers = cookiesOf(browser);
    const address = new URL(inner.headers.get("location") ?? "", back);
    const led = await fetch(address, { redirect: "manual", headers });
    return { browser, onward: new URL(led.headers.get("location") ?? "", address).href };
  }

  test("nothing happens: the person is let in", async () => {
    const all = await given();
    const { browser, onward } = await stop(all);
    expect(onward).toContain("/oauth/v2/authorize/");
    expect(await isIn(all, await browser.open(onward))).toBe(true);
  });

  test.each(changes)("%s: the person is not let in", async (_, change) => {
    const all = await given();
    const { browser, onward } = await stop(all);
    await change(all);
    expect(await isIn(all, await browser.open(onward))).toBe(false);
  });
});
