import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { org, setUpOrg } from "../../src/domain/org.ts";
import { sendLimits } from "../../src/domain/sending.ts";
import { findDestination, readAsking } from "../../src/domain/user/credential/delivery.ts";
import type { HumanAdded } from "../../src/domain/user/state/human-state.ts";
import {
  type Notice,
  type NoticeAbout,
  noticeLifetimeMs,
} from "../../src/domain/user/state/notice.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { compose } from "../../src/notify/message/compose.ts";
import { dayIn, directionOf, languages } from "../../src/text/language.ts";
import { change } from "../cases/users.ts";
import { few } from "../harness/in-full.ts";
import { type MailPlace, mailPlace } from "./mail-place.ts";
import { happen, importPerson, organization, plainBrand, publicUrl, startMs } from "./place.ts";
import type { Mail } from "./smtp.ts";

// Mails that tell a person what changed of the account.

const dayMs = 86_400_000;
const sent = "user.human.notice.sent";
const failed = "user.human.notice.failed";
const changed: Notice = { about: "password.changed" };
const isVerified = { type: "user.human.email.verified", payload: {} } as const;

let place: MailPlace;

beforeEach(async () => {
  place = await mailPlace();
  const name = "Analytical Engines";
  await place.execute({
    actor: "somebody",
    writes: { org: { noun: org, id: organization, owner: organization } },
    relies: {},
    decide: () => ({ events: { org: setUpOrg(name) } }),
  });
});
afterEach(() => place.remove());

/** A person whose address is verified. */
async function verifiedPerson(given: Partial<HumanAdded> = {}): Promise<string> {
  return importPerson(place, { mail: false, email: "ada@example.com", ...given });
}

/** Adds a notice, and before it the erasure that it is about. */
async function add(userId: string, payload: Notice): Promise<void> {
  if ("dueMs" in payload) {
    const { dueMs } = payload;
    await happen(place.execute, userId, { type: "user.erasure.requested", payload: { dueMs } });
  }
  await happen(place.execute, userId, { type: "user.human.notice.added", payload });
}

/** The mail of a notice as a mail server gets it. */
async function mailOf(notice: Notice, given: Partial<HumanAdded> = {}): Promise<Mail> {
  const server = await place.mailServer();
  await add(await verifiedPerson(given), notice);
  place.startWith(server);
  await place.recorded(sent);
  expect(server.mails).toHaveLength(1);
  return server.mails[0]!;
}

test("says what happened, when, where, and what to do if it was somebody else", async () => {
  const mail = await mailOf(changed);
  expect(mail.to).toEqual(["ada@example.com"]);
  expect(mail.header.get("subject")).toBe("Your password was changed");
  expect(mail.text).toBe(`Hello Ada Lovelace,

the password of your account at Analytical Engines was changed on
14 November 2023 at 22:13 UTC.

If this wasn’t you, choose a new password on this page,
and tell your administrator:

${publicUrl}/account

You received this email because your address was given for an account at Analytical Engines.
`);
  expect(await place.payloads(sent)).toEqual([{ position: "4" }]);
});

test("has the page of the account as its only link in HTML", async () => {
  const { html = "" } = await mailOf(changed);
  expect([...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
    `${publicUrl}/account`,
  ]);
  expect(html).toMatch(/>Open your account<\/a>/);
});

test("says of an erasure when it will be, and that it can be withdrawn until then", async () => {
  const dueMs = startMs + 30 * dayMs;
  const { text, header } = await mailOf({ about: "erasure.requested", dueMs });
  expect(header.get("subject")).toBe("Your account will be deleted");
  expect(text).toContain("was made on\n14 November 2023 at 22:13 UTC.");
  expect(text).toContain("The account will be deleted on 14 December 2023 at 22:13 UTC.");
  expect(text).toContain("Until then, you can withdraw the request on this page.");
  expect(text).toContain(`\n\n${publicUrl}/account\n`);
});

