import { accept, type Refusal, reject } from "../../decision.ts";
import { type Acted, type Acting, refuseActing, type UserDecision } from "../state/acting.ts";
import type { MachineSecret } from "../state/machine-entry.ts";
import type { Via } from "../state/made.ts";

/** Gives a machine a client secret; the one before is worth nothing from then on. */
export function setSecret(
  acting: Acting,
  { clientSecretHash, via, ...acted }: Acted & MachineSecret & Via,
): UserDecision {
  const payload = { clientSecretHash, ...(via === undefined ? {} : { via }) };
  return (
    refuseOthers(acting, acted) ?? accept({ user: [{ type: "user.machine.secret.set", payload }] })
  );
}

/** Takes the client secret from a machine. */
export function removeSecret(acting: Acting, acted: Acted): UserDecision {
  const refusal = refuseOthers(acting, acted);
  if (refusal !== undefined) return refusal;
  if (acting.user?.clientSecret === undefined) return reject("SECRET_MISSING");
  return accept({ user: [{ type: "user.machine.secret.removed", payload: {} }] });
}

/** The refusal to act so on a user who is no machine, or whom the caller may not act on. */
export function refuseOthers(acting: Acting, acted: Acted): Refusal | undefined {
  const refusal = refuseActing(acting, acted);
  if (refusal !== undefined) return refusal;
  return acting.user?.machine === undefined ? reject("USER_NOT_MACHINE") : undefined;
}
