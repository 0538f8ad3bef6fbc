import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type JWTPayload, SignJWT } from "jose";
import { v7 } from "uuid";
import { nestingLimits } from "../../src/domain/nesting.ts";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createJWTProtocol, jwtLimits, jwtParameters } from "../../src/provider/external/jwt.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { allowing } from "../fetch/listener.ts";
import { nestedJson } from "../harness/nested.ts";
import { type Browser, heading } from "./browser.ts";
import { type JWTSite, settingsOf, startJWTSite } from "./jwt-site.ts";
import { type App, begin, fetchTokens, type Parties, startParties } from "./relying.ts";

let parties: Parties;
let site: JWTSite;
let app: App;
let idpId: string;

const seconds = (ago = 0) => Math.floor(Date.now() / 1_000) - ago;
const person = () => ({
  sub: v7(),
  name: "Ada",
  iat: seconds(),
  exp: seconds(-60),
  iss: site.issuer,
});

const sign: JWTSite["sign"] = (...given) => site.sign(...given);

beforeAll(async () => {
  site = await startJWTSite(() => parties.server.url);
  const allow = allowing(`127.0.0.1/32:${site.port}`);
  parties = await startParties({ fetcher: createFetcher({ allow, http: true }) });
  app = await parties.givenApp();
  const path = "/management/v1/idps/generic_jwt";
  idpId = String((await parties.call("POST", path, settingsOf(site))).id);
});
afterAll(async () => {
  await parties.close();
  await site.close();
});

/** Goes to the site, where the browser gets the answer that the proxy passes on. */
async function visitSite(browser: Browser): Promise<string> {
  const { url } = await browser.send({}, "external");
  const { headers } = await fetch(url, { redirect: "manual" });
  return String(headers.get("location"));
}

async function handOver(
  claims: JWTPayload,
  header?: { kid?: string },
  parameters: { readonly prompt?: string } = {},
) {
  site.token = () => sign(claims, header);
  const begun = await begin(app, parameters);
  const browser = parties.browser();
  await browser.open(begun.url.href);
  const back = await visitSite(browser);
  return { begun, browser, back };
}

const linkedTo = ({ sub }: { readonly sub: string }) =>
  parties.givenPerson({ idps: [{ configId: idpId, externalUserId: sub, displayName: "Ada" }] });

test("a token that a proxy hands over logs in who is linked", async () => {
  const claims = person();
  const { userId } = await linkedTo(claims);
  const { begun, browser, back } = await handOver(claims);
  // Absolute: what is relative would lead to the proxy.
  expect(back.startsWith(`${parties.server.url}/ui/login/`)).toBe(true);
  expect(new URL(back).search).toMatch(/^\?handle=[\w-]{43}$/);
  const { url } = await browser.open(back);
  const told = (await fetchTokens(app, begun, url)).claims();
  expect(told).toMatchObject({ sub: userId, amr: ["fed"] });
});

test("a fresh login is one by a token that says that the person was asked", async () => {
  const claims = person();
  await linkedTo(claims);
  const come = async (more: JWTPayload) => {
    const given = { ...claims, jti: v7(), ...more };
    const { browser, back } = await handOver(given, undefined, { prompt: "login" });
    return (await browser.open(back)).url.includes("code=");
  };
  expect([await come({}), await come({ auth_time: seconds() })]).toEqual([false, true]);
});

test("strangers filling the store: a token has the place of the login's request", async () => {
  const { artifacts } = parties.server.store;
  const nowMs = () => parties.clock.nowMs;
  site.token = () => sign(person());
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const { url } = await browser.send({}, "external");
  const state = new URL(url).searchParams.get(jwtParameters.state) ?? "";
  const asked = await artifacts.findAlias(`ExternalAsk:${hashSecret(state)}`, nowMs());
  if (asked === undefined) throw new Error("the request is not kept");
  await artifacts.write([{ kind: "put", artifact: { ...asked, family: "begun:own" } }], 0);
  const { headers } = await fetch(url, { redirect: "manual" });
  expect(headers.get("location")).toContain("?handle=");
  const handle = `ExternalHandle:${hashSecret(JSON.parse(asked.payload).uid)}`;
  expect((await artifacts.find(handle, nowMs()))?.family).toBe("begun:own");
});

