import { expect } from "@jest/globals";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import type { Notice } from "../../src/domain/user/state/notice.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenLink, made } from "./accounts.ts";
import { ada, givenHuman, loggedIn } from "./users.ts";

// What callers change of a person the person is told of, once, at an address that is verified.

const {
  removeHumanAuthFactorOTP,
  removeHumanPasswordless,
  removeHumanPhone,
  setHumanPassword,
  updateHumanEmail,
  updateHumanPhone,
} = ManagementService.method;
const { removePhone, setPhone } = UserService.method;
const { finishPasskey } = AccountService.method;
const phone = "+41446681801";
const password = "correct horse battery";
const email = "lovelace@example.com";

const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
const invited: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed" },
};
const withPhone: UserEvent = {
  type: "user.human.phone.changed",
  payload: { phone: "+41446681800" },
};

/** The notices among the events that a call has left. */
function noticesIn(events: readonly { readonly type: string; readonly payload: string }[]) {
  return events
    .filter(({ type }) => type.startsWith("user.human.notice."))
    .map(({ type, payload }) => [type, JSON.parse(payload) as unknown]);
}

const told = (notice: Notice) => [["user.human.notice.added", notice]];

/** A call on a person, and the notices that it leaves. */
function tells(
  name: string,
  method: Case["method"],
  {
    given = [],
    request,
    expected,
  }: {
    readonly given?: readonly UserEvent[];
    readonly request: (userId: string, world: World) => object;
    readonly expected: readonly unknown[];
  },
): Case {
  return row(name, method as typeof setHumanPassword, async (world) => {
    const { server, unique } = world;
    const events = [...loggedIn(unique), withPhone, ...given];
    const userId = await givenHuman(server, server.admin.organization, {}, events);
    return {
      request: request(userId, world) as never,
      expected: { ok: (_answer, left) => expect(noticesIn(left)).toEqual(expected) },
    };
  });
}

const calls = [
  [setHumanPassword, (userId: string) => ({ userId, password }), { about: "password.changed" }],
  [updateHumanPhone, (userId: string) => ({ userId, phone }), { about: "phone.changed" }],
  [setPhone, (userId: string) => ({ userId, phone }), { about: "phone.changed" }],
  [removeHumanPhone, (userId: string) => ({ userId }), { about: "phone.removed" }],
  [removePhone, (userId: string) => ({ userId }), { about: "phone.removed" }],
  [removeHumanAuthFactorOTP, (userId: string) => ({ userId }), { about: "otp.removed" }],
  [
    removeHumanPasswordless,
    (userId: string, { unique: tokenId }: World) => ({ userId, tokenId }),
    { about: "passkey.removed" },
  ],
] as const;

runCases(
  "a notice",
  calls.flatMap(([method, request, notice]) => [
    tells(`tells who has a verified address of ${method.name}`, method, {
      ...{ given: [verified], request, expected: told(notice) },
    }),
    tells(`tells nobody without one of ${method.name}`, method, { request, expected: [] }),
    tells(`tells nobody of ${method.name} who has yet to take the account over`, method, {
      ...{ given: [verified, invited], request, expected: [] },
    }),
  ]),
);

runCases("a notice of another address", [
  tells("goes to the address before", updateHumanEmail, {
    given: [verified],
    request: (userId) => ({ userId, email, isEmailVerified: true }),
    expected: told({ about: "email.changed", to: ada.email }),
  }),
  tells("goes to nobody where that was not verified", updateHumanEmail, {
    request: (userId) => ({ userId, email }),
    expected: [],
  }),
]);

runCases("no notice", [
  tells("is sent of the number that it was, verified", updateHumanPhone, {
    given: [verified],
    request: (userId) => ({ userId, phone: "+41446681800", isPhoneVerified: true }),
    expected: [],
  }),
  tells("is sent of a link to create a passkey", removeHumanPasswordless, {
    given: [
      verified,
      {
        type: "user.human.passwordless.initialization.code.added",
        payload: { codeId: "open", codeHash: "", expirationMs: Date.UTC(2999, 11, 31) },
      },
    ],
    request: (userId) => ({ userId, tokenId: "open" }),
    expected: [],
  }),
]);

runCases("a notice of a passkey", [
  row("goes to the person who has created it", finishPasskey, async (world) => {
    const link = await givenLink(world, { password, email: { email, isEmailVerified: true } });
    return {
      request: (await made(world, link)).request,
      token: "",
      expected: {
        ok: (_answer, events) =>
          expect(noticesIn(events)).toEqual(told({ about: "passkey.added" })),
      },
    };
  }),
  row("goes to nobody who has yet to take the account over", finishPasskey, async (world) => {
    const link = await givenLink(world, { email: { email, isEmailVerified: false } });
    return {
      request: (await made(world, link)).request,
      token: "",
      expected: { ok: (_answer, events) => expect(noticesIn(events)).toEqual([]) },
    };
  }),
]);
