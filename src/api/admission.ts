import type { HandlerContext } from "@connectrpc/connect";
import type { Permission, Scope } from "../domain/permission.ts";
import { lostAdmission } from "../domain/user/admission.ts";
import { type UserState, user } from "../domain/user/user.ts";
import { callOf } from "./call.ts";

/**
 * For handlers that do slow work between the gate and the decision: what the gate found is judged
 * anew where the decision is made, so that whoever loses the token or the role meanwhile does not
 * act any more. The command relies on `caller`; its decision begins with `refusal`.
 */
export function admissionOf(context: HandlerContext, permission: Permission, scope: Scope) {
  const { userId, tokenHash } = callOf(context).caller;
  return {
    caller: { noun: user, id: userId },
    refusal: (caller: UserState | undefined, nowMs: number) =>
      lostAdmission(caller, { tokenHash, permission, scope }, nowMs),
  };
}
