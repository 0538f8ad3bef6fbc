import { accept, type Refusal, reject } from "../decision.ts";
import { type Ending, refuseEnded } from "../ending.ts";
import { findKey, type NewKey, refuseFull } from "../key.ts";
import { mustExist } from "../noun.ts";
import {
  type AppDecision,
  type AppFrame,
  type AppInProject,
  type AppState,
  provesByKey,
  refuseApp,
} from "./app.ts";

/** Gives an application a key; those before stay valid. */
export function addAppKey(
  states: AppInProject,
  { keyId, publicKey, expirationMs, ...frame }: AppFrame & NewKey,
  nowMs: number,
): AppDecision {
  const refused = refuseApp(states, frame);
  if (refused !== undefined) return refused;
  const ending = expirationMs === undefined ? {} : { expirationMs };
  const holder = findKeyHolder(mustExist(states.app), ending, nowMs);
  if (holder.kind === "refused") return holder.refusal;
  const payload = { keyId, publicKey, ...ending };
  return accept({ app: [{ type: "project.application.key.added", payload }] });
}

/** Finds the client that one more key may be given to, whatever key it is. */
export function findKeyHolder(
  { config, keys }: AppState,
  ending: Ending,
  nowMs: number,
):
  | { readonly kind: "found"; readonly clientId: string }
  | { readonly kind: "refused"; readonly refusal: Refusal } {
  const refused = (refusal: Refusal) => ({ kind: "refused", refusal }) as const;
  const ended = refuseEnded(ending, nowMs);
  if (ended !== undefined) return refused(ended);
  if (!provesByKey(config)) return refused(reject("APP_WITHOUT_KEYS"));
  const full = refuseFull(keys, "application");
  return full === undefined ? { kind: "found", clientId: config.clientId } : refused(full);
}

/** Takes a key from an application: what is signed with it proves nothing from then on. */
export function removeAppKey(
  states: AppInProject,
  { keyId, ...frame }: AppFrame & Pick<NewKey, "keyId">,
): AppDecision {
  const refused = refuseApp(states, frame);
  if (refused !== undefined) return refused;
  if (findKey(states.app?.keys, keyId) === undefined) return reject("KEY_NOT_FOUND");
  return accept({ app: [{ type: "project.application.key.removed", payload: { keyId } }] });
}
