import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { dayLimits } from "../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { grantLimits } from "../../src/provider/library/adapter.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { isFull } from "../harness/extent.ts";
import { singly } from "../store/singly.ts";
import { isLetIn, statusOfUserinfo } from "./asking.ts";
import type { Browser } from "./browser.ts";
import {
  type App,
  begin,
  fetchTokens,
  logIn,
  type Parties,
  type Person,
  startParties,
} from "./relying.ts";

const row = "a log that one person fills";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

/** Records an event of a person so often. */
async function happenOften({ userId }: Person, event: UserEvent, times: number): Promise<void> {
  const outcome = await parties.server.execute({
    actor: "test",
    writes: { user: { noun: user, id: userId } },
    decide: () => ({ events: { user: Array.from({ length: times }, () => event) } }),
  });
  expect(outcome.kind).toBe("done");
}

/** Gets tokens without a word, by the session of the browser; answers where the code was. */
async function getTokens(browser: Browser, scope = "openid") {
  const begun = await begin(app, { prompt: "none", scope });
  const { url } = await browser.open(begun.url.href);
  return { begun, url, tokens: await fetchTokens(app, begun, url) };
}

const ways = {
  "user.human.token.revoked": async (browser: Browser) => {
    const { tokens } = await getTokens(browser);
    await oidc.tokenRevocation(app.config, tokens.access_token);
    return tokens;
  },
  "user.human.token.reused": async (browser: Browser) => {
    const { tokens, begun, url } = await getTokens(browser);
    const again = fetchTokens(app, begun, url);
    await expect(again).rejects.toMatchObject({ error: "invalid_grant" });
    return tokens;
  },
} as const;

describe(`${row}:`, () => {
  test.each(Object.keys(ways) as (keyof typeof ways)[])(
    "%s is recorded so often in a day, and the tokens end all the same",
    async (type) => {
      const person = await parties.givenPerson();
      const browser = parties.browser();
      await logIn(browser, app, person);
      const count = async () =>
        (await parties.typesOf(person)).filter((one) => one === type).length;
      const { tokensOfDay } = dayLimits;
      const event = { type, payload: { clientId: "app", kind: "code" } } as UserEvent;
      if (!isFull) await happenOften(person, event, tokensOfDay - 2);
      for (let i = await count(); i < tokensOfDay + (isFull ? 200 : 2); i += 1) {
        const { access_token } = await ways[type](browser);
        expect(await statusOfUserinfo(parties, access_token)).toBe(401);
        expect(await count()).toBe(Math.min(i + 1, tokensOfDay));
      }
      parties.clock.nowMs += 86_400_000;
      await ways[type](browser);
      expect(await count()).toBe(tokensOfDay + 1);
    },
  );

  test("a person logs in so often in a day, and other people do", async () => {
    const [person, other] = [await parties.givenPerson(), await parties.givenPerson()];
    const payload = {
      sessionId: "s",
      clientId: "app",
      factors: ["password"],
      browser: "b",
    } as const;
    const event: UserEvent = { type: "user.human.session.begun", payload };
    const { loginsOfDay } = dayLimits;
    const halves = [Math.floor(loginsOfDay / 2), Math.ceil(loginsOfDay / 2) - 1];
    for (const times of halves) await happenOften(person, event, times);
    const last = parties.browser();
    await logIn(last, app, person);
    const browser = parties.browser();
    await browser.open((await begin(app)).url.href);
    const { url } = await browser.send({ userName: person.userName, password: person.password });
    expect(new URL(url).searchParams.get("error")).toBe("access_denied");
    // Who is logged in stays so.
    expect(await isLetIn(last, app)).toBe(true);
    await logIn(parties.browser(), app, other);
    parties.clock.nowMs += 86_400_000;
    await logIn(parties.browser(), app, person);
  });

  test("so many tokens come from one grant: those that would end first go", async () => {
    const artifacts = singly(parties.server.store.artifacts);
    const browser = parties.browser();
    const { access_token: first } = await logIn(browser, app, await parties.givenPerson());
    const { nowMs } = parties.clock;
    const kept = await artifacts.find(`AccessToken:${hashSecret(first)}`, nowMs);
    const { family = "" } = kept ?? {};
    expect(family).not.toBe("");
    const others = Array.from({ length: grantLimits.ofGrant - 2 }, (_, i) => ({
      ...{ key: `AccessToken:${i}`, family, payload: "{}", expiresMs: nowMs + 86_400_000 },
    }));
    await Promise.all(others.map((other) => artifacts.put(other)));
    const second = (await getTokens(browser)).tokens.access_token;
    const tokens = [first, second];
    const statuses = () => Promise.all(tokens.map((one) => statusOfUserinfo(parties, one)));
    expect(await statuses()).toEqual([200, 200]);
    tokens.push((await getTokens(browser)).tokens.access_token);
    expect(await statuses()).toEqual([401, 200, 200]);
  });
});
