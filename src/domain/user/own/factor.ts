import { accept, type Refusal, reject } from "../../decision.ts";
import { makersOf } from "../login/login.ts";
import type { EndingDecision, UserDecision } from "../state/acting.ts";
import { type Counted, hasRoom } from "../state/day.ts";
import type { UserEvent } from "../state/event.ts";
import { viaOf } from "../state/made.ts";
import { noticeOf } from "../state/notice.ts";
import { removing } from "../state/removal.ts";
import { sessionOf } from "../state/session.ts";
import type { UserState } from "../state/user.ts";
import type { Own } from "./own.ts";

/** The recovery codes that a person gets at a time. */
export const recoveryCodesAtOnce = 10;

/**
 * Gives the person an authenticator app, a code of which was shown: that code is used up. One that
 * was there goes with all that `removeOwnOTP` ends.
 */
export function addOwnOTP(
  user: UserState | undefined,
  { secret, step, ...own }: Own & Pick<SetUp, "secret" | "step">,
  nowMs: number,
): EndingDecision {
  if (sessionOf(user, own.sessionId, nowMs) === undefined) return reject("UNAUTHENTICATED");
  // The same form came twice.
  if (user?.human?.otpSecret === secret) return accept({});
  const hasOne = user?.human?.otpSecret !== undefined;
  const removed: EndingDecision = hasOne ? removeOwnOTP(user, own, nowMs) : accept({});
  if (removed.rejection !== undefined) return removed;
  const { user: [gone] = [], logouts = [] } = removed.events;
  // The mail about the new one says enough.
  return accept({ user: [...(gone ? [gone] : []), ...adding(user, { secret, step })], logouts });
}

/** The events that give an app, a code of which was shown, and tell of it. */
function adding(
  user: UserState | undefined,
  { secret, step }: Pick<SetUp, "secret" | "step">,
): readonly UserEvent[] {
  return [
    { type: "user.human.otp.added", payload: { secret } },
    { type: "user.human.otp.used", payload: { step } },
    ...noticeOf(user, { about: "otp.added" }),
  ];
}

/** An authenticator app that a person sets up in order to be let in, a code of which was shown. */
interface SetUp {
  readonly userId: string;
  /** Sealed. */
  readonly secret: string;
  /** The step of time of the code. */
  readonly step: number;
  /** The SHA-256 of each recovery code. */
  readonly hashes: readonly string[];
}

/**
 * Gives a person an authenticator app with recovery codes who has shown the password, and has to
 * show more. Who made the password has a hand in the codes.
 */
export function setUpOTP(
  user: UserState | undefined,
  { userId, secret, step, hashes }: SetUp,
  nowMs: number,
): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (user === undefined || human === undefined) return reject("UNAUTHENTICATED");
  if (human.initialization !== undefined) return reject("USER_NOT_INITIALIZED");
  // The same form came twice: the codes that were made last are valid.
  const isAgain = human.otpSecret === secret;
  if (human.otpSecret !== undefined && !isAgain) return reject("NOTHING_CHANGED");
  const hands = makersOf(user, { factors: ["password"] }, nowMs);
  const codes = { hashes, ...viaOf(userId, { maker: userId, via: hands }) };
  return accept({
    user: [
      ...(isAgain ? [] : adding(user, { secret, step })),
      { type: "user.human.recovery_codes.set", payload: codes },
    ],
  });
}

/**
 * Takes the authenticator app from the person with the recovery codes, and ends all that came from
 * logins but the session itself: a thief of the old device may be logged in.
 */
export function removeOwnOTP(user: UserState | undefined, own: Own, nowMs: number): EndingDecision {
  const type = "user.human.otp.removed";
  const event = { type, payload: { sessions: [own.sessionId] } } as const;
  const told = { userId: own.userId, about: "otp.removed" } as const;
  return refuseOwn(user, own, type, nowMs) ?? removing(user, told, event, nowMs);
}

/** Gives the person recovery codes in place of any before, by the SHA-256 of each. */
export function setRecoveryCodes(
  user: UserState | undefined,
  { hashes, ...own }: Own & { readonly hashes: readonly string[] },
  nowMs: number,
): UserDecision {
  const refused = refuseOwn(user, own, "user.human.recovery_codes.set", nowMs);
  if (refused !== undefined) return refused;
  // Who made what was shown for the session has a hand in it.
  const via = sessionOf(user, own.sessionId, nowMs)?.via;
  const payload = { hashes, ...(via === undefined ? {} : { via }) };
  const told = noticeOf(user, { about: "recovery_codes.added" });
  return accept({ user: [{ type: "user.human.recovery_codes.set", payload }, ...told] });
}

function refuseOwn(
  user: UserState | undefined,
  { sessionId }: Own,
  type: Counted,
  nowMs: number,
): Refusal | undefined {
  if (sessionOf(user, sessionId, nowMs) === undefined) return reject("UNAUTHENTICATED");
  const human = user?.human;
  if (human?.otpSecret === undefined) return reject("OTP_NOT_FOUND");
  return hasRoom(human.login, type, nowMs) ? undefined : reject("LIMIT_REACHED");
}
