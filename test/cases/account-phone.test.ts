import { expect } from "@jest/globals";
import type { VerifyPhoneResponse } from "../../gen/iam/account/v1/account_pb.js";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenPhone, imported, phone, refused } from "./accounts.ts";
import { expectMissed, other, pendingCode, phoneOf, wrong } from "./phones.ts";
import { fact, granted } from "./stored.ts";
import { detailsOfStream } from "./users.ts";

/** People verify their phones with nothing but the code of the message. */

const { verifyPhone } = AccountService.method;

runCases("AccountService.VerifyPhone", [
  row("verifies the phone", verifyPhone, async (world) => {
    const { server } = world;
    const { userId, code } = await givenPhone(world);
    return {
      request: { userId, code },
      token: "",
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toEqual([
            {
              ...{ stream: `user-${userId}`, version: 4, owner: server.admin.organization },
              ...{ type: "user.human.phone.verified", actor: userId, payload: {} },
            },
          ]);
          expect(details).toEqual(await detailsOfStream(server, `user-${userId}`));
          expect(await phoneOf(server, userId)).toEqual({ number: phone, isVerified: true });
        },
      },
    };
  }),
  row("refuses a code that was used", verifyPhone, async (world) => {
    const given = await givenPhone(world);
    granted<VerifyPhoneResponse>(await world.call(verifyPhone, given, ""));
    return { request: given, token: "", expected: refused };
  }),
  row("refuses the code of a number that was replaced", verifyPhone, async (world) => {
    const given = await givenPhone(world);
    const verification = { case: "isVerified", value: true } as const;
    const { setPhone } = UserService.method;
    granted(await world.call(setPhone, { userId: given.userId, phone: other, verification }));
    return { request: given, token: "", expected: refused };
  }),
  row("refuses the code of a number that was removed", verifyPhone, async (world) => {
    const given = await givenPhone(world);
    granted(await world.call(UserService.method.removePhone, { userId: given.userId }));
    return { request: given, token: "", expected: refused };
  }),
  row("refuses the code of the account", verifyPhone, async (world) => {
    const { userId } = await imported(world, { phone: { phone } });
    const place = { stream: `user-${userId}`, field: "initialization.code" };
    const event = (await world.server.store.readStream(place.stream, 0, 10)).find(
      ({ type }) => type === "user.human.initialization.code.added",
    );
    const { code: sealed } = JSON.parse(event!.payload) as { readonly code: string };
    return {
      request: { userId, code: world.server.keyring.open(sealed, place) },
      token: "",
      expected: { ...refused, leaves: ["user.human.phone.verification.failed"] },
    };
  }),
  row("counts what was tried with a token, too", verifyPhone, async (world) => {
    const { userId, code } = await givenPhone(world);
    const tries = [0, 1, 2, 3, 4].map((nth) => wrong(code, nth));
    await expectMissed(world, userId, tries);
    return { request: { userId, code }, token: "", expected: refused };
  }),
  row(
    "takes the code that was answered, in place of one that was sent",
    verifyPhone,
    async (world) => {
      const { userId } = await imported(world);
      const verification = { case: "returnCode", value: {} } as const;
      granted(await world.call(UserService.method.setPhone, { userId, phone, verification }));
      return {
        request: { userId, code: await pendingCode(world.server, userId) },
        token: "",
        expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
      };
    },
  ),
]);
