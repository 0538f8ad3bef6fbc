import { expect } from "@jest/globals";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { givenEmail, humanOf, refused } from "./accounts.ts";
import { fact, granted } from "./stored.ts";
import { detailsOfStream } from "./users.ts";

/** People verify their e-mail addresses with nothing but the code of the mail. */

const { verifyEmail } = AccountService.method;
const { resendHumanEmailVerification, updateHumanEmail } = ManagementService.method;

runCases("AccountService.VerifyEmail", [
  row("verifies the address", verifyEmail, async (world) => {
    const { server } = world;
    const given = await givenEmail(world);
    const stream = `user-${given.userId}`;
    return {
      request: given,
      token: "",
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            { type: "user.human.email.verified", actor: given.userId, payload: {} },
          ]);
          expect(details).toEqual(await detailsOfStream(server, stream));
          const human = await humanOf(server, given.userId);
          expect(human).toMatchObject({
            ...{ email: "lovelace@example.com", isEmailVerified: true },
            // It is as much worth as the one who chose it.
            emailMade: { maker: server.admin.userId },
          });
          expect(human).not.toHaveProperty("emailCode");
        },
      },
    };
  }),
  row("takes the code of the link", verifyEmail, async (world) => {
    const { userId } = await givenEmail(world);
    const sealed = (await humanOf(world.server, userId))?.emailCode?.code ?? "";
    const place = { stream: `user-${userId}`, field: "email.code" };
    return {
      request: { userId, code: world.server.keyring.derive(sealed, place) },
      token: "",
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("refuses a code that was used", verifyEmail, async (world) => {
    const given = await givenEmail(world);
    granted(await world.call(verifyEmail, given, ""));
    return { request: given, token: "", expected: refused };
  }),
  row("refuses the code of an address that was replaced", verifyEmail, async (world) => {
    const given = await givenEmail(world);
    const replaced = { userId: given.userId, email: "countess@example.com" };
    granted(await world.call(updateHumanEmail, { ...replaced, isEmailVerified: true }));
    return { request: given, token: "", expected: refused };
  }),
  row("refuses the code of an earlier mail", verifyEmail, async (world) => {
    const given = await givenEmail(world);
    granted(await world.call(resendHumanEmailVerification, { userId: given.userId }));
    const leaves = ["user.human.email.verification.failed"];
    return { request: given, token: "", expected: { ...refused, leaves } };
  }),
]);
