import { createPublicKey, type JsonWebKey, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { slowLimits } from "../../src/provider/token/slow.ts";
import { allowing } from "../fetch/listener.ts";
import { patience } from "../harness/extent.ts";
import { few, inFull } from "../harness/in-full.ts";
import { isLetIn } from "./asking.ts";
import { linkFor } from "./mails.ts";
import { type App, begin, fetchTokens, logIn, type Parties, startParties } from "./relying.ts";

/** What an application was told. */
interface Heard {
  readonly path: string;
  readonly type: string;
  readonly token: string;
}

let parties: Parties;
let heard: Heard[] = [];
let status = 200;
/** Milliseconds until it is answered. */
let answeredMs = 0;
/** How many were told at once, at the most. */
let toldAtOnce = 0;
let underWay = 0;
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (text) => (body += text));
  request.on("end", () => {
    const token = new URLSearchParams(body).get("logout_token") ?? "";
    heard.push({
      ...{ path: `${request.method} ${request.url}`, token },
      type: String(request.headers["content-type"]),
    });
    underWay += 1;
    toldAtOnce = Math.max(toldAtOnce, underWay);
    const answer = () => {
      underWay -= 1;
      response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
    };
    if (answeredMs === 0) answer();
    else setTimeout(answer, answeredMs);
  });
});
let uri = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  uri = `http://127.0.0.1:${port}/logout?app=1`;
  const fetcher = createFetcher({ allow: allowing(`127.0.0.1/32:${port}`), http: true });
  parties = await startParties({ fetcher, delivers: true });
});
afterAll(async () => {
  await parties.close();
  server.close();
});

/** The events of logouts, from the end of the log that there was. */
async function logouts(after: bigint) {
  const events = await parties.server.events(after);
  return events.filter(({ type }) => type.startsWith("logout."));
}

/** Waits until so many have been told or given up. */
function settled(after: bigint, count: number) {
  return until(async () => {
    const told = (await logouts(after)).filter(({ type }) => type !== "logout.asked");
    return told.length >= count ? told : undefined;
  });
}

/** Looks again until there is something, and not for good. */
async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (let looks = 0; looks < 500 * patience; looks += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("it did not come");
}

const claimsOf = (token: string) => {
  const [head = "", body = ""] = token.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  return { head: read(head), claims: read(body) };
};

async function logOut(browser: ReturnType<Parties["browser"]>, app: App, idToken: string) {
  const end = oidc.buildEndSessionUrl(app.config, { id_token_hint: idToken });
  await browser.open(end.href);
  await browser.send({});
}

const told = () => ({ backChannelLogoutUri: uri });

test("oidcc-backchannel-rp-initiated-logout: who wants to be told is, once", async () => {
  const person = await parties.givenPerson();
  const [first, second, silent] = [
    await parties.givenApp(told()),
    await parties.givenApp(told()),
    await parties.givenApp(),
  ];
  const browser = parties.browser();
  const tokens = await logIn(browser, first, person);
  const sid = tokens.claims()?.sid;
  expect(sid).toEqual(expect.any(String));
  for (const app of [second, silent, second, first]) {
    const begun = await begin(app);
    const back = await browser.open(begun.url.href);
    expect((await fetchTokens(app, begun, back.url)).claims()?.sid).toBe(sid);
  }
  heard = [];
  const head = await parties.server.head();
  await logOut(browser, first, String(tokens.id_token));
  await settled(head, 2);
  const types = (await logouts(head)).map(({ type }) => type);
  expect(types).toEqual(["logout.asked", "logout.sent", "logout.sent"]);
  expect(heard.map(({ path, type }) => [path, type])).toEqual([
    ["POST /logout?app=1", "application/x-www-form-urlencoded"],
    ["POST /logout?app=1", "application/x-www-form-urlencoded"],
  ]);
  const { keys } = (await (await fetch(`${parties.server.url}/oauth/v2/keys`)).json()) as {
    readonly keys: readonly (JsonWebKey & { readonly kid: string })[];
  };
  const audiences = heard.map(({ token }) => {
    const { head, claims } = claimsOf(token);
    expect(head).toEqual({ alg: "RS256", typ: "logout+jwt", kid: keys[0]?.kid });
    expect(claims).toEqual({
      ...{ iss: parties.server.url, sub: person.userId, sid, jti: expect.any(String) },
      ...{ iat: expect.any(Number), exp: claims.iat + 120, aud: expect.any(String) },
      // What tells it from an id token (2.4): this, and that it has no nonce.
      events: { "http://schemas.openid.net/event/backchannel-logout": {} },
    });
    const key = createPublicKey({ key: { ...keys[0] }, format: "jwk" });
    const [signature = "", ...rest] = token.split(".").toReversed();
    const text = Buffer.from(rest.toReversed().join("."));
    expect(verify("sha256", text, key, Buffer.from(signature, "base64url"))).toBe(true);
    return claims.aud;
  });
  expect(audiences.sort()).toEqual([first.clientId, second.clientId].sort());
  expect(new Set(heard.map(({ token }) => claimsOf(token).claims.jti)).size).toBe(2);
  expect(await isLetIn(browser, first)).toBe(false);
  // It opens nothing here.
  const [{ token = "" } = {}] = heard;
  const hinted = oidc.buildEndSessionUrl(silent.config, { id_token_hint: token });
  expect((await fetch(hinted)).status).toBe(400);
});

