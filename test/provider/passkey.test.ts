import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { countBegun, isTooManyOf } from "../../src/provider/base/tries.ts";
import { assertPasskey, ellipticPair, present } from "../cases/webauthn.ts";
import { few, inFull } from "../harness/in-full.ts";
import { cookiesOf } from "./asking.ts";
import { errorIn, heading } from "./browser.ts";
import { givenHolder, type Holder, optionsIn, showPasskey } from "./passkeys.ts";
import { type App, begin, fetchTokens, type Parties, startParties } from "./relying.ts";
import { unitOf } from "./unit.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

/** A browser that is asked for a passkey, with a name or without. */
async function asked(userName = "") {
  const [browser, begun] = [parties.browser(), await begin(app)];
  await browser.open(begun.url.href);
  const page = await browser.send({ userName }, "passkey");
  return { browser, begun, page };
}

/** What has happened since the person created the passkey and was told of it. */
const typesAfter = async (holder: Holder) => {
  const types = await parties.typesOf(holder);
  return types.slice(types.indexOf("user.human.notice.added") + 1);
};

test("a passkey logs a person in without a name, and is all that is asked for", async () => {
  const given = { otpCode: "JBSWY3DPEHPK3PXPJBSWY3DP", passwordChangeRequired: true };
  const holder = await givenHolder(parties, given);
  const { browser, begun, page } = await asked();
  expect([heading(page), optionsIn(page)]).toEqual([
    "Log in with a passkey",
    {
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      ...{ rpId: "127.0.0.1", timeout: loginLimits.passkeyMs, userVerification: "required" },
      allowCredentials: [],
    },
  ]);
  const back = await showPasskey(browser, holder.passkey);
  const tokens = await fetchTokens(app, begun, back.url);
  expect(tokens.claims()).toMatchObject({ sub: holder.userId, amr: ["pop", "user", "mfa"] });
  const [event] = (await parties.server.store.readStream(`user-${holder.userId}`, 0, 1_000)).slice(
    -1,
  );
  expect([event?.type, JSON.parse(event?.payload ?? "")]).toMatchObject([
    "user.human.session.begun",
    { factors: ["passkey"], passkey: { credentialId: holder.passkey.credentialId, counter: 0 } },
  ]);
});

inFull("a passkey shown elsewhere: one that a device does not keep needs the name", async () => {
  const holder = await givenHolder(parties);
  const [mine, others] = [holder.passkey, await givenHolder(parties)];
  for (const name of [holder.userName, holder.email]) {
    const { browser, begun, page } = await asked(name);
    expect(optionsIn(page)).toMatchObject({
      allowCredentials: expect.arrayContaining([{ type: "public-key", id: mine.credentialId }]),
    });
    const back = await showPasskey(browser, mine, { userHandle: "" });
    expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(holder.userId);
  }
  const { browser } = await asked(holder.userName);
  expect((await showPasskey(browser, others.passkey)).status).toBe(400);
  const nameless = await asked();
  expect((await showPasskey(nameless.browser, mine, { userHandle: "" })).status).toBe(400);
});

inFull("GHSA-pvm5-9frx-264r: names of nobody are asked for a passkey as others are", async () => {
  const [holder, person] = [await givenHolder(parties), await parties.givenPerson()];
  const gone = await givenHolder(parties);
  await parties.call("POST", `/management/v1/users/${gone.userId}/_deactivate`, {});
  const shapes = new Set<string>();
  for (const name of [holder.userName, "nobody", person.userName, gone.userName]) {
    const [page, again] = [(await asked(name)).page, (await asked(` ${name.toUpperCase()}`)).page];
    const { challenge, allowCredentials, ...rest } = optionsIn(page);
    expect(optionsIn(again)).toMatchObject({ allowCredentials });
    expect(optionsIn(again)).not.toMatchObject({ challenge });
    const told = allowCredentials as readonly { readonly id?: string }[];
    const all = told.map((one) => ({ ...one, id: String(one.id) }));
    expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).sort());
    const bytes = all.map(({ id }) => Buffer.from(id, "base64url").length);
    expect([16, 20, 32, 48, 64]).toEqual(expect.arrayContaining([...new Set(bytes)]));
    const shown = all
      .reduce((text, { id }) => text.replaceAll(id, "…"), page.text)
      .replaceAll(name, "…")
      .replaceAll(String(challenge), "…")
      .replaceAll(/login\/[\w-]+/g, "…");
    const shape = all.map((one) => ({ ...one, id: "…" }));
    expect(shape).toHaveLength(3);
    shapes.add(JSON.stringify([page.status, rest, shape, shown]));
  }
  expect(shapes.size).toBe(1);
  const address = await asked(person.email);
  const other = await asked("nobody else");
  const id = (options: object) => JSON.stringify(options).match(/"id":"([^"]*)"/)?.[1];
  expect(id(optionsIn(other.page))).not.toBe(id(optionsIn((await asked("nobody")).page)));
  const named = await asked(person.userName);
  expect(id(optionsIn(address.page))).not.toBe(id(optionsIn(named.page)));
});

