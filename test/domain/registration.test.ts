import { describe, expect, test } from "@jest/globals";
import { isOfDomains, isUnified } from "../../src/domain/registration/domains.ts";
import {
  type RegistrationEvent,
  type RegistrationState,
  recordMail,
  registration,
  requestMail,
} from "../../src/domain/registration/registration.ts";
import { fc } from "../harness/laws.ts";
import { holdLaws, type LifeCommand } from "./laws.ts";

const envelope = { owner: "", actor: "", timeMs: 1 };
const requested = { type: "registration.requested", payload: {} } as const;

describe("a registration", () => {
  test("asks for one mail, says nothing of whom it is for, and is over once it has left", () => {
    expect(requestMail()).toEqual({ events: { registration: [requested] } });
    const state = registration.evolve(undefined, { ...requested, ...envelope })!;
    expect(state).toEqual({});
    const mail = { field: "mail", channel: "registration", to: "" };
    expect(registration.messages?.(requested, state)).toEqual([mail]);
    expect(registration.settles?.(requested)).toBeUndefined();
    for (const [problem, type, payload] of [
      [undefined, "registration.mail.sent", { position: "7" }],
      ["expired", "registration.mail.failed", { position: "7", problem: "expired" }],
    ] as const) {
      const [event] = recordMail(state, 7n, problem).events.registration ?? [];
      expect(event).toEqual({ type, payload });
      expect(registration.settles?.(event!)).toEqual({ position: 7n, field: "mail" });
      expect(registration.messages?.(event!, state)).toEqual([]);
      expect(registration.evolve(state, { ...event!, ...envelope })).toBeUndefined();
    }
  });

  test("that is over is recorded no more, claims nothing and is listed by nothing", () => {
    expect(recordMail(undefined, 7n, undefined)).toEqual({ events: {} });
    expect([registration.claims({}), registration.row({})]).toEqual([
      [],
      { parent: "", fields: {} },
    ]);
    const unknown = { type: "registration.ended", payload: {}, ...envelope } as never;
    expect(() => registration.evolve({}, unknown)).toThrow("registration.ended");
    const sent = {
      type: "registration.mail.sent",
      payload: { position: "7" },
      ...envelope,
    } as const;
    expect(() => registration.evolve(undefined, sent)).toThrow("the first event");
  });
});

describe("laws", () => {
  const command = fc.constant<LifeCommand<RegistrationState, RegistrationEvent>>((before) => ({
    events: before === undefined ? [requested] : [],
  }));
  holdLaws(registration, command);
});

test.each([
  ["ada@example.org", true],
  ["ada@EXAMPLE.ORG", true],
  ["ada@b\u00fccher.example", true],
  ["ada@bu\u0308cher.example", true],
  ["ada@xn--bcher-kva.example", true],
  ["ada@sub.example.org", false],
  ["ada@notexample.org", false],
  ["ada@example.org.evil.com", false],
  ["example.org@evil.com", false],
])("%s is one of the domains: %s", (email, isOne) => {
  expect(isOfDomains(email, ["example.org", "xn--bcher-kva.example"])).toBe(isOne);
  expect(isOfDomains(email, [])).toBe(true);
});

test.each([
  ["ada@example.com", true],
  ["zoë@example.com", true],
  ["zoe\u0308@example.com", true],
  ["γιώργος@example.com", true],
  ["\uff41da@example.com", false],
  ["of\ufb01ce@example.com", false],
])("%s has no compatibility forms: %s", (email, isIt) => {
  expect(isUnified(email)).toBe(isIt);
});
