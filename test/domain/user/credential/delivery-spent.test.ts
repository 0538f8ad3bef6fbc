import { expect, test } from "@jest/globals";
import {
  type AskingEvent,
  findDestination,
} from "../../../../src/domain/user/credential/delivery.ts";
import type { UserEvent } from "../../../../src/domain/user/state/event.ts";
import { codeFailuresMax, type HumanAdded } from "../../../../src/domain/user/state/human-state.ts";
import { type UserState, user } from "../../../../src/domain/user/state/user.ts";

/** Codes that open nothing any more, though no other took their place. */

const added: HumanAdded = {
  ...{ userName: "ada", firstName: "Ada", lastName: "L", nickName: "", displayName: "Ada" },
  ...{ preferredLanguage: "", gender: "UNSPECIFIED", passwordChangeRequired: false },
  ...{ email: "ada@example.com", phone: "+4915112345678" },
};
const payload = { codeId: "a", codeHash: "h", code: "a" };
const invitation: AskingEvent = { type: "user.human.initialization.code.added", payload };
const emailCode: AskingEvent = { type: "user.human.email.code.added", payload };
const link: AskingEvent = { type: "user.human.passwordless.link.added", payload };
const phoneCode: AskingEvent = {
  type: "user.human.phone.code.added",
  payload: { code: "a", expirationMs: 9, send: true },
};
const notice: AskingEvent = {
  type: "user.human.notice.added",
  payload: { about: "password.changed" },
};

/** Whether the message still goes somewhere after these events. */
function isSent(asked: AskingEvent, ...since: readonly UserEvent[]): boolean {
  const events: readonly UserEvent[] = [
    { type: "user.human.added", payload: added },
    { type: "user.human.email.verified", payload: {} },
    asked,
    ...since,
  ];
  const state = events.reduce<UserState | undefined>(
    (before, event) => user.evolve(before, { ...event, owner: "o", actor: "x", timeMs: 1 }),
    undefined,
  );
  return findDestination(state, { ...asked, position: 1n, timeMs: 1 }, 2) !== undefined;
}

test.each<[string, AskingEvent, UserEvent]>([
  ["an invitation", invitation, { type: "user.human.initialization.failed", payload: {} }],
  [
    "a code for an address",
    emailCode,
    { type: "user.human.email.verification.failed", payload: {} },
  ],
  [
    "a link to a passkey",
    link,
    { type: "user.human.passwordless.initialization.failed", payload: { codeId: "a" } },
  ],
])("%s is sent until wrong tries have spent it", (_, asked, wrong) => {
  const tries = Array<UserEvent>(codeFailuresMax).fill(wrong);
  expect(isSent(asked, ...tries.slice(1))).toBe(true);
  expect(isSent(asked, ...tries)).toBe(false);
});

test.each(["user.deactivated", "user.locked"] as const)(
  "no code is sent after %s, and notices are",
  (type) => {
    const out: UserEvent = { type, payload: {} };
    const sent = [invitation, emailCode, link, phoneCode, notice].map((one) => isSent(one, out));
    expect(sent).toEqual([false, false, false, false, true]);
    expect(isSent(phoneCode)).toBe(true);
  },
);
