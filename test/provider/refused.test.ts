import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { createPeers } from "../../src/port/peer.ts";
import { findUser } from "../../src/provider/base/rows.ts";
import { countTry } from "../../src/provider/base/tries.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { createObjects } from "../../src/store/objects.ts";
import { few, inFull } from "../harness/in-full.ts";
import { singly } from "../store/singly.ts";
import { cookiesOf, isLetIn } from "./asking.ts";
import { errorIn, heading } from "./browser.ts";
import { happen } from "./mails.ts";
import { begin, logIn, type Parties, type Person, startParties } from "./relying.ts";
import { unitOf } from "./unit.ts";

let parties: Parties;

beforeAll(async () => {
  parties = await startParties();
});
afterAll(() => parties.close());

test("GHSA-pvm5-9frx-264r: nothing tells a wrong password from a wrong name", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const pages = [];
  for (const userName of [person.userName, "nobody", "nobody@example.com", person.email]) {
    const page = await browser.send({ userName, password: "wrong" });
    pages.push([page.status, page.text.replaceAll(userName, "…")]);
  }
  expect(new Set(pages.map((page) => JSON.stringify(page))).size).toBe(1);
  expect(await parties.typesOf(person)).toEqual([
    "user.human.login.failed",
    "user.human.login.failed",
  ]);
});

const users = "/management/v1/users";
const meanwhile: { readonly [what: string]: (person: Person) => Promise<unknown> } = {
  "out of use": ({ userId }) => parties.call("POST", `${users}/${userId}/_deactivate`, {}),
  removed: ({ userId }) => parties.call("DELETE", `${users}/${userId}`),
  "given another password": (person) =>
    happen(parties, person, { type: "user.human.password.reset", payload: { passwordHash: "" } }),
};

few().each(Object.keys(meanwhile))(
  "who is %s just after the password lets nobody in",
  async (what) => {
    const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    const shown = new URLSearchParams({ step: "password", ...person });
    const [method, headers] = ["POST", cookiesOf(browser)];
    const sent = await fetch(browser.page.url, {
      method,
      headers,
      body: shown,
      redirect: "manual",
    });
    await meanwhile[what]?.(person);
    const page = await browser.open(String(sent.headers.get("location")));
    expect([page.status, heading(page)]).toEqual([400, "This login has expired"]);
    expect(await isLetIn(browser, app)).toBe(false);
    expect(parties.server.logged().join("")).not.toContain('"level":50');
  },
);

test("a lock keeps strangers out and not the person, and ends by time", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const own = parties.browser();
  await logIn(own, app, person);
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  const attempt = (password: string) => stranger.send({ userName: person.userName, password });
  for (let i = 0; i < loginLimits.failures; i += 1) await attempt("wrong");
  const locked = await parties.typesOf(person);
  expect(locked.slice(1)).toEqual([
    ...Array.from({ length: loginLimits.failures }, () => "user.human.login.failed"),
    "user.human.locked",
  ]);
  expect(errorIn(await attempt(person.password))).toContain("Wrong user name");
  expect(await parties.typesOf(person)).toEqual(locked);

  await own.open((await begin(app, { prompt: "login" })).url.href);
  const back = await own.send({ userName: person.userName, password: person.password });
  expect(back.url).toContain("code=");
  // That the person got in lets no stranger guess on.
  expect(errorIn(await attempt(person.password))).toContain("Wrong user name");
  parties.clock.nowMs += loginLimits.lockedMs;
  expect((await attempt(person.password)).url).toContain("code=");
});

inFull("a lock that nobody lifts ends by time", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  const attempt = (password: string) => stranger.send({ userName: person.userName, password });
  for (let i = 0; i <= loginLimits.failures; i += 1) await attempt("wrong");
  parties.clock.nowMs += loginLimits.lockedMs - 60_000;
  expect(errorIn(await attempt(person.password))).toContain("Wrong user name");
  parties.clock.nowMs += 60_001;
  expect((await attempt(person.password)).url).toContain("code=");
});

test("a lock that an administrator lifts is over at once", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const stranger = parties.browser();
  await stranger.open((await begin(app)).url.href);
  const attempt = (password: string) => stranger.send({ userName: person.userName, password });
  for (let i = 0; i <= loginLimits.failures; i += 1) await attempt("wrong");
  expect(errorIn(await attempt(person.password))).toContain("Wrong user name");
  await parties.call("POST", `/management/v1/users/${person.userId}/_unlock`, {});
  expect((await parties.typesOf(person)).at(-1)).toBe("user.human.unlocked");
  expect((await attempt(person.password)).url).toContain("code=");
});

inFull("passwords guessed at once are no more than one after the other", async () => {
  const { server, clock } = parties;
  const parts = unitOf(server.store, () => clock.nowMs);
  const { userId, userName: name } = await parties.givenPerson();
  const found = await findUser({ objects: createObjects(server.store) }, userId);
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
      unitOf(server.store, () => clock.nowMs),
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
      await singly(store.artifacts).count(key, nowMs + loginLimits.lockedMs, nowMs);
    }
    const { status } = await browser.send({ userName: "nobody", password: "wrong" });
    expect(status).toBe(429);
  } finally {
    await behind.close();
  }
});

test("an account that nobody has taken over is told so, to one who has its password", async () => {
  const [app, person] = [
    await parties.givenApp(),
    await parties.givenPerson({ email: { email: "eve@example.com" } }),
  ];
  const browser = parties.browser();
  await browser.open((await begin(app)).url.href);
  const wrong = await browser.send({ userName: person.userName, password: "wrong" });
  expect(heading(wrong)).toBe("Log in");
  const right = await browser.send({ userName: person.userName, password: person.password });
  expect([right.status, heading(right)]).toEqual([403, "Your account isn’t set up yet"]);
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
  expect(await parties.typesOf(person)).toEqual([]);
});
