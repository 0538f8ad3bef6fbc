import { afterEach, beforeEach, expect, test } from "@jest/globals";
import {
  type PendingRegistration,
  registerLimits,
  registrationAlias,
  registrationField,
} from "../../src/domain/registration/pending.ts";
import { registration, requestMail } from "../../src/domain/registration/registration.ts";
import type { Attempt } from "../../src/domain/sending.ts";
import { workerLimits } from "../../src/notify/limits.ts";
import type { Message } from "../../src/notify/message/message.ts";
import { createInviting, registrationTypes } from "../../src/notify/registration.ts";
import { languages } from "../../src/text/language.ts";
import {
  importPerson,
  type NotifyPlace,
  notifyPlace,
  organization,
  publicUrl,
  removeOrganization,
} from "./place.ts";

let place: NotifyPlace;

beforeEach(async () => {
  place = await notifyPlace();
});
afterEach(() => place.remove());

/** Keeps what waits and asks for its mail. */
async function ask(given: Partial<PendingRegistration> = {}): Promise<void> {
  const { clock, store, keyring, execute } = place;
  const pending: PendingRegistration = {
    ...{ id: "r", userId: "u", organization, language: "en", code: "AB2CD3", isProven: false },
    ...{ firstName: "Buy", lastName: "cheap", email: "grace@example.com" },
    ...{ expirationMs: clock.nowMs + registerLimits.codeMs, ...given },
  };
  const { id, expirationMs: expiresMs } = pending;
  const sealed = keyring.seal(JSON.stringify(pending), registrationField(id));
  const payload = JSON.stringify({ id, sealed });
  const artifact = {
    key: "PendingRegistration:x",
    alias: registrationAlias(id),
    payload,
    expiresMs,
  };
  await store.artifacts.write([{ kind: "put", artifact }], clock.nowMs);
  await execute({
    actor: "stranger",
    writes: { registration: { noun: registration, id, owner: organization } },
    decide: () => requestMail(),
  });
}

/** Sends what is due; answers what went out, and what was recorded of it. */
async function sendAll(attempt: Attempt = { kind: "sent" }) {
  const { store, clock, options } = place;
  const sent: Message[] = [];
  const send = async (message: Message) => {
    sent.push(message);
    return attempt;
  };
  const { signal } = new AbortController();
  const carry = createInviting({
    ...options,
    ...{ channels: { email: send, sms: send }, signal, limits: workerLimits },
  });
  const lease = { nowMs: clock.nowMs, leaseMs: workerLimits.leaseMs, limit: 10 };
  for (const message of await store.leaseMessages({ ...lease, types: registrationTypes })) {
    await carry(message);
  }
  const events = await store.readStream("registration-r", 0, 10);
  return {
    sent,
    recorded: events.slice(1).map(({ type, payload }) => [type, JSON.parse(payload)]),
  };
}

test("mails to whom somebody chooses have the code, no link, no word of who asked", async () => {
  await ask();
  const { sent, recorded } = await sendAll();
  expect(sent).toMatchObject([{ channel: "email", to: "grace@example.com", language: "en" }]);
  const [{ text = "", html = "", id = "" } = {}] = sent;
  expect(text).toContain("\n\nAB2CD3\n\n");
  expect(text + html).not.toMatch(/https?:|Buy|cheap/);
  expect(id).toMatch(/^\d+-mail$/);
  expect(recorded).toEqual([["registration.mail.sent", { position: id.split("-")[0] }]]);
  expect((await sendAll()).sent).toEqual([]);
  expect(place.logged.join("")).not.toMatch(/grace|AB2CD3/);
});

test("to somebody who has the address it says that, in the language of the person", async () => {
  const email = "grace@example.com";
  await importPerson(place, { email, preferredLanguage: "de", mail: false });
  await ask();
  const { sent } = await sendAll();
  expect(sent).toMatchObject([{ to: email, language: "de", subject: "Sie haben schon ein Konto" }]);
  expect(sent[0]?.text).toContain(`\n${publicUrl}/account\n`);
  expect(sent[0]?.text).not.toContain("AB2CD3");
});

test.each(languages)("it is in %s where the page was", async (language) => {
  await ask({ language });
  const { sent } = await sendAll();
  expect(sent).toMatchObject([{ language }]);
  expect(sent[0]?.text.split("AB2CD3")).toHaveLength(2);
});

test.each([
  ["whose place another took", () => ask({ id: "r" }).then(() => forget())],
  ["whose address is proven", () => ask({ isProven: true })],
])("one %s is not sent", async (_, given) => {
  await given();
  const { sent, recorded } = await sendAll();
  expect(sent).toEqual([]);
  expect(recorded).toMatchObject([["registration.mail.failed", { problem: "superseded" }]]);
});

async function forget(): Promise<void> {
  const { store, clock } = place;
  await store.artifacts.write([{ kind: "remove", key: "PendingRegistration:x" }], clock.nowMs);
}

test("one that fails is tried again until its code is over", async () => {
  await ask();
  const missed = { kind: "missed", problem: "nobody answers" } as const;
  expect((await sendAll(missed)).recorded).toEqual([]);
  expect(place.postponed).toHaveLength(1);
  place.clock.nowMs += registerLimits.codeMs - 1;
  const { recorded } = await sendAll(missed);
  expect(recorded).toMatchObject([["registration.mail.failed", { problem: "nobody answers" }]]);
});

test("it is settled though the organization was removed meanwhile", async () => {
  await ask();
  await removeOrganization(place);
  expect((await sendAll()).recorded).toMatchObject([["registration.mail.sent", {}]]);
});
