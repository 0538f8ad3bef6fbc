import { expect } from "@jest/globals";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { factsOf, told } from "./humans.ts";
import {
  codeInvalid,
  expectDetailsV2,
  expectMissed,
  givenCode,
  givenPerson,
  number,
  phoneOf,
  wrong,
} from "./phones.ts";
import { granted } from "./stored.ts";

/** whatever is wrong with a code, the answer is the same; every try counts. */

const { verifyPhone, setPhone, removePhone } = UserService.method;

runCases("VerifyPhone", [
  row("verifies the phone", verifyPhone, async (world) => {
    const { userId, token, code } = await givenCode(world);
    return {
      request: { userId, verificationCode: code },
      token,
      expected: {
        async ok({ details }, events) {
          expect(factsOf(world.server.keyring, events)).toEqual([told.phoneVerified]);
          expect(events).toMatchObject([{ stream: `user-${userId}`, actor: userId }]);
          expectDetailsV2(details, events);
          expect(await phoneOf(world.server, userId)).toEqual({ number, isVerified: true });
        },
      },
    };
  }),

  ...[
    ["wrong", (code: string) => wrong(code)],
    ["in lower case", (code: string) => lower(code)],
    ["with one letter in lower case", (code: string) => lowered(code)],
    ["with a space before it", (code: string) => ` ${code}`],
    ["with a line break behind it", (code: string) => `${code}\n`],
    ["cut", (code: string) => code.slice(0, -1)],
    ["with one character more", (code: string) => `${code}A`],
    ["of 20 characters", (code: string) => code.padEnd(20, "A")],
    ["of 20 characters of four bytes", () => "😀".repeat(20)],
    ["in other characters that look alike", (code: string) => wide(code)],
    ["one space", () => " "],
  ].map(([title, from]) =>
    row(`counts a try: ${title as string}`, verifyPhone, async (world) => {
      const { userId, code } = await givenCode(world);
      await expectMissed(world, userId, [(from as (code: string) => string)(code)]);
      return accepted(userId, code);
    }),
  ),

  row("accepts the code after four tries", verifyPhone, async (world) => {
    const { userId, code } = await givenCode(world);
    await expectMissed(world, userId, tries(code, 4));
    return accepted(userId, code);
  }),
  row("discards the code with the fifth try", verifyPhone, async (world) => {
    const { userId, code } = await givenCode(world);
    await expectMissed(world, userId, tries(code, 5));
    expect(await phoneOf(world.server, userId)).toEqual({ number, isVerified: false });
    return refused(userId, code);
  }),
  row("discards it one who tries", verifyPhone, async (world) => {
    const { userId, token, code } = await givenCode(world);
    await expectMissed(world, userId, tries(code, 3));
    const asThemself = { ...world, call: callAs(world, token) };
    await expectMissed(asThemself, userId, tries(code, 2));
    return { ...refused(userId, code), token };
  }),
  row("counts no try when no code is left", verifyPhone, async (world) => {
    const { userId, code } = await givenCode(world);
    await expectMissed(world, userId, tries(code, 5));
    return refused(userId, wrong(code));
  }),

  // Each is refused without an event, which runCases looks for.
  row("refuses a code that was used", verifyPhone, async (world) => {
    const { userId, code } = await givenCode(world);
    granted(await world.call(verifyPhone, { userId, verificationCode: code }));
    return refused(userId, code);
  }),
  row("refuses a wrong code for a verified phone", verifyPhone, async (world) => {
    const person = await givenPerson(world, { phone: { phone: number, isPhoneVerified: true } });
    return refused(person.userId, "ABCDEF");
  }),
  row("refuses a person without a phone", verifyPhone, async (world) =>
    refused((await givenPerson(world)).userId, "ABCDEF"),
  ),
  row("refuses a machine", verifyPhone, async ({ server }) =>
    refused((await givenUser(server, server.admin.organization)).userId, "ABCDEF"),
  ),
  row("refuses the code of a number that was replaced", verifyPhone, async (world) => {
    const { userId, code } = await givenCode(world);
    const verification = { case: "isVerified", value: true } as const;
    granted(await world.call(setPhone, { userId, phone: "+16502530000", verification }));
    return refused(userId, code);
  }),
  row("refuses the code of a number that was removed", verifyPhone, async (world) => {
    const { userId, code } = await givenCode(world);
    granted(await world.call(removePhone, { userId }));
    return refused(userId, code);
  }),
  row("counts the code of another person as a try", verifyPhone, async (world) => {
    const one = await givenCode(world);
    const another = await givenCode({ ...world, unique: `${world.unique} 2` });
    await expectMissed(world, one.userId, [another.code]);
    return accepted(one.userId, one.code);
  }),

  invalid("no code", "", "verification_code"),
  invalid("a code of 21 characters", "A".repeat(21), "verification_code"),
  invalid("a code of 21 emoji", "😀".repeat(21), "verification_code"),
  row("refuses no user", verifyPhone, () => ({
    request: { verificationCode: "ABCDEF" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["user_id"] },
  })),
]);

function accepted(userId: string, verificationCode: string) {
  return {
    request: { userId, verificationCode },
    expected: {
      ok: (_message: object, events: readonly object[]) => expect(events).toHaveLength(1),
    },
  };
}

function refused(userId: string, verificationCode: string) {
  return { request: { userId, verificationCode }, expected: codeInvalid };
}

/** A broken rule of the fields is no try. */
function invalid(title: string, verificationCode: string, field: string) {
  return row(`refuses ${title}`, verifyPhone, async (world) => ({
    request: { userId: (await givenCode(world)).userId, verificationCode },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: [field] },
  }));
}

function tries(code: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => wrong(code, index));
}

/** The same client with another token. */
function callAs({ call }: World, token: string): World["call"] {
  return (method, request) => call(method, request, token);
}

/** The code in lower case; a wrong one where it has no letter, as one in three thousand has. */
function lower(code: string): string {
  return /[A-Z]/.test(code) ? code.toLowerCase() : wrong(code);
}

function lowered(code: string): string {
  const at = code.search(/[A-Z]/);
  return code.slice(0, at) + code.charAt(at).toLowerCase() + code.slice(at + 1);
}

function wide(code: string): string {
  return [...code].map((one) => String.fromCodePoint(one.codePointAt(0)! + 0xfee0)).join("");
}
