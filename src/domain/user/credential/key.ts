import { accept, type Refusal, reject } from "../../decision.ts";
import { type Ending, refuseEnded } from "../../ending.ts";
import { findKey, type NewKey, refuseFull } from "../../key.ts";
import type { Acted, Acting, UserDecision } from "../state/acting.ts";
import type { Via } from "../state/made.ts";
import { refuseOthers } from "./secret.ts";

/** Gives a machine a key; those before stay valid. */
export function addMachineKey(
  acting: Acting,
  { organization, ...key }: Acted & NewKey & Via,
  nowMs: number,
): UserDecision {
  return (
    refuseMachineKey(acting, { organization, ...key }, nowMs) ??
    accept({ user: [{ type: "user.machine.key.added", payload: key }] })
  );
}

/** The refusal to give a machine one more key, whatever key it is. */
export function refuseMachineKey(
  acting: Acting,
  given: Acted & Ending,
  nowMs: number,
): Refusal | undefined {
  return (
    refuseEnded(given, nowMs) ??
    refuseOthers(acting, given) ??
    refuseFull(acting.user?.keys, "user")
  );
}

/** Takes a key from a machine: what is signed with it proves nothing from then on. */
export function removeMachineKey(
  acting: Acting,
  { keyId, ...acted }: Acted & Pick<NewKey, "keyId">,
): UserDecision {
  const refusal = refuseOthers(acting, acted);
  if (refusal !== undefined) return refusal;
  if (findKey(acting.user?.keys, keyId) === undefined) return reject("KEY_NOT_FOUND");
  return accept({ user: [{ type: "user.machine.key.removed", payload: { keyId } }] });
}