few(2).each([
  ["of another site", { origin: "https://evil.example.com" }],
  ["for another service", { rpId: "evil.example.com" }],
  ["of a device that did not look who was there", { flags: present }],
  ["that creates a passkey", { type: "webauthn.create" }],
  ["to a challenge that was not made", { challenge: "A".repeat(43) }],
  ["signed with another key", { privateKey: ellipticPair().privateKey }],
  ["of a passkey that is not there", { credentialId: "A".repeat(43) }],
  ["of another person", { userHandle: "bm9ib2R5" }],
])("a passkey shown elsewhere: an answer %s lets nobody in", async (_, device) => {
  const holder = await givenHolder(parties);
  const { browser } = await asked();
  const page = await showPasskey(browser, holder.passkey, device);
  expect([page.status, errorIn(page)]).toEqual([400, expect.stringContaining("wasn’t accepted")]);
  expect(await typesAfter(holder)).toEqual([]);
  // The page asks once more, unless nothing had been asked for.
  if ("challenge" in device) await browser.send({}, "passkey");
  expect((await showPasskey(browser, holder.passkey)).url).toContain("code=");
});

test("a passkey shown elsewhere: a challenge is valid once, in one login", async () => {
  const holder = await givenHolder(parties);
  const [one, two] = [await asked(), await asked()];
  const { challenge } = optionsIn(two.page) as { readonly challenge: string };
  expect((await showPasskey(one.browser, holder.passkey, { challenge })).status).toBe(400);
  await one.browser.send({}, "passkey");
  expect((await showPasskey(one.browser, holder.passkey, { challenge })).status).toBe(400);
  await one.browser.send({}, "passkey");
  const used = optionsIn(one.browser.page) as { readonly challenge: string };
  const unready = { ...used, flags: present };
  expect((await showPasskey(one.browser, holder.passkey, unready)).status).toBe(400);
  expect((await showPasskey(one.browser, holder.passkey, used)).status).toBe(400);
  parties.clock.nowMs += loginLimits.passkeyMs;
  expect((await showPasskey(two.browser, holder.passkey)).status).toBe(400);
  await two.browser.send({}, "passkey");
  parties.clock.nowMs += loginLimits.passkeyMs - 1_000;
  expect((await showPasskey(two.browser, holder.passkey)).url).toContain("code=");
});

inFull("a passkey shown elsewhere: of many who send one answer at once, one gets in", async () => {
  const holder = await givenHolder(parties);
  const { browser, page } = await asked();
  const shown = assertPasskey(optionsIn(page), holder.passkey);
  const body = new URLSearchParams({ step: "assertion", ...shown });
  const init = { method: "POST", body, headers: cookiesOf(browser) };
  const sent = Array.from({ length: 8 }, () => fetch(page.url, { ...init, redirect: "manual" }));
  const statuses = (await Promise.all(sent)).map(({ status }) => status);
  expect(statuses.toSorted()).toEqual([303, ...Array.from({ length: 7 }, () => 400)]);
});

test("a passkey shown elsewhere: a counter that stays is refused and recorded", async () => {
  const holder = await givenHolder(parties);
  const attempt = async (counter: number) => {
    const { browser } = await asked();
    return (await showPasskey(browser, holder.passkey, { counter })).url.includes("code=");
  };
  expect([await attempt(7), await attempt(8), await attempt(8)]).toEqual([true, true, false]);
  expect([await attempt(0), await attempt(9)]).toEqual([false, true]);
  const [begun, refused] = ["user.human.session.begun", "user.human.passwordless.token.refused"];
  expect(await typesAfter(holder)).toEqual([begun, begun, refused, refused, begun]);
});

