import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as oidc from "openid-client";
import { v7 } from "uuid";
import { codeFieldOf } from "../../src/domain/user/credential/code.ts";
import { dayLimits } from "../../src/domain/user/state/day.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { codeFailuresMax, codeLifetimesMs } from "../../src/domain/user/state/human-state.ts";
import { humanOf } from "../cases/accounts.ts";
import { type Browser, errorIn, heading } from "./browser.ts";
import { happen } from "./mails.ts";
import { givenOwn } from "./own-browser.ts";
import { type App, logIn, type Parties, type Person, startParties } from "./relying.ts";

let parties: Parties;
let app: App;

beforeAll(async () => {
  parties = await startParties();
  app = await parties.givenApp();
});
afterAll(() => parties.close());

const requested = "user.human.email.requested";
const proven = [
  "user.human.email.changed",
  "user.human.email.verified",
  "user.human.sessions.ended",
  "user.human.notice.added",
];
const wrongCode = "This code isn’t valid. Check it and try again.";

interface Waiting {
  readonly person: Person;
  readonly browser: Browser;
  readonly email: string;
  /** As it is typed, and as the link has it. */
  readonly code: string;
  readonly linked: string;
}

/** A person who has asked for another address. */
async function givenWaiting(): Promise<Waiting> {
  const { person, browser } = await givenOwn(parties);
  const email = `${v7()}@example.com`;
  await browser.open("/account/email");
  await browser.send({ email }, "request");
  return { person, browser, email, ...(await codesOf(person)) };
}

async function codesOf({ userId }: Person): Promise<Pick<Waiting, "code" | "linked">> {
  const sealed = (await humanOf(parties.server, userId))?.emailRequest?.code ?? "";
  const place = codeFieldOf(requested, userId);
  const { keyring } = parties.server;
  return { code: keyring.open(sealed, place), linked: keyring.derive(sealed, place) };
}

const addressOf = async ({ userId }: Person) => {
  const { email, isEmailVerified } = (await humanOf(parties.server, userId)) ?? {};
  return [email, isEmailVerified];
};

const linkOf = ({ userId }: Person, code: string) =>
  `/ui/email/verify?${new URLSearchParams({ userID: userId, code })}`;

