import { accept, type Problem, type Refusal, reject } from "../../decision.ts";
import { holdsAnywhere, type Permission } from "../../permission.ts";
import { type Acting, isReachable, outranks, type UserDecision } from "../state/acting.ts";
import { codeLifetimesMs, type Person } from "../state/human-state.ts";
import { noticeOf } from "../state/notice.ts";
import type { UserState } from "../state/user.ts";

/** Milliseconds that must lie between two codes for one user: 30 s. */
export const codeIntervalMs = 30_000;

/** The way in which a new phone number is verified. */
export type Verification = "SEND_CODE" | "RETURN_CODE" | "IS_VERIFIED";

/** The standing of the caller towards the user. */
interface Standing {
  /** Whether the caller acts on itself. */
  readonly isSelf: boolean;
  /** The permission that callers need where the user is, unless they act on themselves. */
  readonly permission: Permission;
}

/** A code that is made for the phone of a user. */
export type NewCode = Standing & {
  /** A fresh code, sealed. */
  readonly code: string;
  readonly verification: Verification;
};

/** A code as it came with a call. */
export interface Shown {
  /** Whether what is stored is of the code that was shown, in constant time. */
  opens(stored: string): boolean;
}

/** The rule of a phone number: E.164, or undefined where the given text is none. */
export function phoneProblem(number: string | undefined): Problem {
  return number === undefined
    ? "must be a global phone number, for example +41 44 668 18 00"
    : undefined;
}

/** Gives a person a phone number, as E.164, or another one. */
export function setPhone(
  acting: Acting,
  input: NewCode & { readonly phone: string },
  nowMs: number,
): UserDecision {
  const refusal = refuseActing(acting, input) ?? refusePrivilege(acting, input);
  if (refusal !== undefined) return refusal;
  const human = acting.user?.human;
  if (human === undefined) return reject("USER_NOT_HUMAN");

  const { phone, verification } = input;
  const isSame = human.phone?.number === phone;
  if (isSame && human.phone?.isVerified) return reject("NOTHING_CHANGED");
  const changed = isSame ? [] : [{ type: "user.human.phone.changed", payload: { phone } } as const];
  const told = isSame ? [] : noticeOf(acting.user, { about: "phone.changed" });
  if (verification === "IS_VERIFIED") {
    const verified = { type: "user.human.phone.verified", payload: {} } as const;
    return accept({ user: [...changed, verified, ...told] });
  }
  const events = [...changed, codeAdded(input, nowMs), ...told];
  return refuseTooSoon(human, nowMs) ?? accept({ user: events });
}

/** Makes a new code for a number that is not verified; the one before no longer counts. */
export function resendPhoneCode(acting: Acting, input: NewCode, nowMs: number): UserDecision {
  const refusal = refuseActing(acting, input) ?? refusePrivilege(acting, input);
  if (refusal !== undefined) return refusal;
  const human = acting.user?.human;
  if (human?.phone === undefined) return reject("PHONE_MISSING");
  if (human.phone.isVerified) return reject("NOTHING_CHANGED");
  return refuseTooSoon(human, nowMs) ?? accept({ user: [codeAdded(input, nowMs)] });
}

/** Verifies the phone number of a user by the code that was shown. */
export function verifyPhone(acting: Acting, input: Standing & Shown, nowMs: number): UserDecision {
  return refuseActing(acting, input) ?? tryPhoneCode(acting.user, input, nowMs);
}

/**
 * Compares the pending code with the one that was shown. Every try leaves an event, refused or not;
 * whatever is wrong with a code, the answer is the same.
 */
export function tryPhoneCode(
  user: UserState | undefined,
  shown: Shown,
  nowMs: number,
): UserDecision {
  const code = user?.human?.phone?.code;
  if (code === undefined || code.expirationMs <= nowMs) return reject("CODE_INVALID");
  if (!shown.opens(code.code)) {
    return {
      ...reject("CODE_INVALID"),
      events: { user: [{ type: "user.human.phone.verification.failed", payload: {} }] },
    };
  }
  return accept({ user: [{ type: "user.human.phone.verified", payload: {} }] });
}

/** Takes the phone number from a user. */
export function removePhone(acting: Acting, standing: Standing): UserDecision {
  const refusal = refuseActing(acting, standing);
  if (refusal !== undefined) return refusal;
  const { user } = acting;
  if (user?.human?.phone === undefined) return reject("PHONE_MISSING");
  return accept({
    user: [
      { type: "user.human.phone.removed", payload: {} },
      ...noticeOf(user, { about: "phone.removed" }),
    ],
  });
}

/** The refusal of a caller who neither acts on itself nor may do so on the user. */
function refuseActing(
  { user, caller }: Acting,
  { isSelf, permission }: Standing,
): Refusal | undefined {
  if (isSelf) return undefined;
  if (!holdsAnywhere(caller?.memberships ?? [], permission)) return reject("PERMISSION_DENIED");
  if (!isReachable(user, caller, permission)) return reject("USER_NOT_FOUND");
  return outranks(caller, user) ? undefined : reject("ESCALATION_DENIED");
}

/** The refusal to show or skip a code: even for oneself, that takes the permission. */
function refusePrivilege(
  { user, caller }: Acting,
  { verification, permission }: NewCode,
): Refusal | undefined {
  if (verification === "SEND_CODE" || isReachable(user, caller, permission)) return undefined;
  return reject("PERMISSION_DENIED");
}

function codeAdded({ code, verification }: NewCode, nowMs: number) {
  const expirationMs = nowMs + codeLifetimesMs.phone;
  const send = verification === "SEND_CODE";
  return { type: "user.human.phone.code.added", payload: { code, expirationMs, send } } as const;
}

function refuseTooSoon({ phoneCodeMs }: Person, nowMs: number): Refusal | undefined {
  const sinceMs = nowMs - (phoneCodeMs ?? Number.NEGATIVE_INFINITY);
  // A code from far ahead means that a clock was set back: nobody is to wait for it to catch up.
  if (sinceMs >= codeIntervalMs || sinceMs < -codeIntervalMs) return undefined;
  const retryMs = codeIntervalMs - sinceMs;
  const seconds = Math.ceil(retryMs / 1_000);
  const message = `A code was created just now: ask again in ${seconds} s.`;
  return { events: {}, rejection: { reason: "CODE_TOO_SOON", message, retryMs } };
}