describe("the address to which a token leads", () => {
  test("goes on in the browser alone in which the login began, and once", async () => {
    const claims = person();
    await linkedTo(claims);
    const { browser, back } = await handOver(claims);
    const other = parties.browser();
    await other.open((await begin(app)).url.href);
    expect(heading(await other.open(back))).toBe("This login has expired");
    expect((await browser.open(back)).url).toContain("code=");
    expect(heading(await browser.open(back))).toBe("This login has expired");
  });

  test("is valid for a minute", async () => {
    const claims = person();
    await linkedTo(claims);
    const { browser, back } = await handOver(claims);
    parties.clock.nowMs += jwtLimits.handleMs;
    expect(heading(await browser.open(back))).toBe("This login has expired");
    parties.clock.nowMs = Date.now();
  });
});

test("a provider that is out of use lets nobody in, and can be tried", async () => {
  const settings = { ...settingsOf(site), name: v7() };
  const path = "/management/v1/idps";
  const { id } = await parties.call("POST", `${path}/generic_jwt`, settings);
  const browser = parties.browser();
  await browser.open((await begin(app, { idp_hint: String(id) })).url.href);
  await parties.call("POST", `${path}/${id}/_deactivate`, {});
  const { loginUrl } = await parties.call("POST", `${path}/${id}/_test`, {});
  const headings = [];
  for (const address of [browser.page.url, String(loginUrl)]) {
    const headers = { "x-site-token": await sign(person()) };
    const { search } = new URL(address);
    const answer = await fetch(`${parties.server.url}/idps/jwt${search}`, { headers });
    headings.push(heading({ text: await answer.text() }));
  }
  expect(headings).toEqual(["This login has expired", "The provider works"]);
});

test("who knows no login is told nothing", async () => {
  const token = await sign(person());
  for (const query of ["", "?authRequestID=x&userAgentID=y"]) {
    const answer = await fetch(`${parties.server.url}/idps/jwt${query}`, {
      headers: { "x-site-token": token },
    });
    expect([answer.status, heading({ text: await answer.text() })]).toEqual([
      ...[400, "This login has expired"],
    ]);
  }
});

