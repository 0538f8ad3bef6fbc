import { accept } from "../../decision.ts";
import type { UserDecision } from "../state/acting.ts";
import type { LoginEvent } from "../state/login-event.ts";
import type { UserState } from "../state/user.ts";

/** What is forgotten of logins once it is old. Consents, and tokens given back, are not. */
export const forgottenTypes = [
  "user.human.login.failed",
  "user.human.locked",
  "user.human.unlocked",
  "user.human.otp.used",
  "user.human.session.begun",
  "user.human.session.joined",
  "user.human.session.ended",
  "user.human.session.terminated",
  "user.human.sessions.terminated",
  "user.human.sessions.ended",
  "user.human.passwordless.token.refused",
] as const satisfies readonly LoginEvent["type"][];

/** Erases what the events of logins said up to a version, and keeps what follows from them. */
export function forgetLogins(user: UserState | undefined, through: number): UserDecision {
  const { login, passkeys = [] } = user?.human ?? {};
  const counters = Object.fromEntries(
    passkeys.map(({ credentialId, counter }) => [credentialId, counter]),
  );
  const used = Object.fromEntries(
    passkeys.flatMap(({ credentialId, usedMs }) => (usedMs ? [[credentialId, usedMs]] : [])),
  );
  const payload = { through, types: forgottenTypes, ...(login ? { login } : {}), counters, used };
  return accept({ user: [{ type: "user.human.logins.forgotten", payload }] });
}
