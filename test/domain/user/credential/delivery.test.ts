import { describe, expect, test } from "@jest/globals";
import {
  type AskingEvent,
  type CodeEvent,
  type Fate,
  findDestination,
  messageTypes,
  type RecordedAsking,
  readAsking,
  recordDelivery,
} from "../../../../src/domain/user/credential/delivery.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { type HumanAdded, isSpent } from "../../../../src/domain/user/state/human-state.ts";
import type { NoticeAdded } from "../../../../src/domain/user/state/notice.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";

const now = 1_700_000_000_123;
const phone = "+4915112345678";
const added: HumanAdded = {
  ...{ userName: "ada", firstName: "Ada", lastName: "L", nickName: "", displayName: "Ada" },
  ...{ preferredLanguage: "", gender: "UNSPECIFIED", passwordChangeRequired: false },
  ...{ email: "ada@example.com", phone },
};
const mailCode = (code: string): CodeEvent => ({
  type: "user.human.initialization.code.added",
  payload: { code, expirationMs: 9 },
});
const emailCode = (code: string): CodeEvent => ({
  type: "user.human.email.code.added",
  payload: { code },
});
const passkeyLink = (code: string, codeId = code): CodeEvent => ({
  type: "user.human.passwordless.link.added",
  payload: { codeId, codeHash: "h", code },
});
/** A code whose time begins when its mail leaves. */
const unbegun = (code: string): CodeEvent => ({
  type: "user.human.initialization.code.added",
  payload: { code },
});
const phoneCode = (code: string, send = true): CodeEvent => ({
  type: "user.human.phone.code.added",
  payload: { code, expirationMs: 9, send },
});
const notice: NoticeAdded = {
  type: "user.human.notice.added",
  payload: { about: "password.changed" },
};
/** An event as it is recorded, at the time of now. */
const recordedOf = (event: AskingEvent): RecordedAsking => ({
  ...event,
  position: 2n ** 60n + 1n,
  timeMs: now,
});
const wrong: UserEvent = { type: "user.human.phone.verification.failed", payload: {} };

function stateAfter(...events: readonly UserEvent[]): UserState | undefined {
  return events.reduce<UserState | undefined>(
    (state, event) => user.evolve(state, { ...event, owner: "o", actor: "x", timeMs: 1 }),
    undefined,
  );
}

function stateOfPerson(...events: readonly UserEvent[]): UserState | undefined {
  return stateAfter({ type: "user.human.added", payload: added }, ...events);
}

describe("a message is asked for", () => {
  const field = "code";
  test.each<[string, UserEvent, readonly unknown[]]>([
    ["by an initialization code", mailCode("a"), [{ field, channel: "email", to: added.email }]],
    ["by a code for an address", emailCode("a"), [{ field, channel: "email", to: added.email }]],
    ["by a link for a passkey", passkeyLink("a"), [{ field, channel: "email", to: added.email }]],
    [
      "by a code for another password, for which strangers may ask",
      { type: "user.human.password.code.added", payload: { code: "a", expirationMs: 9 } },
      [{ field, channel: "email", to: added.email, isReset: true }],
    ],
    ["by a phone code that is to be sent", phoneCode("a"), [{ field, channel: "sms", to: phone }]],
    ["not by a phone code that was answered", phoneCode("a", false), []],
    ["not by anything else", { type: "user.human.added", payload: added }, []],
  ])("%s", (_, event, expected) => {
    expect(user.messages?.(event, stateOfPerson(event)!)).toEqual(expected);
  });
});

describe("a message is settled", () => {
  const position = String(2n ** 60n + 1n);
  test.each([
    "user.human.initialization.code.sent",
    "user.human.initialization.code.failed",
    "user.human.email.code.sent",
    "user.human.email.code.failed",
    "user.human.passwordless.link.sent",
    "user.human.passwordless.link.failed",
    "user.human.phone.code.sent",
    "user.human.phone.code.failed",
  ] as const)("by %s, whatever its position", (type) => {
    const settled = { position: 2n ** 60n + 1n, field: "code" };
    const event = { type, payload: { position, codeId: "a" } } as UserEvent;
    expect(user.settles?.(event)).toEqual(settled);
  });

  test("by nothing else", () => {
    expect(user.settles?.(notice)).toBeUndefined();
    expect(user.settles?.(mailCode("a"))).toBeUndefined();
    expect(user.settles?.({ type: "user.human.phone.verified", payload: {} })).toBeUndefined();
  });
});