describe("a person who is", () => {
  few().each([
    ["taken out of use", "POST", "/_deactivate"],
    ["removed", "DELETE", ""],
  ])("%s leaves all sessions, and applications hear of each", async (_name, verb, path) => {
    const [app, person] = [await parties.givenApp(told()), await parties.givenPerson()];
    const browsers = [parties.browser(), parties.browser()];
    const sids = [];
    for (const browser of browsers) sids.push((await logIn(browser, app, person)).claims()?.sid);
    heard = [];
    const head = await parties.server.head();
    const at = `/management/v1/users/${person.userId}${path}`;
    await parties.call(verb, at, verb === "POST" ? {} : undefined);
    await settled(head, 2);
    const claims = heard.map(({ token }) => claimsOf(token).claims);
    expect(claims.map(({ sid }) => sid).sort()).toEqual(sids.sort());
    expect(claims.map(({ sub }) => sub)).toEqual([person.userId, person.userId]);
    if (verb === "DELETE") return;
    // Who is brought back begins anew.
    await parties.call("POST", `/management/v1/users/${person.userId}/_reactivate`, {});
    const silent = await begin(app, { prompt: "none" });
    const back = await browsers[0]?.open(silent.url.href);
    expect(back?.url).toContain("error=login_required");
  });
});

inFull("who replaces a forgotten password leaves all sessions as well", async () => {
  const [app, person] = [await parties.givenApp(told()), await parties.givenPerson()];
  const sid = (await logIn(parties.browser(), app, person)).claims()?.sid;
  const browser = parties.browser();
  await browser.open(await linkFor(parties, app, person));
  heard = [];
  const head = await parties.server.head();
  await browser.send({ password: "a better horse battery" });
  await settled(head, 1);
  const [one] = heard.map(({ token }) => claimsOf(token).claims);
  expect([one.sid, one.sub]).toEqual([sid, person.userId]);
});

test("who cannot be told is told later, as often as there is time for", async () => {
  const [app, person] = [await parties.givenApp(told()), await parties.givenPerson()];
  const browser = parties.browser();
  const { id_token } = await logIn(browser, app, person);
  heard = [];
  const head = await parties.server.head();
  try {
    // Nothing is sent on where a redirect leads.
    status = 302;
    await logOut(browser, app, String(id_token));
    await until(async () => heard[0]);
    status = 204;
    await settled(head, 1);
  } finally {
    status = 200;
  }
  expect((await logouts(head)).map(({ type }) => type)).toEqual(["logout.asked", "logout.sent"]);
  expect(heard.map(({ path }) => path)).toEqual(["POST /logout?app=1", "POST /logout?app=1"]);
  // It is the same message: one who heard it knows it again.
  const ids = heard.map(({ token }) => claimsOf(token).claims.jti);
  expect(new Set(ids).size).toBe(1);
});

// The answers take longer than those of applications that keep nobody waiting.
inFull("calls that keep others waiting: slow applications have one at a time", async () => {
  const person = await parties.givenPerson();
  const apps = [await parties.givenApp(told()), await parties.givenApp(told())];
  const logOutOfAll = async () => {
    const browser = parties.browser();
    const { id_token } = await logIn(browser, apps[0]!, person);
    const begun = await begin(apps[1]!);
    await browser.open(begun.url.href);
    const head = await parties.server.head();
    toldAtOnce = 0;
    await logOut(browser, apps[0]!, String(id_token));
    const types = (await settled(head, 2)).map(({ type }) => type);
    expect(types).toEqual(["logout.sent", "logout.sent"]);
    return toldAtOnce;
  };
  try {
    answeredMs = slowLimits.answeredMs + 200;
    expect(await logOutOfAll()).toBe(2);
    expect(await logOutOfAll()).toBe(1);
  } finally {
    answeredMs = 0;
  }
});

describe("GHSA-29jh-8cfq-rr8x: nothing inside the network is told", () => {
  few().each([
    ["an address that nobody allowed", () => "http://127.0.0.2:8080/logout"],
    ["http, where nobody allowed it", () => "http://app.example.com/logout", { http: false }],
  ])("by %s", async (_name, at, more: { readonly http?: boolean } = {}) => {
    const guarded = createFetcher({ allow: [], http: true, ...more });
    const strict = await startParties({ fetcher: guarded, delivers: true });
    try {
      const app = await strict.givenApp({ backChannelLogoutUri: at() });
      const person = await strict.givenPerson();
      const browser = strict.browser();
      const { id_token } = await logIn(browser, app, person);
      await logOut(browser, app, String(id_token));
      const failed = await until(async () =>
        (await strict.server.events()).find(({ type }) => type === "logout.failed"),
      );
      expect(failed.payload).toMatch(/no allowed address|must have the scheme https/);
      expect(failed.payload).not.toContain("127.0.0");
    } finally {
      await strict.close();
    }
  });
});

test("an application that wants to be told no more is not", async () => {
  const [app, person] = [await parties.givenApp(told()), await parties.givenPerson()];
  const browser = parties.browser();
  const { id_token } = await logIn(browser, app, person);
  const path = `/management/v1/projects/${parties.server.project}/apps/${app.appId}`;
  await parties.call("POST", `${path}/_deactivate`, {});
  heard = [];
  const head = await parties.server.head();
  await parties.call("POST", `/management/v1/users/${person.userId}/_deactivate`, {});
  const [failed] = await settled(head, 1);
  expect([failed?.type, heard, String(id_token)]).toEqual(["logout.failed", [], expect.anything()]);
});
