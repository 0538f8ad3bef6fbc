import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type { SetPhoneRequest, SetPhoneRequestSchema } from "../../gen/iam/user/v2/phone_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { factsOf, type GivenHuman, type Told, told } from "./humans.ts";
import { expectDetailsV2, givenPerson, number, other, phoneOf } from "./phones.ts";
import { granted } from "./stored.ts";
import { givenHuman } from "./users.ts";

/** SetPhone, ResendPhoneCode and RemovePhone: what they store and answer. */

const { setPhone, removePhone, resendPhoneCode } = UserService.method;

type Given = Exclude<MessageInitShape<typeof SetPhoneRequestSchema>, SetPhoneRequest>;

const sendCode: Given = { verification: { case: "sendCode", value: {} } };
const returnCode: Given = { verification: { case: "returnCode", value: {} } };
const verified: Given = { verification: { case: "isVerified", value: true } };
const notVerified: Given = { verification: { case: "isVerified", value: false } };

const changed: Told = ["user.human.phone.changed", { phone: other }];
const answered: Told = [told.phoneCode[0], { ...told.phoneCode[1], send: false }];

const unverified: GivenHuman = { phone: { phone: number } };
const known: GivenHuman = { phone: { phone: number, isPhoneVerified: true } };

const tooSoon = { code: 8, reason: "CODE_TOO_SOON" };
const nothingChanged = { code: 9, reason: "NOTHING_CHANGED" };
const phoneMissing = {
  code: 9,
  reason: "PHONE_MISSING",
  message: "The user has no phone number.",
};

runCases("SetPhone", [
  set("sends a code where nothing is said", {}, {}, [changed, told.phoneCode]),
  set("sends a code", {}, sendCode, [changed, told.phoneCode]),
  set("sends a code where verified is false", {}, notVerified, [changed, told.phoneCode]),
  set("answers a code", {}, returnCode, [changed, answered]),
  set("takes the number for verified", {}, verified, [changed, told.phoneVerified]),
  set("replaces a number that is verified", known, {}, [changed, told.phoneCode]),
  set("verifies another number while a code is pending", unverified, verified, [
    changed,
    told.phoneVerified,
  ]),
  set("verifies the number while a code is pending", unverified, { ...verified, phone: number }, [
    told.phoneVerified,
  ]),
  set(
    "knows the number in other words",
    unverified,
    { ...verified, phone: "tel:+41 44-668.18 00" },
    [told.phoneVerified],
  ),
  set("stores a number as E.164", {}, { phone: "tel:+1 (650) 253-0000" }, [
    changed,
    told.phoneCode,
  ]),
  set("stores a number of 50 characters", {}, { phone: other.padEnd(50, "-") }, [
    changed,
    told.phoneCode,
  ]),

  setRefused("a number that is verified", known, { phone: number }, nothingChanged),
  setRefused("to verify it again", known, { ...verified, phone: number }, nothingChanged),
  setRefused("a code just after one was made", unverified, {}, tooSoon),
  setRefused("a code in the answer, too", unverified, returnCode, tooSoon),
  setRefused("a code for the same number", unverified, { phone: number }, tooSoon),
  ...["", "044", "+41446681800;ext=1", "+1 555", other.padEnd(51, "-"), "+41\x246681800"].map(
    (phone) => setRefused(`the number ${JSON.stringify(phone)}`, {}, { phone }, invalid("phone")),
  ),
  row("refuses no user", setPhone, () => ({
    request: { userId: "", phone: "044" },
    expected: { ...invalid("user_id"), fields: ["user_id", "phone"] },
  })),
  row("refuses a machine", setPhone, async ({ server }) => ({
    request: { userId: (await givenUser(server, server.admin.organization)).userId, phone: number },
    expected: {
      code: 9,
      reason: "USER_NOT_HUMAN",
      message: "The user is a machine, which has no phone.",
    },
  })),
  row("ignores the header of organizations", setPhone, async (world) => {
    const { userId, token } = await givenPerson(world);
    return {
      request: { userId, phone: number },
      headers: { "x-service-orgid": `${world.unique}, ${world.unique}` },
      token,
      expected: { ok: (_message, events) => expect(events).toHaveLength(2) },
    };
  }),
]);