test("each channel has its types", () => {
  expect(messageTypes).toEqual({
    email: [
      "user.human.initialization.code.added",
      "user.human.email.code.added",
      "user.human.email.requested",
      "user.human.password.code.added",
      "user.human.passwordless.link.added",
      "user.human.notice.added",
    ],
    sms: ["user.human.phone.code.added"],
  });
});

describe("the destination of a code", () => {
  const mail = { channel: "email", to: "ada@example.com", expirationMs: 9 };
  const sms = { channel: "sms", to: phone, expirationMs: 9 };
  const verified: UserEvent = { type: "user.human.phone.verified", payload: {} };
  const another: UserEvent = { type: "user.human.phone.changed", payload: { phone: "+3361" } };

  test.each<[string, UserState | undefined, CodeEvent, unknown]>([
    ["the address", stateOfPerson(mailCode("a")), mailCode("a"), mail],
    ["the number", stateOfPerson(phoneCode("a")), phoneCode("a"), sms],
    [
      "the number, for as long as a wrong guess leaves the code",
      stateOfPerson(phoneCode("a"), ...Array<UserEvent>(4).fill(wrong)),
      phoneCode("a"),
      sms,
    ],
    [
      "the new number's, of the new code",
      stateOfPerson(phoneCode("a"), another, phoneCode("b")),
      phoneCode("b"),
      { ...sms, to: "+3361" },
    ],
    [
      "none after too many wrong guesses",
      stateOfPerson(phoneCode("a"), ...Array<UserEvent>(5).fill(wrong)),
      phoneCode("a"),
      undefined,
    ],
    [
      "none of an older code",
      stateOfPerson(mailCode("a"), mailCode("b")),
      mailCode("a"),
      undefined,
    ],
    [
      "none once the address is another one",
      stateOfPerson(emailCode("a"), {
        type: "user.human.email.changed",
        payload: { email: "lovelace@example.com" },
      }),
      emailCode("a"),
      undefined,
    ],
    [
      "none of a link that was used",
      stateOfPerson(passkeyLink("a"), {
        type: "user.human.passwordless.token.added",
        payload: {
          ...{ codeId: "a", credentialId: "k", publicKey: "cose", counter: 0 },
          ...{ transports: [], name: "" },
        },
      }),
      passkeyLink("a"),
      undefined,
    ],
    ["none of another's code", stateOfPerson(mailCode("b")), mailCode("a"), undefined],
    ["none when verified", stateOfPerson(phoneCode("a"), verified), phoneCode("a"), undefined],
    ["none when changed", stateOfPerson(phoneCode("a"), another), phoneCode("a"), undefined],
    ["none of nobody", undefined, mailCode("a"), undefined],
    [
      "none of a machine",
      stateAfter({
        type: "user.machine.added",
        payload: { userName: "r", name: "r", description: "", accessTokenType: "BEARER" },
      }),
      phoneCode("a"),
      undefined,
    ],
  ])("is %s", (_, state, event, expected) => {
    expect(findDestination(state, recordedOf(event), now)).toEqual(expected);
  });

  test.each([
    [72, unbegun("a")],
    [24, emailCode("a")],
    [1, passkeyLink("a")],
  ])("of a mail is valid for %i hours from now where no time was said", (hours, asked) => {
    const expirationMs = now + hours * 3_600_000;
    const found = findDestination(stateOfPerson(asked), recordedOf(asked), now);
    expect(found).toEqual({ ...mail, expirationMs });
  });
});

