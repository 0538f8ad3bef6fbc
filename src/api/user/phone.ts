import type { HandlerContext } from "@connectrpc/connect";
import type { ResendPhoneCodeRequest, SetPhoneRequest } from "../../../gen/iam/user/v2/phone_pb.js";
import { codeFieldOf } from "../../domain/user/credential/code.ts";
import {
  removePhone,
  resendPhoneCode,
  setPhone,
  type Verification,
  verifyPhone,
} from "../../domain/user/human/phone.ts";
import { refuseActing } from "../../domain/user/state/acting.ts";
import { callOf, ownerPermissionOf, permissionOf } from "../call.ts";
import { changedDetailsV2 } from "../details.ts";
import type { Handlers } from "../handlers.ts";
import { perform, type Service } from "../service.ts";
import { freshCode } from "./code.ts";
import { requirePhoneNumber } from "./phone-number.ts";
import { actingOn, changeUser } from "./user.ts";

/** The handlers on phone numbers. */
export function phoneHandlers(service: Service) {
  const { keyring } = service;
  return {
    async setPhone(request, context) {
      const { userId } = request;
      const phone = await requirePhoneNumber(request.phone);
      const verification = readVerification(request.verification);
      const { text, code } = freshCode(service, "user.human.phone.code.added", userId);
      const input = { ...standingOf(userId, context), code, phone, verification };
      const verificationCode = verification === "RETURN_CODE" ? text : "";
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states, nowMs) => setPhone(states, input, nowMs),
        answer: (written) => ({ details: changedDetailsV2(written), verificationCode }),
      });
    },

    async resendPhoneCode(request, context) {
      const { userId } = request;
      const verification = readVerification(request.verification);
      const { text, code } = freshCode(service, "user.human.phone.code.added", userId);
      const input = { ...standingOf(userId, context), code, verification };
      const verificationCode = verification === "RETURN_CODE" ? text : "";
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states, nowMs) => resendPhoneCode(states, input, nowMs),
        answer: (written) => ({ details: changedDetailsV2(written), verificationCode }),
      });
    },

    async verifyPhone({ userId, verificationCode }, context) {
      const input = {
        ...standingOf(userId, context),
        ...showPhoneCode(keyring, userId, verificationCode),
      };
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states, nowMs) => verifyPhone(states, input, nowMs),
        answer: (written) => ({ details: changedDetailsV2(written) }),
      });
    },

    async removePhone({ userId }, context) {
      return await perform(service, context, {
        ...actingOn(userId, context),
        decide: (states) => removePhone(states, standingOf(userId, context)),
        answer: (written) => ({ details: changedDetailsV2(written) }),
      });
    },

    async updateHumanPhone(request, context) {
      const { userId } = request;
      const phone = await requirePhoneNumber(request.phone);
      const { code } = freshCode(service, "user.human.phone.code.added", userId);
      const verification = request.isPhoneVerified ? "IS_VERIFIED" : "SEND_CODE";
      const input = { ...ofManager(context), code, phone, verification } as const;
      return await changeUser(
        service,
        userId,
        context,
        (states, acted, nowMs) => refuseActing(states, acted) ?? setPhone(states, input, nowMs),
      );
    },

    removeHumanPhone: ({ userId }, context) =>
      changeUser(
        service,
        userId,
        context,
        (states, acted) => refuseActing(states, acted) ?? removePhone(states, ofManager(context)),
      ),
  } satisfies Handlers;
}

/** A code for the phone of a user as it came with a call, to be compared with the sealed one. */
export function showPhoneCode(keyring: Service["keyring"], userId: string, code: string) {
  const sealedField = codeFieldOf("user.human.phone.code.added", userId);
  return { opens: (sealed: string) => keyring.opens(sealed, sealedField, code) };
}

function standingOf(userId: string, context: HandlerContext) {
  const isSelf = callOf(context).caller.userId === userId;
  return { isSelf, permission: ownerPermissionOf(context) };
}

/** The standing of a caller who was let in to act on users of the organization of the call. */
function ofManager(context: HandlerContext) {
  return { isSelf: false, permission: permissionOf(context) };
}

function readVerification(
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