describe("another e-mail address", () => {
  test("is in use once its code is typed, and not before; other sessions end", async () => {
    const { person, browser, email, code } = await givenWaiting();
    expect(heading(browser.page)).toBe("Email address");
    for (const shown of [person.email, email, "Send another email", "Keep current address"]) {
      expect(browser.page.text).toContain(shown);
    }
    expect(await addressOf(person)).toEqual([person.email, true]);
    const elsewhere = parties.browser();
    const offline = { scope: "openid offline_access" };
    const tokens = await logIn(elsewhere, app, person, offline);
    const typed = ` ${code.slice(0, 3).toLowerCase()} ${code.slice(3)}`;
    await browser.send({ code: typed }, "verify");
    expect(browser.page.text).toContain("Your email address is verified");
    expect(await addressOf(person)).toEqual([email, true]);
    expect((await parties.typesOf(person)).slice(-4)).toEqual(proven);
    const notice = (await parties.server.events()).at(-1);
    expect(JSON.parse(notice?.payload ?? "")).toEqual({ about: "email.changed", to: person.email });
    expect(heading(await browser.open("/account"))).toBe("Overview");
    expect(heading(await elsewhere.open("/account"))).toBe("Log in");
    await expect(
      oidc.refreshTokenGrant(app.config, String(tokens.refresh_token)),
    ).rejects.toMatchObject({ error: "invalid_grant" });
  });

  test.each([
    ["the link of the mail", "linked"],
    ["the code on the page of the link", "code"],
  ] as const)("is proven by %s as well, and the session that asked stays", async (_way, which) => {
    const waiting = await givenWaiting();
    const { person, browser, email } = waiting;
    const elsewhere = await givenOwn(parties, person);
    const reader = parties.browser();
    await reader.open(linkOf(person, waiting[which]));
    expect(await addressOf(person)).toEqual([person.email, true]);
    await reader.send({ code: waiting[which] });
    expect(heading(reader.page)).toBe("Your email address is verified");
    expect(await addressOf(person)).toEqual([email, true]);
    expect(heading(await browser.open("/account"))).toBe("Overview");
    expect(heading(await elsewhere.browser.open("/account"))).toBe("Log in");
    expect((await reader.open(linkOf(person, waiting.linked))).status).toBe(200);
    expect((await reader.send({})).status).toBe(400);
  });

  test("is not proven after five wrong codes, wherever they are typed", async () => {
    const { person, browser, code, linked } = await givenWaiting();
    for (let i = 0; i < codeFailuresMax - 1; i += 1) {
      const { status, text } = await browser.send({ code: "WRONG2" }, "verify");
      expect([status, errorIn({ text })]).toEqual([400, wrongCode]);
    }
    const reader = parties.browser();
    await reader.open(linkOf(person, "WRONG2"));
    await reader.send({ code: "WRONG2" });
    expect((await browser.send({ code }, "verify")).status).toBe(400);
    await reader.open(linkOf(person, linked));
    expect((await reader.send({})).status).toBe(400);
    expect(await addressOf(person)).toEqual([person.email, true]);
    await browser.open("/account/email");
    await browser.send({}, "resend");
    await browser.send({ code: (await codesOf(person)).code }, "verify");
    expect(browser.page.text).toContain("Your email address is verified");
  });

  test("is not proven a day after its mail has left", async () => {
    const { person, linked } = await givenWaiting();
    const { email: lifetime } = codeLifetimesMs;
    const sent: UserEvent = {
      type: "user.human.email.request.code.sent",
      payload: { position: "1", expirationMs: parties.clock.nowMs + lifetime },
    };
    await happen(parties, person, sent);
    parties.clock.nowMs += lifetime;
    const reader = parties.browser();
    await reader.open(linkOf(person, linked));
    expect((await reader.send({})).status).toBe(400);
    expect(await addressOf(person)).toEqual([person.email, true]);
  });

  test("is sent another code, by which the one before is void; and is withdrawn", async () => {
    const { person, browser, code } = await givenWaiting();
    await browser.send({}, "resend");
    expect((await browser.send({ code }, "verify")).status).toBe(400);
    const { code: newer } = await codesOf(person);
    await browser.send({}, "withdraw");
    expect(browser.page.text).not.toContain("Keep current address");
    const { status } = await browser.open(linkOf(person, newer));
    expect([status, (await browser.send({ code: newer })).status]).toEqual([200, 400]);
    expect(await addressOf(person)).toEqual([person.email, true]);
  });

  test("is gone where an administrator gives another meanwhile", async () => {
    const { person, linked } = await givenWaiting();
    const email = `${v7()}@example.com`;
    const path = `/management/v1/users/${person.userId}/email`;
    await parties.call("PUT", path, { email, isEmailVerified: true });
    const reader = parties.browser();
    await reader.open(linkOf(person, linked));
    expect((await reader.send({})).status).toBe(400);
    expect(await addressOf(person)).toEqual([email, true]);
  });

  test.each<readonly [string, (waiting: Waiting) => Promise<unknown>]>([
    [
      "the person from another",
      async ({ person }) => {
        const { browser } = await givenOwn(parties, person);
        await browser.open("/account/sessions");
        await browser.send({}, "one");
      },
    ],
    [
      "an administrator",
      async ({ person: { userId } }) => {
        const [session] = (await humanOf(parties.server, userId))?.login?.sessions ?? [];
        const path = `/management/v1/users/${userId}/sessions/${session?.sessionId}`;
        await parties.call("DELETE", path);
      },
    ],
  ])("is gone once its session is ended by %s", async (_who, end) => {
    const waiting = await givenWaiting();
    const { person, browser, linked } = waiting;
    await end(waiting);
    expect(heading(await browser.open("/account"))).toBe("Log in");
    const reader = parties.browser();
    await reader.open(linkOf(person, linked));
    expect((await reader.send({})).status).toBe(400);
    expect(await addressOf(person)).toEqual([person.email, true]);
  });

  test("stays where the person logs out, and opens the link elsewhere", async () => {
    const { person, browser, email, linked } = await givenWaiting();
    await browser.open("/account/sessions");
    await browser.send({}, "here");
    const reader = parties.browser();
    await reader.open(linkOf(person, linked));
    await reader.send({});
    expect(await addressOf(person)).toEqual([email, true]);
  });

  test("is asked for alike whether or not somebody has it", async () => {
    const other = await parties.givenPerson();
    const { person, browser } = await givenOwn(parties);
    const answers = [];
    for (const email of [other.email, `${v7()}@example.com`]) {
      await browser.open("/account/email");
      const { status, text } = await browser.send({ email }, "request");
      answers.push([status, text.replaceAll(email, "").replaceAll(/value="[^"]*"/g, "")]);
      await browser.send({}, "withdraw");
    }
    expect(answers[0]).toEqual(answers[1]);
    expect((await parties.typesOf(person)).filter((type) => type === requested)).toHaveLength(2);
  });

  test.each([
    ["not one address", "ada", "Enter one email address, for example ada@example.com."],
    ["too long", `${"a".repeat(60)}@${`${"b".repeat(60)}.`.repeat(4)}com`, /^Enter one email/],
    ["the one that is there", undefined, "This is already your address."],
  ])("is refused at the field where it is %s", async (_what, given, error) => {
    const { person, browser } = await givenOwn(parties);
    await browser.open("/account/email");
    const email = given ?? person.email;
    const { status, text } = await browser.send({ email }, "request");
    expect([status, errorIn({ text })]).toEqual([
      400,
      typeof error === "string" ? error : expect.stringMatching(error),
    ]);
    expect(text).toMatch(/id="email"[^>]*aria-invalid="true" autofocus/s);
    expect(text).toContain(`value="${email}"`);
    expect(await parties.typesOf(person)).not.toContain(requested);
  });

  test("is asked for no more after too many mails in a day", async () => {
    const { person, browser } = await givenWaiting();
    for (let i = 1; i < dayLimits.addressesOfDay; i += 1) await browser.send({}, "resend");
    expect(browser.page.status).toBe(200);
    const { status, text } = await browser.send({}, "resend");
    expect([status, errorIn({ text })]).toEqual([
      429,
      "You’ve changed this too often today. Try again tomorrow.",
    ]);
    const types = await parties.typesOf(person);
    expect(types.filter((type) => type === requested)).toHaveLength(dayLimits.addressesOfDay);
  });

  test("is the person's, with the hands of the session in which it was asked for", async () => {
    const { person, browser, code } = await givenWaiting();
    await browser.send({ code }, "verify");
    const via = [parties.server.admin.userId];
    const human = await humanOf(parties.server, person.userId);
    expect(human?.emailMade).toEqual({ maker: person.userId, via });
  });
});