describe("the address", () => {
  test("is the one that the notice names", async () => {
    const { to } = await mailOf({ about: "email.changed", to: "before@example.com" });
    expect(to).toEqual(["before@example.com"]);
  });

  test("is else the one that is verified when the mail leaves", async () => {
    const server = await place.mailServer();
    const userId = await verifiedPerson();
    await add(userId, changed);
    const email = "lovelace@example.com";
    await happen(place.execute, userId, { type: "user.human.email.changed", payload: { email } });
    await happen(place.execute, userId, isVerified);
    place.startWith(server);
    await place.recorded(sent);
    expect(server.mails.map(({ to }) => to)).toEqual([[email]]);
  });

  test("is none where it is not verified any more: the notice is given up", async () => {
    const userId = await verifiedPerson();
    await add(userId, changed);
    const email = "lovelace@example.com";
    await happen(place.execute, userId, { type: "user.human.email.changed", payload: { email } });
    const server = await place.mailServer();
    place.startWith(server);
    await place.recorded(failed);
    expect(server.mails).toEqual([]);
    expect(await place.payloads(failed)).toEqual([{ position: "4", problem: "superseded" }]);
  });

  test("is nobody's who was removed: nothing is sent, and nothing waits", async () => {
    const userId = await verifiedPerson();
    await add(userId, { about: "email.changed", to: "before@example.com" });
    await happen(place.execute, userId, change("user.removed"));
    const query = { nowMs: startMs + dayMs, leaseMs: 1, limit: 9 };
    expect(await place.store.leaseMessages(query)).toEqual([]);
  });
});

describe("the time of a notice", () => {
  /** What becomes of a notice that a worker first sees so late. */
  async function seenAfter(ms: number, notice: Notice) {
    await add(await verifiedPerson(), notice);
    place.clock.nowMs = startMs + ms;
    const server = await place.mailServer();
    place.startWith(server);
    await Promise.race([place.recorded(sent), place.recorded(failed)]);
    return { mails: server.mails.length, failures: await place.payloads(failed) };
  }

  const expired = (position: string) => {
    return { mails: 0, failures: [{ position, problem: "expired" }] };
  };
  const due: Notice = { about: "erasure.due", dueMs: startMs + dayMs };

  few(2).each([
    ["is over after three days", noticeLifetimeMs, changed, expired("4")],
    ["is not over before", noticeLifetimeMs - 1, changed, { mails: 1, failures: [] }],
    ["is over when the account is erased", dayMs, due, expired("5")],
    ["is not over the moment before", dayMs - 1, due, { mails: 1, failures: [] }],
  ])("%s", async (_, ms, notice, expected) => {
    expect(await seenAfter(ms, notice)).toEqual(expected);
  });
});

test("a notice of an erasure that was taken back is given up", async () => {
  const userId = await verifiedPerson();
  await add(userId, { about: "erasure.requested", dueMs: startMs + dayMs });
  await happen(place.execute, userId, { type: "user.erasure.withdrawn", payload: {} });
  const server = await place.mailServer();
  place.startWith(server);
  await place.recorded(failed);
  expect(server.mails).toEqual([]);
  expect(await place.payloads(failed)).toEqual([{ position: "5", problem: "superseded" }]);
});

test("a notice that no server takes is tried again, and arrives once", async () => {
  let answer: string | undefined = "450 4.2.1 Later";
  const server = await place.mailServer({ recipient: () => answer });
  await add(await verifiedPerson(), changed);
  const worker = place.startWith(server);
  await place.watch.until(() => place.postponed.length === 1);
  place.clock.nowMs = place.postponed[0]!;
  answer = undefined;
  worker.wake();
  await place.recorded(sent);
  expect(server.mails).toHaveLength(1);
  const query = { nowMs: startMs + dayMs, leaseMs: 1, limit: 9 };
  expect(await place.store.leaseMessages(query)).toEqual([]);
});