test("a passkey shown elsewhere: the first page asks for one, and keeps nothing", async () => {
  const [holder, other] = [await givenHolder(parties), await givenHolder(parties)];
  const [browser, begun] = [parties.browser(), await begin(app)];
  await browser.open(begun.url.href);
  const first = optionsIn(browser.page) as { readonly challenge: string };
  expect(first).toMatchObject({ allowCredentials: [], userVerification: "required" });
  // To open the page once more counts nothing, and asks the same.
  await browser.open(browser.page.url);
  expect(optionsIn(browser.page)).toEqual(first);
  const elsewhere = parties.browser();
  await elsewhere.open((await begin(app)).url.href);
  expect(optionsIn(elsewhere.page)).not.toMatchObject({ challenge: first.challenge });
  expect((await showPasskey(elsewhere, holder.passkey, first)).status).toBe(400);
  // An answer uses the challenge up, be it right or wrong.
  const isWrong = { userHandle: other.passkey.userHandle ?? "" };
  expect((await showPasskey(browser, holder.passkey, isWrong)).status).toBe(400);
  const next = optionsIn(await browser.send({}, "other")) as { readonly challenge: string };
  expect(next.challenge).not.toBe(first.challenge);
  expect(errorIn(await showPasskey(browser, holder.passkey, first))).toContain("wasn’t accepted");
  const back = await showPasskey(browser, holder.passkey, next);
  expect((await fetchTokens(app, begun, back.url)).claims()?.sub).toBe(holder.userId);
});

inFull("a lock stops no passkey", async () => {
  const holder = await givenHolder(parties);
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  for (let i = 0; i <= loginLimits.failures; i += 1) {
    await stranger.send({ userName: holder.userName, password: "wrong" }, "password");
  }
  expect(await typesAfter(holder)).toContain("user.human.locked");
  const { browser } = await asked();
  expect((await showPasskey(browser, holder.passkey)).url).toContain("code=");
});

test("who may not log in with a password may not with a passkey", async () => {
  const [unready, inactive, removed, outside] = [
    await givenHolder(parties, { email: { email: "grace@example.com" } }),
    await givenHolder(parties),
    await givenHolder(parties),
    await givenHolder(parties),
  ];
  const users = "/management/v1/users";
  await parties.call("POST", `${users}/${inactive.userId}/_deactivate`, {});
  await parties.call("DELETE", `${users}/${removed.userId}`);
  const seen = [];
  for (const { passkey } of [unready, inactive, removed]) {
    const { browser } = await asked();
    const page = await showPasskey(browser, passkey);
    seen.push([page.status, heading(page)]);
  }
  expect(seen).toEqual([
    [403, "Your account isn’t set up yet"],
    [400, "Log in with a passkey"],
    [400, "Log in with a passkey"],
  ]);
  const { id } = await parties.call("POST", "/management/v1/projects", {
    ...{ name: "With roles for passkeys", projectRoleCheck: true },
  });
  const closed = await parties.givenApp({}, String(id));
  const browser = parties.browser();
  await browser.open((await begin(closed)).url.href);
  await browser.send({}, "passkey");
  const back = await showPasskey(browser, outside.passkey);
  expect(back.url).toContain("error=access_denied");
  expect(await typesAfter(outside)).toEqual([]);
});

test("a passkey that a grant has voided logs nobody in any more", async () => {
  const users = "/management/v1/users";
  const { userId } = await parties.call("POST", `${users}/machine`, { userName: v7(), name: "M" });
  const member = { userId, roles: ["ORG_OWNER"] };
  await parties.call("POST", "/management/v1/orgs/me/members", member);
  const { token } = await parties.call("POST", `${users}/${userId}/pats`, {});
  const holder = await givenHolder(parties, {}, String(token));
  const attempt = async () => {
    const { browser } = await asked();
    return (await showPasskey(browser, holder.passkey)).url.includes("code=");
  };
  expect(await attempt()).toBe(true);
  const owner = { userId: holder.userId, roles: ["IAM_OWNER"] };
  await parties.call("POST", "/admin/v1/members", owner);
  expect(await attempt()).toBe(false);
});

test("passkeys are asked for and tried so often from one address", async () => {
  const behind = await startParties({ peers: createPeers([["127.0.0.1", 32]]) });
  try {
    const site = unitOf(behind.server.store, () => behind.clock.nowMs);
    const [passkeyApp, from] = [await behind.givenApp(), "203.0.113.7"];
    const browser = behind.browser({ "x-forwarded-for": from });
    await browser.open((await begin(passkeyApp)).url.href);
    for (let i = 0; i < loginLimits.triesOfAddress; i += 1) await isTooManyOf(site, from);
    await browser.send({}, "passkey");
    const { privateKey } = ellipticPair();
    const unknown = { origin: behind.server.url, credentialId: "A".repeat(43), privateKey };
    const shown = await showPasskey(browser, { ...unknown, userHandle: "" });
    expect([shown.status, errorIn(shown)]).toEqual([429, expect.stringContaining("too many")]);
    expect((await browser.send({}, "passkey")).status).toBe(200);
    await browser.send({}, "other");
    for (let i = 0; i < loginLimits.begunOfAddress; i += 1) await countBegun(site, from);
    expect((await browser.send({}, "passkey")).status).toBe(429);
  } finally {
    await behind.close();
  }
});
