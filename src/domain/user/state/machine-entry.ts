import type { Envelope } from "../../../event.ts";
import { isCurrent } from "../../ending.ts";
import { findKey, type HeldKey, type Keys, type NewKey, withoutKey } from "../../key.ts";
import type { Nothing } from "../../noun.ts";
import { type Made, madeBy, type Via } from "./made.ts";

/** The client secret of a machine: the SHA-256 of it in hexadecimal. */
export interface MachineSecret {
  readonly clientSecretHash: string;
}

/** What a machine proves itself with. */
export interface MachineEntry {
  readonly clientSecret?: MachineSecret & Made;
  readonly keys?: Keys<HeldKey & Made>;
}

/** The events of what a machine proves itself with. */
export type MachineEntryEvent =
  | { readonly type: "user.machine.secret.set"; readonly payload: MachineSecret & Via }
  | { readonly type: "user.machine.secret.removed"; readonly payload: Nothing }
  | { readonly type: "user.machine.key.added"; readonly payload: NewKey & Via }
  | { readonly type: "user.machine.key.removed"; readonly payload: Pick<NewKey, "keyId"> };

/** The happening behind each of them: see `Noun.events`. */
export const machineEntryEvents: { readonly [type in MachineEntryEvent["type"]]: string } = {
  "user.machine.secret.set":
    "A machine got a client secret, which replaces any earlier one; its SHA-256 is stored",
  "user.machine.secret.removed": "The client secret of a machine was removed",
  "user.machine.key.added": "A machine got a key; its public part is stored",
  "user.machine.key.removed": "A key of a machine was removed; tokens that came from it ended",
};

/** The state after such an event. */
export function evolveMachineEntry<State extends MachineEntry>(
  state: State,
  event: MachineEntryEvent & Envelope,
): State {
  switch (event.type) {
    case "user.machine.secret.set": {
      const { clientSecretHash } = event.payload;
      return { ...state, clientSecret: { clientSecretHash, ...madeBy(event) } };
    }
    case "user.machine.secret.removed":
      return withoutSecret(state);
    case "user.machine.key.added": {
      const { keyId, ...key } = event.payload;
      const held = { ...key, ...madeBy(event), addedMs: event.timeMs };
      return { ...state, keys: { ...state.keys, [keyId]: held } };
    }
    case "user.machine.key.removed":
      return { ...state, keys: withoutKey(state.keys, event.payload.keyId) };
  }
}

/** The same user without a client secret. */
export function withoutSecret<State extends MachineEntry>(state: State): State {
  const { clientSecret: _removed, ...others } = state;
  return others as State;
}

/** By what a machine got an access token: the SHA-256 of its secret, or the id of its key. */
export type MachineProof = MachineSecret | Pick<NewKey, "keyId">;

/** What it was, as the machine has it still; undefined where it has ended. */
export function findProof(
  { clientSecret, keys }: MachineEntry,
  proof: MachineProof,
  nowMs: number,
): Made | undefined {
  if ("keyId" in proof) {
    const key = findKey(keys, proof.keyId);
    return key !== undefined && isCurrent(key, nowMs) ? key : undefined;
  }
  return clientSecret?.clientSecretHash === proof.clientSecretHash ? clientSecret : undefined;
}
