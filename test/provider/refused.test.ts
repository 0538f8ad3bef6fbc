import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/login-state.ts";
import { createPeers } from "../../src/port/peer.ts";
import { findUser } from "../../src/provider/rows.ts";
import { countTry } from "../../src/provider/tries.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { begin, logIn, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

const heading = ({ text }: { readonly text: string }) => /<h1>([^<]*)<\/h1>/.exec(text)?.[1];
const errorIn = ({ text }: { readonly text: string }) => /role="alert">([^<]*)</.exec(text)?.[1];

async function typesOf({ userId }: Person): Promise<readonly string[]> {
  const events = await parties.server.store.readStream(`user-${userId}`, 0, 1_000);
  return events.map(({ type }) => type).filter((type) => /login|lock|session/.test(type));
}

test("wrong passwords and unknown names are told apart by nothing", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const pages = [];
  for (const userName of [person.userName, "nobody", "nobody@example.com", person.email]) {
    const page = await browser.send({ userName, password: "wrong" });
    pages.push([page.status, page.text.replaceAll(userName, "…")]);
  }
  expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1);
  expect(await typesOf(person)).toEqual(["user.human.login.failed", "user.human.login.failed"]);
});

test("a lock keeps strangers out and not the person, and ends by time", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const own = parties.browser();
  await logIn(own, app, person);
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  const attempt = (password: string) => stranger.send({ userName: person.userName, password });
  for (let i = 0; i < loginLimits.failures; i += 1) await attempt("wrong");
  const locked = await typesOf(person);
  expect(locked.slice(1)).toEqual([
    ...Array.from({ length: loginLimits.failures }, () => "user.human.login.failed"),
    "user.human.locked",
  ]);
  expect(errorIn(await attempt(person.password))).toContain("wrong");
  expect(await typesOf(person)).toEqual(locked);

  await own.open((await begin(app, { prompt: "login" })).url.href);
  const back = await own.send({ userName: person.userName, password: person.password });
  expect(back.url).toContain("code=");
  // The person is in again, so failures count anew: for strangers too.
  expect((await attempt(person.password)).url).toContain("code=");
});

test("a lock that nobody lifts ends by time", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  const attempt = (password: string) => stranger.send({ userName: person.userName, password });
  for (let i = 0; i <= loginLimits.failures; i += 1) await attempt("wrong");
  parties.clock.nowMs += loginLimits.lockedMs - 60_000;
  expect(errorIn(await attempt(person.password))).toContain("wrong");
  parties.clock.nowMs += 60_001;
  expect((await attempt(person.password)).url).toContain("code=");
});

test("a lock that an administrator lifts is over at once", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  const attempt = (password: string) => stranger.send({ userName: person.userName, password });
  for (let i = 0; i <= loginLimits.failures; i += 1) await attempt("wrong");
  expect(errorIn(await attempt(person.password))).toContain("wrong");
  await parties.call("POST", `/management/v1/users/${person.userId}/_unlock`, {});
  expect((await typesOf(person)).at(-1)).toBe("user.human.unlocked");
  expect((await attempt(person.password)).url).toContain("code=");
});

test("passwords guessed at once are no more than one after the other", async () => {
  const { server, clock } = parties;
  const parts = { store: server.store, now: () => clock.nowMs };
  const { userId, userName: name } = await parties.givenPerson();
  const found = await findUser(parts, userId);
  // Names that nobody has are counted alike.
  for (const one of [found, undefined]) {
    const tries = Array.from({ length: 30 }, () =>
      countTry(parts, { name, found: one, address: undefined }),
    );
    const counted = (await Promise.all(tries)).filter((told) => told === "counts");
    expect(counted).toHaveLength(loginLimits.failures);
  }
});

test("an address may try so often, whatever names it tries", async () => {
  const { server, clock } = parties;
  const count = (i: number, address: string | undefined) =>
    countTry(
      { store: server.store, now: () => clock.nowMs },
      { name: `nobody ${i}`, found: undefined, address },
    );
  const one = "203.0.113.7";
  for (let i = 1; i < loginLimits.triesOfAddress; i += 1) await count(i, one);
  expect(await count(0, one)).toBe("counts");
  expect(await count(1, one)).toBe("too many of the address");
  expect(await count(2, "203.0.113.8")).toBe("counts");
  expect(await count(3, undefined)).toBe("counts");
  clock.nowMs += loginLimits.lockedMs;
  expect(await count(4, one)).toBe("counts");
});

test("who comes by a proxy counts for the address that it names", async () => {
  const behind = await startParties({ peers: createPeers([["127.0.0.1", 32]]) });
  try {
    const app = await behind.givenApp();
    const from = "203.0.113.7";
    const browser = behind.browser({ "x-forwarded-for": from });
    await browser.open((await begin(app)).url.href);
    const { store } = behind.server;
    const key = `tries:${hashSecret(`address ${from}`)}`;
    const nowMs = behind.clock.nowMs;
    for (let i = 0; i < loginLimits.triesOfAddress; i += 1) {
      await store.artifacts.count(key, nowMs + loginLimits.lockedMs, nowMs);
    }
    const { status } = await browser.send({ userName: "nobody", password: "wrong" });
    expect(status).toBe(429);
  } finally {
    await behind.close();
  }
});

test("an account that nobody has taken over is told so, to whoever has its password", async () => {
  const [app, person] = [
    await parties.givenApp(),
    await parties.givenPerson({ email: { email: "eve@example.com" } }),
  ];
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const wrong = await browser.send({ userName: person.userName, password: "wrong" });
  expect(heading(wrong)).toBe("Log in");
  const right = await browser.send({ userName: person.userName, password: person.password });
  expect([right.status, heading(right)]).toEqual([403, "Your account is not set up yet"]);
});

test("a form of another site, of a second login or of none gets nobody in", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  const { url } = await browser.open((await begin(app)).url.href);
  const body = new URLSearchParams({
    ...{ step: "password", userName: person.userName, password: person.password },
  });
  const cookie = [...browser.cookies.values()]
    .map(({ name, value }) => `${name}=${value}`)
    .join("; ");
  const send = (headers: { readonly [name: string]: string }, to = url) =>
    fetch(to, { method: "POST", body, redirect: "manual", headers });
  expect((await send({ cookie, "sec-fetch-site": "cross-site" })).status).toBe(400);
  expect((await send({ cookie, "sec-fetch-site": "same-site" })).status).toBe(400);
  expect((await send({})).status).toBe(400);
  const second = await parties.browser().open((await begin(app)).url.href);
  expect((await send({ cookie }, second.url)).status).toBe(400);
  expect(await typesOf(person)).toEqual([]);
  expect((await send({ cookie, "sec-fetch-site": "same-origin" })).status).toBe(303);
});

test("who may log in to a project is for the project to say", async () => {
  const person = await parties.givenPerson();
  const { id } = await parties.call("POST", "/management/v1/projects", {
    name: "With roles",
    projectRoleCheck: true,
  });
  const app = await parties.givenApp({}, String(id));
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const back = await browser.send({ userName: person.userName, password: person.password });
  expect(back.url).toContain("error=access_denied");
  expect(await typesOf(person)).toEqual([]);
});