describe("what became of a message is recorded", () => {
  const problem = "the mail server answered 550";
  const position = "1152921504606846977";
  const sent = { kind: "sent" } as const;
  const failed = { kind: "failed", problem } as const;

  test.each([
    [mailCode("a"), "user.human.initialization.code"],
    [emailCode("a"), "user.human.email.code"],
    [phoneCode("a"), "user.human.phone.code"],
    [notice, "user.human.notice"],
  ] as const)("of %j", (asked, prefix) => {
    const state = stateOfPerson();
    expect(recordDelivery(state, recordedOf(asked), sent, now)).toEqual({
      events: { user: [{ type: `${prefix}.sent`, payload: { position } }] },
    });
    expect(recordDelivery(state, recordedOf(asked), failed, now)).toEqual({
      events: { user: [{ type: `${prefix}.failed`, payload: { position, problem } }] },
    });
  });

  test("unless there is nobody any more", () => {
    expect(recordDelivery(undefined, recordedOf(phoneCode("a")), sent, now)).toEqual({
      events: {},
    });
  });

  /** The state of the person after what became of a message was recorded. */
  function recorded(state: UserState | undefined, asked: AskingEvent, fate: Fate) {
    const { events } = recordDelivery(state, recordedOf(asked), fate, now);
    const envelope = { owner: "o", actor: "notify", timeMs: now };
    expect(events.user).toHaveLength(1);
    return (events.user ?? []).reduce<UserState | undefined>(
      (before, event) => user.evolve(before, { ...event, ...envelope }),
      state,
    );
  }

  test("and leaves the person as it was", () => {
    const before = stateOfPerson(mailCode("a"), phoneCode("b"));
    for (const asked of [mailCode("a"), phoneCode("b"), notice]) {
      expect(recorded(before, asked, failed)).toEqual(before);
      expect(recorded(before, asked, sent)).toEqual(before);
    }
  });

  test.each([sent, failed])("and the time of a mailed code begins with it: %j", (fate) => {
    const before = stateOfPerson(unbegun("a"));
    expect(isSpent(before!.human!.initialization!, Number.MAX_SAFE_INTEGER)).toBe(false);
    const { initialization } = recorded(before, unbegun("a"), fate)!.human!;
    expect(isSpent(initialization!, now + 72 * 3_600_000 - 1)).toBe(false);
    expect(isSpent(initialization!, now + 72 * 3_600_000)).toBe(true);
  });

  test.each([sent, failed])("and so does that of a code for an address: %j", (fate) => {
    const { emailCode: pending } = recorded(stateOfPerson(emailCode("a")), emailCode("a"), fate)!
      .human!;
    expect(pending).toMatchObject({ expirationMs: now + 24 * 3_600_000 });
  });

  test.each([sent, failed])("and so does that of one link of several: %j", (fate) => {
    const before = stateOfPerson(passkeyLink("a"), passkeyLink("b"), passkeyLink("c"));
    const { passwordless } = recorded(before, passkeyLink("b"), fate)!.human!;
    expect(passwordless.map(({ codeId, expirationMs }) => [codeId, expirationMs])).toEqual([
      ["a", undefined],
      ["b", now + 3_600_000],
      ["c", undefined],
    ]);
  });

  test("but not that of another code, nor of one whose time runs", () => {
    const before = stateOfPerson(unbegun("a"), unbegun("b"));
    expect(recorded(before, unbegun("a"), failed)).toEqual(before);
    const running = recorded(before, unbegun("b"), sent);
    const { events } = recordDelivery(running, recordedOf(unbegun("b")), sent, now + 1);
    expect(events.user).toMatchObject([{ payload: { position } }]);
    expect(events.user?.[0]?.payload).not.toHaveProperty("expirationMs");
  });
});

test("an event that asks for no message is not read as one", () => {
  const recorded = {
    ...{ position: 1n, stream: "user-u", version: 1, owner: "o", actor: "x", timeMs: 1 },
    ...{ type: "user.human.phone.verified", payload: "{}" },
  };
  expect(() => readAsking(recorded)).toThrow(
    "no message is for the event user.human.phone.verified",
  );
  const payload = JSON.stringify(mailCode("a").payload);
  expect(readAsking({ ...recorded, type: mailCode("a").type, payload })).toEqual({
    ...{ ...mailCode("a"), position: 1n, timeMs: 1 },
  });
});
