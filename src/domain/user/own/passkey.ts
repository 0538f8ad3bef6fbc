import { accept, reject } from "../../decision.ts";
import { refuseLink } from "../credential/invitation.ts";
import type { EndingDecision, UserDecision } from "../state/acting.ts";
import { codeLifetimesMs } from "../state/human-state.ts";
import type { Passkey } from "../state/passkey.ts";
import type { PasswordlessCode } from "../state/passkey-link.ts";
import { removing } from "../state/removal.ts";
import { sessionOf } from "../state/session.ts";
import type { UserState } from "../state/user.ts";
import { asSelf, type Own, refuseFull } from "./own.ts";
import { type HeldWays, hasWayIn, type WaysIn } from "./ways-in.ts";

/**
 * Makes a link with which the person registers a passkey as long as the session goes on. Who made
 * what was shown for that has a hand in it.
 */
export function addOwnPasskeyLink(
  user: UserState | undefined,
  { sessionId, codeId, codeHash }: Own & Pick<PasswordlessCode, "codeId" | "codeHash">,
  nowMs: number,
): UserDecision {
  const session = sessionOf(user, sessionId, nowMs);
  if (user?.human === undefined || session === undefined) return reject("UNAUTHENTICATED");
  const full = refuseLink(user.human, nowMs);
  if (full !== undefined) return full;
  const { via } = session;
  const expirationMs = nowMs + codeLifetimesMs.passwordless;
  const payload = { codeId, codeHash, expirationMs, sessionId, ...(via ? { via } : {}) };
  return accept({
    user: [{ type: "user.human.passwordless.initialization.code.added", payload }],
  });
}

/**
 * Takes a passkey from the person, and ends all that came from logins but the session itself:
 * a thief of the device may be logged in by it.
 */
export function removeOwnPasskey(
  user: UserState | undefined,
  { userId, sessionId, credentialId, ways }: Own & Removed,
  nowMs: number,
): EndingDecision {
  const human = user?.human;
  if (human === undefined || sessionOf(user, sessionId, nowMs) === undefined) {
    return reject("UNAUTHENTICATED");
  }
  if (!human.passkeys.some((one) => one.credentialId === credentialId)) {
    return reject("PASSKEY_NOT_FOUND");
  }
  if (isOnlyWayIn(human, ways)) return reject("LAST_WAY_IN");
  const full = refuseFull(human, "user.human.passwordless.token.removed", nowMs);
  if (full !== undefined) return full;
  const payload = { credentialId, sessions: [sessionId] };
  const event = { type: "user.human.passwordless.token.removed", payload } as const;
  return removing(user, { userId, about: "passkey.removed" }, event, nowMs);
}

/** Gives a passkey of the person another name, which may be empty. */
export function renameOwnPasskey(
  user: UserState | undefined,
  { userId, sessionId, ...passkey }: Own & Pick<Passkey, "credentialId" | "name">,
  nowMs: number,
): UserDecision {
  return asSelf(user, { userId, sessionId }, nowMs, ({ human }): UserDecision => {
    const kept = human.passkeys.find((one) => one.credentialId === passkey.credentialId);
    if (kept === undefined) return reject("PASSKEY_NOT_FOUND");
    if (kept.name === passkey.name) return reject("NOTHING_CHANGED");
    const type = "user.human.passwordless.token.renamed";
    const full = refuseFull(human, type, nowMs);
    return full ?? accept({ user: [{ type, payload: passkey }] });
  });
}

/** A passkey that is removed. */
interface Removed {
  readonly credentialId: string;
  readonly ways: WaysIn;
}

/** Whether the person gets in by one passkey, and by nothing else. */
export function isOnlyWayIn(human: HeldWays, ways: WaysIn): boolean {
  return human.passkeys.length === 1 && !hasWayIn({ ...human, passkeys: [] }, ways);
}