test("past the mails of a day for an address a notice waits, and refuses nothing", async () => {
  const limits = { ...sendLimits, mailsPerAddress: 1 };
  const execute = createExecute(place.store, () => startMs, undefined, limits);
  const userId = await verifiedPerson();
  for (const about of ["otp.removed", "passkey.removed"] as const) {
    await happen(execute, userId, { type: "user.human.notice.added", payload: { about } });
  }
  const dueAt = async (nowMs: number) => {
    const leased = await place.store.leaseMessages({ nowMs, leaseMs: dayMs, limit: 9 });
    return leased.map(({ event }) => JSON.parse(event.payload) as unknown);
  };
  expect(await dueAt(startMs)).toEqual([{ about: "otp.removed" }]);
  expect(await dueAt(startMs + dayMs - 1)).toEqual([]);
  expect(await dueAt(startMs + dayMs)).toContainEqual({ about: "passkey.removed" });
});

test("a notice has another digest where the log was put back and goes on differently", async () => {
  const userId = await verifiedPerson();
  await add(userId, changed);
  const [leased] = await place.store.leaseMessages({ nowMs: startMs, leaseMs: 1, limit: 1 });
  const { event, field } = leased!;
  const [stored] = await place.store.load([`user-${userId}`]);
  const user = JSON.parse(stored?.state ?? "") as UserState;
  const digestAt = (timeMs: number) => {
    const asked = readAsking({ ...event, timeMs });
    const destination = findDestination(user, asked, timeMs)!;
    const about = { organization: "Analytical Engines", brand: plainBrand };
    const order = { field, asked, destination, user, ...about };
    const made = { keyring: place.keyring, publicUrl: () => publicUrl };
    return compose({ ...order, event: { ...event, timeMs } }, made).digest;
  };
  expect(digestAt(startMs)).toBe(digestAt(startMs));
  expect(digestAt(startMs + 1)).not.toBe(digestAt(startMs));
});

describe("in each language", () => {
  const dueMs = startMs + 30 * dayMs;
  const notices: { readonly [about in NoticeAbout]: Notice } = {
    "password.changed": { about: "password.changed" },
    "email.requested": { about: "email.requested" },
    "email.changed": { about: "email.changed", to: "ada@example.com" },
    "phone.changed": { about: "phone.changed" },
    "phone.removed": { about: "phone.removed" },
    "passkey.added": { about: "passkey.added" },
    "externalidp.added": { about: "externalidp.added" },
    "externalidp.removed": { about: "externalidp.removed" },
    "passkey.removed": { about: "passkey.removed" },
    "otp.added": { about: "otp.added" },
    "otp.removed": { about: "otp.removed" },
    "recovery_codes.added": { about: "recovery_codes.added" },
    "recovery_code.used": { about: "recovery_code.used" },
    "erasure.requested": { about: "erasure.requested", dueMs },
    "erasure.withdrawn": { about: "erasure.withdrawn" },
    "erasure.due": { about: "erasure.due", dueMs },
  };

  few(2).each(languages)("%s has texts of its own for each notice", async (language) => {
    const server = await place.mailServer();
    const userId = await verifiedPerson({ preferredLanguage: language, displayName: "Ada <b>" });
    const all = Object.values(notices);
    for (const notice of all) await add(userId, notice);
    place.startWith(server);
    await place.recorded(sent, all.length);
    const subjects = new Set(server.mails.map(({ header }) => header.get("subject")));
    const bodies = new Set(server.mails.map(({ text }) => text));
    expect([subjects.size, bodies.size]).toEqual([all.length, all.length]);
    for (const { text, html = "" } of server.mails) {
      expect(text).toContain("Analytical Engines");
      expect(text).toMatch(/2023\b.*22:13 UTC/);
      expect(text).not.toMatch(/undefined|\[object|\$\{/);
      const [link, why, ...others] = text.split("\n\n").slice(3);
      expect([link, others]).toEqual([`${publicUrl}/account`, []]);
      expect(why).toContain("Analytical Engines");
      expect(html).toContain(`<html lang="${language}" dir="${directionOf(language)}">`);
      expect(html.match(/href=/g)).toHaveLength(1);
      expect(html).not.toContain("<b>");
    }
    const ofErasures = server.mails.filter(({ text }) => text.includes(dayIn(language, dueMs)));
    expect(ofErasures).toHaveLength(2);
  });
});
