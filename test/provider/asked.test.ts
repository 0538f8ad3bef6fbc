import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { few } from "../harness/in-full.ts";
import { heading } from "./browser.ts";
import { ask, question } from "./consenting.ts";
import { ask as askOnDevice, enterAs, ofDevices, pages } from "./devices.ts";
import { linkFor } from "./mails.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";
import { codeAt } from "./totp.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

type Shown = ReturnType<Parties["browser"]>["page"];
const languageOf = ({ text, headers }: Shown) => [
  /<html lang="([^"]*)"/.exec(text)?.[1],
  headers.get("content-language"),
];
const french = ["fr", "fr"];
const policyOf = ({ headers }: Shown) => String(headers.get("content-security-policy"));

describe("the language that an application asks for", () => {
  test("is that of every page of the login, whatever the browser asks for", async () => {
    const secret = "JBSWY3DPEHPK3PXPJBSWY3DP";
    const given = { otpCode: secret, passwordChangeRequired: true };
    const { userName, password } = await parties.givenPerson(given);
    const browser = parties.browser({ "accept-language": "de" });
    const scope = "openid urn:iam:org:project:id:iam:aud";
    const begun = await begin(app, { ui_locales: "se fr-CA it", scope });
    const login = await browser.open(begun.url.href);
    const seen = [login];
    for (const step of ["passkey", "forgotten"]) {
      seen.push(await browser.send({}, step));
      await browser.open(login.url);
    }
    await browser.send({}, "forgotten");
    seen.push(await browser.send({ userName: "nobody" }, "ask"));
    seen.push(await browser.open(new URL("/ui/password", login.url).href));
    seen.push(await browser.open(new URL("/ui/password/changed", login.url).href));
    await browser.open(login.url);
    seen.push(await browser.send({ userName, password: "wrong" }));
    seen.push(await browser.send({ userName, password }));
    seen.push(await browser.send({ code: codeAt(secret, parties.clock.nowMs) }, "otp"));
    seen.push(await browser.send({ password: "a better horse battery" }, "change"));
    expect(new Set(seen.map(heading)).size).toBe(9);
    expect(seen.map(languageOf)).toEqual(seen.map(() => french));
    expect((await browser.send({}, "allow")).url).toContain("code=");
  });

  test("is that of a refusal and of a logout, and of what is seen after it", async () => {
    const browser = parties.browser({ "accept-language": "de" });
    const refused = await begin(app, { ui_locales: "fr", redirect_uri: "https://evil.example" });
    expect(languageOf(await browser.open(refused.url.href))).toEqual(french);
    await logIn(browser, app, await parties.givenPerson());
    const asked = await browser.open("/oidc/v1/end_session?ui_locales=fr");
    expect([heading(asked), ...languageOf(asked)]).toEqual(["Se déconnecter", ...french]);
    expect(languageOf(await browser.send({}))).toEqual(french);
  });

  test("is none where the service speaks none of them", async () => {
    const browser = parties.browser({ "accept-language": "de" });
    const { url } = await begin(app, { ui_locales: "se" });
    expect(languageOf(await browser.open(url.href))).toEqual(["de", "de"]);
  });
});

describe("another person than the application asks for", () => {
  const asks = {
    id_token_hint: ({ token }: { token: string }) => ({ id_token_hint: token }),
    claims: ({ userId }: { userId: string }) => ({
      claims: JSON.stringify({ id_token: { sub: { value: userId } } }),
    }),
  };
  few().each(Object.entries(asks))("by %s is not let in, and no session begins", async (_, ask) => {
    const [wanted, other] = [await parties.givenPerson(), await parties.givenPerson()];
    const { id_token: token = "" } = await logIn(parties.browser(), app, wanted);
    const asked = ask({ token, userId: wanted.userId });
    const browser = parties.browser();
    const begun = await begin(app, asked);
    await browser.open(begun.url.href);
    const { userName, password } = other;
    const told = new URL((await browser.send({ userName, password })).url).searchParams;
    expect([told.get("error"), told.get("state")]).toEqual(["login_required", begun.state]);
    expect(told.has("code")).toBe(false);
    expect(await parties.typesOf(other)).not.toContain("user.human.session.begun");
    // The right one is let in, also where another one has a session.
    await logIn(browser, app, other);
    const tokens = await logIn(browser, app, wanted, asked);
    expect(tokens.claims()?.sub).toBe(wanted.userId);
    const again = await begin(app, asked);
    const back = await browser.open(again.url.href);
    expect((await fetchTokens(app, again, back.url)).claims()?.sub).toBe(wanted.userId);
  });
});