describe("CVE-2026-56665, GHSA-wxg7-w2v3-w38g, CVE-2026-11800: no token logs in", () => {
  const { ageSeconds, skewSeconds } = jwtLimits;
  test.each<readonly [string, (claims: JWTPayload) => JWTPayload]>([
    ["without an end", ({ exp: _none, ...claims }) => claims],
    ["without its time", ({ iat: _none, ...claims }) => claims],
    [
      "that is nested too deep",
      (claims) => ({ ...claims, more: JSON.parse(nestedJson(nestingLimits.depth)) }),
    ],
    ["without a subject", ({ sub: _none, ...claims }) => claims],
    ["of another issuer", (claims) => ({ ...claims, iss: "https://other.example.com" })],
    ["for another audience", (claims) => ({ ...claims, aud: "https://other.example.com" })],
    ["that has ended", (claims) => ({ ...claims, exp: seconds(skewSeconds + 5) })],
    ["that is too old", (claims) => ({ ...claims, iat: seconds(ageSeconds + skewSeconds + 5) })],
    ["of the future", (claims) => ({ ...claims, iat: seconds(-skewSeconds - 60) })],
  ])("%s", async (_, spoil) => {
    const claims = person();
    await linkedTo(claims);
    const { browser, back } = await handOver(spoil(claims));
    expect(back).not.toContain("handle");
    const page = await browser.open(back);
    expect([page.status, heading(page)]).toEqual([502, "You weren’t logged in"]);
  });

  test.each([
    ["whose key is not named", () => sign(person(), {})],
    ["whose key is another", () => sign(person(), { kid: "other" })],
    ["that is signed by a secret", () => secretly()],
    ["that is signed by nobody", async () => `${encode({ alg: "none" })}.${encode(person())}.`],
    ["that is none", async () => "no token"],
    ["that is not there", async () => ""],
  ])("%s", async (_, token) => {
    site.token = token;
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    const page = await browser.open(await visitSite(browser));
    expect(page.status).toBe(502);
  });

  /** What comes of a token that is shown twice, written in this way the second time. */
  async function showTwice(more: JWTPayload = {}, write = (token: string) => token) {
    const claims = { ...person(), jti: v7(), ...more };
    await linkedTo(claims);
    const token = await sign(claims);
    const pages: number[] = [];
    for (const text of [token, write(token)]) {
      site.token = async () => text;
      const browser = parties.browser();
      await browser.open((await begin(app)).url.href);
      pages.push((await browser.open(await visitSite(browser))).status);
    }
    return pages;
  }

  test.each<readonly [string, (token: string) => string]>([
    ["", (token) => token],
    [", padded", (token) => `${token}==`],
    [", with another last letter", (token) => token.slice(0, -1) + sameBits(token.at(-1))],
    [", with its other signature", (token) => withOther(token)],
  ])("a second time%s", async (_, write) => {
    expect(await showTwice({}, write)).toEqual([0, 502]);
  });

  test("a second time, with times that have fractions", async () => {
    const { iat, exp } = person();
    expect(await showTwice({ iat: iat - 1 / 3, exp: exp + 1 / 3 })).toEqual([0, 502]);
  });

  test.each([
    ["its end", 0, 60],
    ["its end within a second", 0, 60.5],
    ["its age", 60 - ageSeconds, ageSeconds],
  ])("once it is forgotten that it was taken: by %s", async (_, iat, exp) => {
    const { send } = createFetcher({ allow: allowing("127.0.0.0/8"), http: true });
    let nowMs = Date.now();
    const { verify } = createJWTProtocol({ send, machineNow: () => nowMs });
    const { issuer, jwtEndpoint, keysEndpoint } = settingsOf(site);
    const signIn = { kind: "jwt", headerName: "", issuer, jwtEndpoint, keysEndpoint } as const;
    const token = await sign({ ...person(), iat: seconds() + iat, exp: seconds() + exp });
    const show = () => verify({ id: "", organization: "", signIn }, token, [""]);
    nowMs = (await show()).endsMs;
    await expect(show()).rejects.toThrow("ERR_JWT_EXPIRED");
  });

  /** Another letter of base64url whose four first bits are the same. */
  function sameBits(letter = ""): string {
    const all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    return all[all.indexOf(letter) ^ 1] ?? "";
  }

  /** The other signature that is right as well: s is n - s (ECDSA on P-256). */
  function withOther(token: string): string {
    const [head, body, signature = ""] = token.split(".");
    const bytes = Buffer.from(signature, "base64url");
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
    const s = order - BigInt(`0x${bytes.toString("hex", 32)}`);
    bytes.write(s.toString(16).padStart(64, "0"), 32, "hex");
    return [head, body, bytes.toString("base64url")].join(".");
  }

  function encode(value: object): string {
    return Buffer.from(JSON.stringify(value)).toString("base64url");
  }

  async function secretly(): Promise<string> {
    const secret = new TextEncoder().encode(JSON.stringify(site.key));
    return await new SignJWT(person()).setProtectedHeader({ alg: "HS256", kid: "k" }).sign(secret);
  }

  // The last one: the log does not go back.
  test("a second time, where the log is ahead of the machine", async () => {
    parties.clock.nowMs += 2 * ageSeconds * 1_000;
    expect(await showTwice()).toEqual([0, 502]);
  });
});