runCases("ResendPhoneCode", [
  row("makes a code for a number that has none", resendPhoneCode, async ({ server }) => {
    const numbered = { type: "user.human.phone.changed", payload: { phone: number } } as const;
    const userId = await givenHuman(server, server.admin.organization, {}, [numbered]);
    return {
      request: { userId },
      expected: {
        ok({ details }, events) {
          expect(factsOf(server.keyring, events)).toEqual([told.phoneCode]);
          expectDetailsV2(details, events);
        },
      },
    };
  }),
  resendRefused(
    "just after one was made",
    async (world) => givenPerson(world, unverified),
    tooSoon,
  ),
  resendRefused("for a verified number", async (world) => givenPerson(world, known), {
    ...nothingChanged,
    message: "The call would change nothing.",
  }),
  resendRefused("without a number", async (world) => givenPerson(world), phoneMissing),
  resendRefused(
    "for a machine",
    async ({ server }) => givenUser(server, server.admin.organization),
    phoneMissing,
  ),
  row("refuses no user", resendPhoneCode, () => ({
    request: {},
    expected: invalid("user_id"),
  })),
]);

runCases("RemovePhone", [
  ...(
    [
      ["verified", known],
      ["unverified", unverified],
    ] as const
  ).map(([title, human]) =>
    row(`removes a number that is ${title}`, removePhone, async (world) => {
      const { userId, token } = await givenPerson(world, human);
      return {
        request: { userId },
        token,
        expected: {
          async ok({ details }, events) {
            const { keyring } = world.server;
            expect(factsOf(keyring, events)).toEqual([["user.human.phone.removed", {}]]);
            expect(events).toMatchObject([{ stream: `user-${userId}`, actor: userId }]);
            expectDetailsV2(details, events);
            expect(await phoneOf(world.server, userId)).toBeUndefined();
          },
        },
      };
    }),
  ),
  row("refuses a person without a number", removePhone, async (world) => ({
    request: { userId: (await givenPerson(world)).userId },
    expected: phoneMissing,
  })),
  row("refuses to remove it twice", removePhone, async (world) => {
    const { userId } = await givenPerson(world, known);
    granted(await world.call(removePhone, { userId }));
    return { request: { userId }, expected: phoneMissing };
  }),
  row("refuses a machine", removePhone, async ({ server }) => ({
    request: { userId: (await givenUser(server, server.admin.organization)).userId },
    expected: phoneMissing,
  })),
  row("refuses no user", removePhone, () => ({ request: {}, expected: invalid("user_id") })),
  // There would be no end of text messages if a code could be had for each removal.
  row("does not make the next code come sooner", setPhone, async (world) => {
    const { userId } = await givenPerson(world, unverified);
    granted(await world.call(removePhone, { userId }));
    return { request: { userId, phone: number }, expected: tooSoon };
  }),
]);

/** A change that is made by who owns the instance; only codes that were asked for come back. */
function set(name: string, human: GivenHuman, given: Given, stored: readonly Told[]) {
  return row(name, setPhone, async (world) => {
    const { userId } = await givenPerson(world, human);
    return {
      request: { userId, phone: other, ...given },
      expected: {
        async ok({ details, verificationCode }, events) {
          const facts = factsOf(world.server.keyring, events);
          expect(facts).toEqual(stored);
          expectDetailsV2(details, events);
          const stream = { stream: `user-${userId}`, actor: world.server.admin.userId };
          expect(events).toMatchObject(events.map(() => stream));
          const code = given === returnCode ? facts[1]?.[1] : { code: "" };
          expect(code).toMatchObject({ code: verificationCode });
          expect(await phoneOf(world.server, userId)).toMatchObject({
            isVerified: stored.includes(told.phoneVerified),
          });
        },
      },
    };
  });
}

interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message?: string;
  readonly fields?: readonly string[];
}

function setRefused(what: string, human: GivenHuman, given: Given, expected: Refusal) {
  return row(`refuses ${what}`, setPhone, async (world) => ({
    request: { userId: (await givenPerson(world, human)).userId, phone: other, ...given },
    expected,
  }));
}

function resendRefused(
  when: string,
  given: (world: World) => Promise<{ readonly userId: string }>,
  expected: Refusal,
) {
  return row(`refuses a new code ${when}`, resendPhoneCode, async (world) => ({
    request: { userId: (await given(world)).userId },
    expected,
  }));
}

function invalid(field: string): Refusal {
  return { code: 3, reason: "INVALID_FIELDS", fields: [field] };
}
