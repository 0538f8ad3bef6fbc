import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  RemovePhoneRequest,
  RemovePhoneResponseSchema,
  ResendPhoneCodeRequest,
  ResendPhoneCodeResponseSchema,
  SetPhoneRequest,
  SetPhoneResponseSchema,
  VerifyPhoneRequest,
  VerifyPhoneResponseSchema,
} from "../../../gen/iam/user/v2/phone_pb.js";
import { invalidFields } from "../../domain/decision.ts";
import { streamOf } from "../../domain/noun.ts";
import {
  removePhone,
  resendPhoneCode,
  setPhone,
  type Verification,
  verifyPhone,
} from "../../domain/user/phone.ts";
import { user } from "../../domain/user/user.ts";
import { callOf, Refused } from "../call.ts";
import { changedDetailsV2 } from "../details.ts";
import { type Service, written } from "../service.ts";
import { createCode } from "./code.ts";
import { readPhoneNumber } from "./contact.ts";
import { actingOn } from "./user.ts";

/** The handlers on phone numbers. */
export function phoneHandlers(service: Service) {
  const { execute, keyring } = service;
  return {
    async setPhone(
      { userId, phone, verification }: SetPhoneRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof SetPhoneResponseSchema>> {
      const read = readPhoneNumber("phone", phone);
      if (!read.ok) throw new Refused(invalidFields([read.violation]));
      const chosen = verificationOf(verification);
      const fresh = freshCode(service, userId);
      const outcome = await execute({
        ...actingOn(userId, context),
        decide: (states, nowMs) =>
          setPhone(
            states,
            { ...selfOf(userId, context), ...fresh, phone: read.number, verification: chosen },
            nowMs,
          ),
      });
      return {
        details: changedDetailsV2(written(outcome)),
        verificationCode: chosen === "RETURN_CODE" ? fresh.text : "",
      };
    },

    async resendPhoneCode(
      { userId, verification }: ResendPhoneCodeRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof ResendPhoneCodeResponseSchema>> {
      const chosen = verificationOf(verification);
      const fresh = freshCode(service, userId);
      const outcome = await execute({
        ...actingOn(userId, context),
        decide: (states, nowMs) =>
          resendPhoneCode(
            states,
            { ...selfOf(userId, context), ...fresh, verification: chosen },
            nowMs,
          ),
      });
      return {
        details: changedDetailsV2(written(outcome)),
        verificationCode: chosen === "RETURN_CODE" ? fresh.text : "",
      };
    },

    async verifyPhone(
      { userId, verificationCode }: VerifyPhoneRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof VerifyPhoneResponseSchema>> {
      const place = phoneCodePlace(userId);
      const opens = (sealed: string) => keyring.opens(sealed, place, verificationCode);
      const outcome = await execute({
        ...actingOn(userId, context),
        decide: (states, nowMs) =>
          verifyPhone(states, { ...selfOf(userId, context), opens }, nowMs),
      });
      return { details: changedDetailsV2(written(outcome)) };
    },

    async removePhone(
      { userId }: RemovePhoneRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof RemovePhoneResponseSchema>> {
      const outcome = await execute({
        ...actingOn(userId, context),
        decide: (states) => removePhone(states, selfOf(userId, context)),
      });
      return { details: changedDetailsV2(written(outcome)) };
    },
  };
}

/** Where phone codes are sealed to. */
export function phoneCodePlace(userId: string) {
  return { stream: streamOf(user, userId), field: "phone.code" };
}

/** A new code as people read it, and sealed as the log keeps it. */
export function freshCode({ random, keyring }: Service, userId: string) {
  const text = createCode(random);
  return { text, code: keyring.seal(text, phoneCodePlace(userId)) };
}

function selfOf(userId: string, context: HandlerContext): { readonly isSelf: boolean } {
  return { isSelf: callOf(context).caller.userId === userId };
}

function verificationOf(
  verification: SetPhoneRequest["verification"] | ResendPhoneCodeRequest["verification"],
): Verification {
  switch (verification.case) {
    case "returnCode":
      return "RETURN_CODE";
    case "isVerified":
      return verification.value ? "IS_VERIFIED" : "SEND_CODE";
    default:
      return "SEND_CODE";
  }
}
