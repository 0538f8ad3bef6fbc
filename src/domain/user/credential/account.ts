import { accept, type Decision, type Refusal, reject, rejectFields } from "../../decision.ts";
import { type Shown, tryPhoneCode } from "../human/phone.ts";
import type { UserDecision } from "../state/acting.ts";
import type { CredentialState } from "../state/credential-state.ts";
import type { UserEvent } from "../state/event.ts";
import { isSpent } from "../state/human-state.ts";
import { noticeOf } from "../state/notice.ts";
import type { Passkey } from "../state/passkey.ts";
import { sessionOf } from "../state/session.ts";
import { type UserState, userLimits } from "../state/user.ts";

/** Checks a code against that of the initialization mail; a miss is counted. */
export function checkInitialization(
  user: UserState | undefined,
  shown: Shown,
  nowMs: number,
): UserDecision {
  const code = findActive(user)?.initialization;
  if (code === undefined || isSpent(code, nowMs)) return reject("CODE_INVALID");
  if (shown.opens(code.code)) return accept({});
  return countMiss({ type: "user.human.initialization.failed", payload: {} });
}

/** Lets the person take the account over, with the hash of a password where one was chosen. */
export function initialize(
  user: UserState | undefined,
  { passwordHash, ...shown }: Shown & { readonly passwordHash?: string },
  nowMs: number,
): UserDecision {
  const checked = checkInitialization(user, shown, nowMs);
  const human = findActive(user);
  if (checked.rejection !== undefined || human === undefined) return checked;
  if (passwordHash === undefined && human.passwordHash === undefined) {
    return rejectFields([
      { field: "password", description: "must be given: the account has no password" },
    ]);
  }
  const isMailed = human.initialization?.send !== false;
  const verified: readonly UserEvent[] =
    human.isEmailVerified || !isMailed ? [] : [{ type: "user.human.email.verified", payload: {} }];
  const changed: readonly UserEvent[] =
    passwordHash === undefined
      ? []
      : [{ type: "user.human.password.changed", payload: { passwordHash } }];
  return accept({
    user: [...verified, ...changed, { type: "user.human.initialized", payload: {} }],
  });
}

/**
 * Checks a code against that of a link to register a passkey, for which there must be room; a miss
 * is counted.
 */
export function checkPasskeyCode(
  user: UserState | undefined,
  { codeId, ...shown }: Shown & { readonly codeId: string },
  nowMs: number,
): UserDecision {
  const human = findActive(user);
  const code = human?.passwordless.find((made) => made.codeId === codeId);
  if (human === undefined || code === undefined || isSpent(code, nowMs)) {
    return reject("CODE_INVALID");
  }
  // Somebody who was logged in may have kept a link.
  const { sessionId } = code;
  const isOver = sessionId !== undefined && sessionOf(user, sessionId, nowMs) === undefined;
  if (isOver) return reject("CODE_INVALID");
  if (shown.opens(code.codeHash)) return refusePasskey(human) ?? accept({});
  return countMiss({ type: "user.human.passwordless.initialization.failed", payload: { codeId } });
}

/** Registers a passkey that has been verified. */
export function addPasskey(
  user: UserState | undefined,
  { passkey, ...shown }: Shown & { readonly codeId: string; readonly passkey: Passkey },
  nowMs: number,
): UserDecision {
  const checked = checkPasskeyCode(user, shown, nowMs);
  if (checked.rejection !== undefined) return checked;
  const human = findActive(user);
  // A claim keeps passkeys apart that different users have.
  if (human?.passkeys.some(({ credentialId }) => credentialId === passkey.credentialId)) {
    return reject("PASSKEY_TAKEN");
  }
  const payload = { codeId: shown.codeId, ...passkey };
  return accept({
    user: [
      { type: "user.human.passwordless.token.added", payload },
      ...noticeOf(user, { about: "passkey.added" }),
    ],
  });
}

/** The refusal of one more passkey. */
export function refusePasskey({ passkeys }: CredentialState): Refusal | undefined {
  const most = userLimits.passkeys;
  if (passkeys.length < most) return undefined;
  return reject("LIMIT_REACHED", `The user has ${most} passkeys: remove one first.`);
}

/** Verifies the e-mail address by the code of its mail; a miss is counted. */
export function verifyOwnEmail(
  user: UserState | undefined,
  shown: Shown,
  nowMs: number,
): UserDecision {
  const code = findActive(user)?.emailCode;
  if (code === undefined || isSpent(code, nowMs)) return reject("CODE_INVALID");
  return shown.opens(code.code)
    ? accept({ user: [{ type: "user.human.email.verified", payload: {} }] })
    : countMiss({ type: "user.human.email.verification.failed", payload: {} });
}

/**
 * Verifies the phone number, as `verifyPhone` does, for a person who comes with nothing but the
 * code.
 */
export function verifyOwnPhone(
  user: UserState | undefined,
  shown: Shown,
  nowMs: number,
): UserDecision {
  if (findActive(user) === undefined) return reject("CODE_INVALID");
  return tryPhoneCode(user, shown, nowMs);
}

/**
 * The person, where a mail may help to get in: an account that nobody has taken over has another,
 * and an address that nobody has verified may be anybody's.
 */
export function findProven(user: UserState | undefined): UserState["human"] {
  const human = findActive(user);
  return human?.initialization === undefined && human?.isEmailVerified ? human : undefined;
}

/** The person, unless the user is a machine or out of use. */
function findActive(user: UserState | undefined): UserState["human"] {
  return user?.isInactive ? undefined : user?.human;
}

function countMiss(event: UserEvent): Decision<{ user: readonly UserEvent[] }> {
  return { ...reject("CODE_INVALID"), events: { user: [event] } };
}
