import { accept, reject } from "../decision.ts";
import { holdsAnywhere } from "../permission.ts";
import {
  type Acting,
  escalation,
  lies,
  outranks,
  type UserDecision,
  userNotFound,
} from "./acting.ts";
import { codeLifetimesMs, type HumanState } from "./human-state.ts";

/** Time that must lie between two codes for one user: 30 s. */
export const codeIntervalMs = 30_000;

/** How a new phone number is to be verified. */
export type Verification = "SEND_CODE" | "RETURN_CODE" | "IS_VERIFIED";

interface Input {
  /** Whether the caller acts on itself. */
  readonly isSelf: boolean;
}

type NewCode = Input & {
  /** A fresh code, sealed. */
  readonly code: string;
  readonly verification: Verification;
};

/** Gives a person a phone number, as E.164, or another one. */
export function setPhone(
  acting: Acting,
  input: NewCode & { readonly phone: string },
  nowMs: number,
): UserDecision {
  const refusal = refusalFor(acting, input) ?? refusalOfPrivilege(acting, input.verification);
  if (refusal !== undefined) return refusal;
  const human = acting.user?.human;
  if (human === undefined) return notHuman();

  const { phone, verification } = input;
  const isSame = human.phone?.number === phone;
  if (isSame && human.phone?.isVerified) {
    return reject("NOTHING_CHANGED", "The user has this phone number already, and it is verified.");
  }
  const changed = isSame ? [] : [{ type: "user.human.phone.changed", payload: { phone } } as const];
  if (verification === "IS_VERIFIED") {
    return accept({ user: [...changed, { type: "user.human.phone.verified", payload: {} }] });
  }
  return tooSoon(human, nowMs) ?? accept({ user: [...changed, codeAdded(input, nowMs)] });
}

/** Makes a new code for a number that is not verified; the one before no longer counts. */
export function resendPhoneCode(acting: Acting, input: NewCode, nowMs: number): UserDecision {
  const refusal = refusalFor(acting, input) ?? refusalOfPrivilege(acting, input.verification);
  if (refusal !== undefined) return refusal;
  const human = acting.user?.human;
  if (human?.phone === undefined) return noPhone();
  if (human.phone.isVerified) {
    return reject("NOTHING_CHANGED", "The phone number is verified already.");
  }
  return tooSoon(human, nowMs) ?? accept({ user: [codeAdded(input, nowMs)] });
}

/**
 * Every try that is compared with a pending code leaves an event, refused or not;
 * whatever is wrong with a code, the answer is the same.
 */
export function verifyPhone(
  acting: Acting,
  input: Input & {
    /** Whether the sealed code is the one that came with the call, in constant time. */
    opens(sealed: string): boolean;
  },
  nowMs: number,
): UserDecision {
  const refusal = refusalFor(acting, input);
  if (refusal !== undefined) return refusal;
  const code = acting.user?.human?.phone?.code;
  if (code === undefined || code.expirationMs <= nowMs) return wrongCode();
  if (!input.opens(code.code)) {
    return {
      ...wrongCode(),
      events: { user: [{ type: "user.human.phone.verification.failed", payload: {} }] },
    };
  }
  return accept({ user: [{ type: "user.human.phone.verified", payload: {} }] });
}

export function removePhone(acting: Acting, input: Input): UserDecision {
  const refusal = refusalFor(acting, input);
  if (refusal !== undefined) return refusal;
  if (acting.user?.human?.phone === undefined) return noPhone();
  return accept({ user: [{ type: "user.human.phone.removed", payload: {} }] });
}

/** Users may act on themselves; others need to be allowed to write users where the user is. */
function refusalFor({ user, caller }: Acting, { isSelf }: Input): UserDecision | undefined {
  if (isSelf) return undefined;
  if (!holdsAnywhere(caller?.memberships ?? [], "user.write")) return denied();
  if (!lies(user, caller, "user.write")) return userNotFound();
  return outranks(caller, user) ? undefined : escalation("The user");
}

/** Who sees a code or skips it must be allowed to write the user, oneself included. */
function refusalOfPrivilege(
  { user, caller }: Acting,
  verification: Verification,
): UserDecision | undefined {
  if (verification === "SEND_CODE" || lies(user, caller, "user.write")) return undefined;
  return denied();
}

function codeAdded({ code, verification }: NewCode, nowMs: number) {
  const expirationMs = nowMs + codeLifetimesMs.phone;
  const send = verification === "SEND_CODE";
  return { type: "user.human.phone.code.added", payload: { code, expirationMs, send } } as const;
}

function tooSoon({ phoneCodeMs }: HumanState, nowMs: number): UserDecision | undefined {
  const sinceMs = nowMs - (phoneCodeMs ?? Number.NEGATIVE_INFINITY);
  // A code from far ahead means that a clock was set back: nobody is to wait for it to catch up.
  if (sinceMs >= codeIntervalMs || sinceMs < -codeIntervalMs) return undefined;
  const waitMs = codeIntervalMs - sinceMs;
  const seconds = Math.ceil(waitMs / 1_000);
  return reject("CODE_TOO_SOON", `A code was made just now: ask again in ${seconds} s.`);
}

function denied(): UserDecision {
  return reject(
    "PERMISSION_DENIED",
    "The caller does not hold the permission that this needs on this user.",
  );
}

export function wrongCode(): UserDecision {
  return reject("CODE_INVALID", "The code is not valid: check it, or ask for a new one.");
}

function noPhone(): UserDecision {
  return reject("PHONE_MISSING", "The user has no phone number.");
}

function notHuman(): UserDecision {
  return reject("USER_NOT_HUMAN", "The user is a machine, which has no phone.");
}
