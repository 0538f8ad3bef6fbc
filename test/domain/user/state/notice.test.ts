import { describe, expect, test } from "@jest/globals";
import {
  findDestination,
  type RecordedAsking,
} from "../../../../src/domain/user/credential/delivery.ts";
import { importHuman, type NewHuman } from "../../../../src/domain/user/human/human.ts";
import {
  type Notice,
  type NoticeAdded,
  noticeLifetimeMs,
  noticeOf,
} from "../../../../src/domain/user/state/notice.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";
import { person } from "../people.ts";
import { userWith } from "../users.ts";

const now = 1_700_000_000_123;
const dayMs = 24 * 3_600_000;
const email = "ada@example.com";
const before = "before@example.com";
const verified = person({ isEmailVerified: true });
const unverified = person();
const invited = person({
  isEmailVerified: true,
  initialization: { code: "c", failures: 0, maker: "m" },
});
const changed: Notice = { about: "password.changed" };
const elsewhere: Notice = { about: "email.changed", to: before };
const asking = (dueMs: number): UserState => ({ ...verified, erasure: { askedMs: 0, dueMs } });
const due = (dueMs: number): Notice => ({ about: "erasure.due", dueMs });

describe("of a change is told", () => {
  test.each<[string, UserState | undefined, Notice, boolean]>([
    ["a person with a verified address", verified, changed, true],
    ["one who is out of use", { ...verified, isInactive: true }, changed, true],
    ["the address before, whatever that of now is", unverified, elsewhere, true],
    ["who is to be erased", verified, due(now), true],
    ["nobody without a verified address", unverified, changed, false],
    ["nobody who has yet to take the account over", invited, changed, false],
    ["nobody before that, at whatever address", invited, elsewhere, false],
    ["no machine", userWith(), changed, false],
    ["nobody who is not there", undefined, elsewhere, false],
  ])("%s", (_, state, payload, isTold) => {
    const event = { type: "user.human.notice.added", payload };
    expect(noticeOf(state, payload)).toEqual(isTold ? [event] : []);
  });

  test("nobody who is imported", () => {
    const { human } = verified;
    const { events } = importHuman(
      {},
      {
        ...{ organization: "o", isEmailVerified: true, isPhoneVerified: true, otpSecret: "s" },
        ...{ added: { ...human, userName: "ada", phone: "+4915112345678" }, externalIDPs: [] },
        passwordHash: "$hash$",
      } as NewHuman,
      now,
    );
    expect(events.user?.map(({ type }) => type)).toEqual([
      "user.human.added",
      "user.human.email.verified",
      "user.human.phone.verified",
      "user.human.otp.added",
    ]);
  });
});

test("a notice asks for one mail, to the address that it names or else that of the person", () => {
  const type = "user.human.notice.added";
  const asked = { field: "about", channel: "email" };
  expect(user.messages?.({ type, payload: changed }, verified)).toEqual([{ ...asked, to: email }]);
  expect(user.messages?.({ type, payload: elsewhere }, verified)).toEqual([
    { ...asked, to: before },
  ]);
});

test("the mail is settled by its end alone", () => {
  const position = 2n ** 60n + 1n;
  const payload = { position: String(position) };
  for (const type of ["user.human.notice.sent", "user.human.notice.failed"] as const) {
    expect(user.settles?.({ type, payload })).toEqual({ position, field: "about" });
  }
  const added = { type: "user.human.notice.added", payload: changed } as const;
  expect(user.settles?.(added)).toBeUndefined();
});

test.each([
  { type: "user.human.notice.added", payload: changed },
  { type: "user.human.notice.sent", payload: { position: "1" } },
  { type: "user.human.notice.failed", payload: { position: "1", problem: "expired" } },
] as const)("$type leaves the person as it was", (event) => {
  const envelope = { owner: "o", actor: "a", timeMs: now };
  expect(user.evolve(verified, { ...event, ...envelope })).toEqual(verified);
});

describe("the destination of a notice", () => {
  const mail = { channel: "email", to: email, expirationMs: now + noticeLifetimeMs };

  test.each<[string, UserState | undefined, NoticeAdded["payload"], unknown]>([
    ["the address", verified, changed, mail],
    [
      "the address of now",
      person({ isEmailVerified: true, email: "l@example.com" }),
      changed,
      {
        ...mail,
        to: "l@example.com",
      },
    ],
    ["the one that it names", verified, elsewhere, { ...mail, to: before }],
    [
      "the one that it names, though that of now is not verified",
      unverified,
      elsewhere,
      { ...mail, to: before },
    ],
    ["none that is not verified", unverified, changed, undefined],
    ["none of nobody", undefined, elsewhere, undefined],
    [
      "the address until it is due",
      asking(now + dayMs),
      due(now + dayMs),
      { ...mail, expirationMs: now + dayMs },
    ],
    ["the address for three days", asking(now + 30 * dayMs), due(now + 30 * dayMs), mail],
    ["none where that was taken back", verified, due(now + dayMs), undefined],
    ["none where it was asked for anew", asking(now + 30 * dayMs), due(now + dayMs), undefined],
  ])("is %s", (_, state, payload, expected) => {
    const type = "user.human.notice.added";
    const asked: RecordedAsking = { type, payload, position: 1n, timeMs: now };
    // The days count from what happened, however long the mail has waited.
    expect(findDestination(state, asked, now + 1)).toEqual(expected);
  });
});
