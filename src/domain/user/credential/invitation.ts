import { accept, type Refusal, reject, rejectFields } from "../../decision.ts";
import { type Acted, type Acting, refuseActing, type UserDecision } from "../state/acting.ts";
import type { CredentialState } from "../state/credential-state.ts";
import type { UserEvent } from "../state/event.ts";
import { codeLifetimesMs, isSpent } from "../state/human-state.ts";
import type { Via } from "../state/made.ts";
import type { MailedLink, PasswordlessCode } from "../state/passkey-link.ts";
import { userLimits } from "../state/user.ts";
import { findProven, refusePasskey } from "./account.ts";

/**
 * Makes a new code for a person who has yet to take the account over, and sends it, to another
 * address where one is given; the code before no longer counts. Where a grant has voided the
 * address, one must be given.
 */
export function resendInitialization(
  acting: Acting,
  { email, code, via, ...acted }: Acted & { readonly email: string; readonly code: string } & Via,
): UserDecision {
  const refusal = refuseActing(acting, acted);
  if (refusal !== undefined) return refusal;
  const human = acting.user?.human;
  if (human === undefined) return refuseMachine();
  if (human.initialization === undefined) return reject("USER_INITIALIZED");

  const isVoid = human.emailMade === undefined;
  if (email === "" && isVoid) {
    const description =
      "must be given: the creator of the address had fewer rights than the person has now";
    return rejectFields([{ field: "email", description }]);
  }

  const isOther = email !== "" && (email !== human.email || isVoid);
  const changed: readonly UserEvent[] = isOther
    ? [{ type: "user.human.email.changed", payload: { email, ...(via ? { via } : {}) } }]
    : [];
  return accept({
    user: [...changed, { type: "user.human.initialization.code.added", payload: { code } }],
  });
}

/** Makes a link with which a person registers a passkey; those before stay valid. */
export function addPasskeyLink(
  acting: Acting,
  { codeId, codeHash, via, ...acted }: Acted & Omit<PasswordlessCode, "expirationMs"> & Via,
  nowMs: number,
): UserDecision {
  const refusal = refuseActing(acting, acted);
  if (refusal !== undefined) return refusal;
  const human = acting.user?.human;
  if (human === undefined) return refuseMachine();
  const full = refuseLink(human, nowMs);
  if (full !== undefined) return full;
  const expirationMs = nowMs + codeLifetimesMs.passwordless;
  const payload = { codeId, codeHash, expirationMs, ...(via === undefined ? {} : { via }) };
  return accept({
    user: [{ type: "user.human.passwordless.initialization.code.added", payload }],
  });
}

/** Makes such a link for a mail to the person, to the verified address alone. */
export function sendPasskeyLink(
  acting: Acting,
  { codeId, codeHash, code, ...acted }: Acted & MailedLink,
  nowMs: number,
): UserDecision {
  const refusal = refuseActing(acting, acted);
  if (refusal !== undefined) return refusal;
  const human = findProven(acting.user);
  if (human === undefined) return reject("RESET_IMPOSSIBLE", noMail);
  const payload = { codeId, codeHash, code };
  return (
    refuseLink(human, nowMs) ??
    accept({ user: [{ type: "user.human.passwordless.link.added", payload }] })
  );
}

const noMail =
  "The user has no verified e-mail address, has yet to take over the account, or is inactive or " +
  "locked.";

/** The refusal to make one more link to a passkey. */
export function refuseLink(human: CredentialState, nowMs: number): Refusal | undefined {
  const full = refusePasskey(human);
  if (full !== undefined) return full;
  const { passwordless } = human;
  const most = userLimits.passkeyLinks;
  if (passwordless.filter((link) => !isSpent(link, nowMs)).length < most) return undefined;
  return reject("LIMIT_REACHED", `The user has ${most} valid links: wait until one expires.`);
}

function refuseMachine() {
  return reject("USER_NOT_HUMAN", "The user is a machine, so its account cannot be taken over.");
}
