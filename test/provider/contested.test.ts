import { afterAll, beforeAll, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import type { Store } from "../../src/store/store.ts";
import { isLetIn } from "./asking.ts";
import { heading } from "./browser.ts";
import { allowed } from "./consenting.ts";
import { logIn, type Parties, startParties } from "./relying.ts";

// Others win whenever a person is to be written: then nothing has ended, and nobody is told so.

let isContested = false;
let parties: Parties;

const wrap = (log: Store): Store => ({
  ...log,
  append: async (append) => {
    const stream = append.changes.find((one) => one.stream.startsWith("user-"))?.stream;
    if (!isContested || stream === undefined) return await log.append(append);
    return { kind: "version-conflict", stream };
  },
});

beforeAll(async () => {
  parties = await startParties({ wrap });
});
afterAll(() => parties.close());

/** Does the same twice: while others win, and when they do no more. */
async function twice<T>(act: () => Promise<T>): Promise<readonly [T, T]> {
  isContested = true;
  try {
    const contested = await act();
    isContested = false;
    return [contested, await act()];
  } finally {
    isContested = false;
  }
}

test("a logout on the page of sessions", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  await logIn(browser, app, person);
  const [contested, done] = await twice(async () => {
    await browser.open("/account/sessions");
    const { status } = await browser.send({}, "here");
    return { status, heading: heading(browser.page), isLetIn: await isLetIn(browser, app) };
  });
  expect(contested).toEqual({ status: 409, heading: expect.any(String), isLetIn: true });
  expect(done).toEqual({ status: 200, heading: "You’re logged out", isLetIn: false });
  expect(contested.heading).not.toBe(done.heading);
});

test("a consent that is withdrawn there", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  await allowed(browser, app, person);
  const [contested, done] = await twice(async () => {
    await browser.open("/account/sessions");
    const { status } = await browser.send({}, "withdraw");
    await browser.open("/account/sessions");
    return { status, isThere: browser.page.text.includes("Stop allowing it") };
  });
  expect(contested).toEqual({ status: 409, isThere: true });
  expect(done).toEqual({ status: 200, isThere: false });
});

test("a logout that an application asks for", async () => {
  const [app, person] = [await parties.givenApp(), await parties.givenPerson()];
  const browser = parties.browser();
  const { id_token } = await logIn(browser, app, person);
  const [contested, done] = await twice(async () => {
    await browser.open(oidc.buildEndSessionUrl(app.config, { id_token_hint: id_token ?? "" }).href);
    const { status } = await browser.send({});
    return { status, isLoggedIn: !(await parties.typesOf(person)).some((one) => one === ended) };
  });
  expect(contested).toEqual({ status: 500, isLoggedIn: true });
  expect(done).toEqual({ status: 200, isLoggedIn: false });
});

test("an application that is to be told lets nobody in whom it would not hear of", async () => {
  const backChannelLogoutUri = "http://127.0.0.1:8080/logout";
  const [app, told] = [await parties.givenApp(), await parties.givenApp({ backChannelLogoutUri })];
  const browser = parties.browser();
  await logIn(browser, app, await parties.givenPerson());
  expect(await twice(() => isLetIn(browser, told))).toEqual([false, true]);
});

const ended = "user.human.session.ended";
