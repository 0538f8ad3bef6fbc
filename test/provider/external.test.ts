import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { errorIn, heading } from "./browser.ts";
import {
  comeBack,
  type ExternalParties,
  goElsewhere,
  logInElsewhere,
  startExternal,
} from "./external.ts";
import { givenRuled } from "./policies.ts";
import { type App, begin, fetchTokens } from "./relying.ts";

let parties: ExternalParties;
let app: App;
let idpId: string;

beforeAll(async () => {
  parties = await startExternal();
  app = await parties.givenApp();
  idpId = await parties.givenProvider();
});
afterAll(() => parties.close());

const linked = (externalUserId: string) => ({
  idps: [{ configId: idpId, externalUserId, displayName: externalUserId }],
});

describe("who is linked to an account elsewhere", () => {
  test("logs in by it, and the token says so", async () => {
    const person = await parties.givenPerson(linked("ada"));
    const claims = await logInElsewhere(parties, parties.browser(), app);
    expect(claims).toMatchObject({ sub: person.userId, amr: ["fed"], acr: "urn:iam:acr:pwd" });
    const types = await parties.typesOf(person);
    expect(types).toContain("user.human.session.begun");
  });

  test("logs in by it once more where a session lasts", async () => {
    const browser = parties.browser();
    const [first, second] = [
      await logInElsewhere(parties, browser, app),
      await logInElsewhere(parties, parties.browser(), app),
    ];
    expect(second?.sub).toBe(first?.sub);
  });
});

describe("who is linked to nobody", () => {
  test("chooses between an account and a link", async () => {
    parties.foreign.users.eve = { name: "Eve", email: "eve@example.org" };
    const browser = parties.browser();
    const { url } = await goElsewhere(browser, app);
    const page = await comeBack(parties, browser, { url, sub: "eve" });
    expect(heading(page)).toBe("No account is linked yet");
    expect(page.text).toContain("Eve");
  });

  test("links by logging in with a password", async () => {
    const person = await parties.givenPerson();
    const browser = parties.browser();
    const { begun, url } = await goElsewhere(browser, app);
    await comeBack(parties, browser, { url, sub: "linda" });
    await browser.send({}, "external-link");
    const { userName, password } = person;
    const back = await browser.send({ userName, password }, "password");
    expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(person.userId);
    expect(await parties.toldOf(person)).toEqual(["externalidp.added"]);
    expect((await logInElsewhere(parties, parties.browser(), app, "linda"))?.sub).toBe(
      person.userId,
    );
  });
});

describe("an account by a provider", () => {
  const said = (sub: string) => ({
    ...{ name: "Grace Hopper", given_name: "Grace", family_name: "Hopper", locale: "fr" },
    ...{ preferred_username: sub, email: `${sub}@example.org`, email_verified: true },
  });

  async function givenMaking(isAutoCreation: boolean) {
    const ruled = await givenRuled(parties);
    const { organization } = ruled;
    const options = { isAutoCreation, isLinkingAllowed: false };
    await parties.givenProvider({ organization, options, more: { name: v7() } });
    const making = await ruled.givenApp();
    const sub = v7();
    parties.foreign.users[sub] = said(sub);
    return { making, sub, organization, browser: parties.browser() };
  }

  async function read(userId: unknown, organization: string) {
    const path = `/management/v1/users/${userId}`;
    const { user } = await parties.call("GET", path, undefined, organization);
    return user as { readonly human: object; readonly userName: string };
  }

  test("is made at once where the provider says all of it", async () => {
    const { making, sub, organization, browser } = await givenMaking(true);
    const claims = await logInElsewhere(parties, browser, making, sub);
    expect(claims).toMatchObject({ amr: ["fed"] });
    expect(await read(claims?.sub, organization)).toMatchObject({
      userName: sub,
      human: {
        profile: {
          ...{ firstName: "Grace", lastName: "Hopper", displayName: "Grace Hopper" },
          preferredLanguage: "fr",
        },
        email: { email: `${sub}@example.org`, isEmailVerified: true },
      },
    });
    expect((await logInElsewhere(parties, parties.browser(), making, sub))?.sub).toBe(claims?.sub);
  });

  test("asks for what the provider does not say, and for another name", async () => {
    const { making, sub, organization, browser } = await givenMaking(true);
    const email = `${sub}@example.org`;
    parties.foreign.users[sub] = { email, email_verified: false };
    const { begun, url } = await goElsewhere(browser, making);
    expect(heading(await comeBack(parties, browser, { url, sub }))).toBe("Complete your account");
    const { userName } = await parties.givenPerson();
    const names = { firstName: "Grace", lastName: "Hopper", email };
    const byAddress = await browser.send({ ...names, userName: email }, "external-account");
    expect(errorIn(byAddress)).toBe("A user name with @ must be your own email address.");
    const taken = await browser.send({ ...names, userName }, "external-account");
    expect(taken.status).toBe(409);
    expect(errorIn(taken)).toBe(
      "This user name is taken, or looks like one that is. Choose another.",
    );
    const back = await browser.send({ ...names, userName: sub }, "external-account");
    const claims = (await fetchTokens(making, begun, back.url)).claims();
    const user = await read(claims?.sub, organization);
    expect(user).toMatchObject({ userName: sub, human: { email: { email } } });
    expect(user).not.toMatchObject({ human: { email: { isEmailVerified: true } } });
    const types = await parties.typesOf({ userId: String(claims?.sub) });
    expect(types).toContain("user.human.email.code.added");
  });
});

describe("an application that names a provider", () => {
  test.each(["idp_hint", "scope"])("by %s leads straight there", async (way) => {
    const parameters =
      way === "idp_hint" ? { idp_hint: idpId } : { scope: `openid urn:iam:org:idp:id:${idpId}` };
    const browser = parties.browser();
    const { url } = await browser.open((await begin(app, parameters)).url.href);
    expect(url).toContain(`${parties.foreign.issuer}/auth?`);
  });

  test("that is not offered sees the first page", async () => {
    const page = await parties.browser().open((await begin(app, { idp_hint: v7() })).url.href);
    expect(heading(page)).toBe("Log in");
  });
});