describe("claims that no page named", () => {
  const grants = ["see your name", "see your email address", "see your phone number"];
  const listed = ({ text }: Shown) => grants.filter((one) => text.includes(one));
  const asked: readonly (readonly [claims: object, named: readonly string[]])[] = [
    [{ userinfo: { email: null, phone_number: { essential: true } } }, grants.slice(1)],
    [{ id_token: { updated_at: null, sub: null } }, grants.slice(0, 1)],
    [{ userinfo: { email_verified: null }, id_token: { name: null } }, grants.slice(0, 2)],
    [{ id_token: { auth_time: null } }, []],
  ];

  test.each(asked)("are listed where the person is asked: %j", async (claims, named) => {
    const parameters = { scope: `openid ${apiScope}`, claims: JSON.stringify(claims) };
    const [browser, person] = [parties.browser(), await parties.givenPerson()];
    await ask(browser, app, person, parameters);
    expect(browser.page.text).toContain(question);
    expect(listed(browser.page)).toEqual(named);
  });

  test("are listed where a device asks", async () => {
    const device = await parties.givenApp(ofDevices);
    for (const [claims, named] of asked) {
      const code = await askOnDevice(device, { scope: "openid", claims: JSON.stringify(claims) });
      const page = await enterAs(parties.browser(), code, await parties.givenPerson());
      expect([heading(page), listed(page)]).toEqual([pages.ask, named]);
    }
  });
});

test("only pages whose forms lead on to an application let forms lead anywhere", async () => {
  const browser = parties.browser();
  const person = await parties.givenPerson();
  const scope = "openid urn:iam:org:project:id:iam:aud";
  const login = await browser.open((await begin(app, { scope })).url.href);
  const onward = [login, await browser.send({}, "passkey")];
  await browser.open(login.url);
  onward.push(await browser.send({}, "forgotten"));
  await browser.open(login.url);
  const { userName, password } = person;
  onward.push(await browser.send({ userName, password }));
  await browser.send({}, "allow");
  const query = new URLSearchParams({ client_id: app.clientId });
  const own = [
    await browser.open("/account/sessions"),
    await browser.open(`/oidc/v1/end_session?${query}`),
    await browser.open("/oauth/v2/authorize"),
    await browser.open(login.url),
    await browser.open(await linkFor(parties, app, person)),
  ];
  query.set("post_logout_redirect_uri", "https://app.example.com/bye");
  onward.push(await browser.open(`/oidc/v1/end_session?${query}`));
  for (const page of onward) expect(policyOf(page)).not.toContain("form-action");
  for (const page of own) expect(policyOf(page)).toContain("; form-action 'self'; ");
});

test("a JWT taken for another: an id token alone says whom an application means", async () => {
  const enveloped = await parties.givenApp({ accessTokenType: "OIDC_TOKEN_TYPE_JWT" });
  const browser = parties.browser();
  const tokens = await logIn(browser, enveloped, await parties.givenPerson());
  const { access_token: access, id_token: id = "" } = tokens;
  expect(access.split(".")).toHaveLength(3);
  for (const [hint, isTaken] of [
    [id, true],
    [access, false],
  ] as const) {
    const { url } = await begin(enveloped, { prompt: "none", id_token_hint: hint });
    const told = new URL((await browser.open(url.href)).url).searchParams;
    expect([told.has("code"), told.get("error")]).toEqual([
      isTaken,
      isTaken ? null : "invalid_request",
    ]);
    const ending = `/oidc/v1/end_session?${new URLSearchParams({ id_token_hint: hint })}`;
    expect((await parties.browser().open(ending)).status).toBe(isTaken ? 200 : 400);
  }
});
