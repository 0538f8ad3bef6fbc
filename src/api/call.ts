import { createContextKey, type HandlerContext } from "@connectrpc/connect";
import type { Decision, Rejection } from "../domain/decision.ts";
import type { Membership } from "../domain/permission.ts";
import type { Admission } from "../domain/user/admission.ts";

/** Who calls, as the token said when the call came in. */
export interface Caller {
  readonly userId: string;
  /** The organization that the user belongs to. */
  readonly organization: string;
  readonly memberships: readonly Membership[];
}

/** What the gate found out before the handler runs. */
export interface Call {
  readonly caller: Caller;
  /** What the caller was let in with. */
  readonly admission: Admission;
  /** The organization that the call acts on. */
  readonly organization: string;
  /** The header `accept-language` as it was sent, or empty. */
  readonly acceptLanguage: string;
}

export const callKey = createContextKey<Call | undefined>(undefined, { description: "call" });

/** The call a handler serves. The gate lets no call through without one. */
export function callOf(context: HandlerContext): Call {
  const call = context.values.get(callKey);
  if (call === undefined) throw new TypeError("the handler was reached past the gate");
  return call;
}

/** Whose command a handler gives, and what let the caller in. */
export function actorOf(context: HandlerContext) {
  const { caller, admission } = callOf(context);
  return { actor: caller.userId, admission };
}

/** Carries a refusal from a handler to the gateway, which answers it in the caller's protocol. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly rejection: Rejection;

  constructor(rejection: Rejection) {
    super(rejection.message);
    this.rejection = rejection;
  }
}

/** The refusal of a decision that is one. */
export function refusalOf({ rejection }: Decision<unknown>): Refused {
  if (rejection === undefined) throw new TypeError("the decision refuses nothing");
  return new Refused(rejection);
}
