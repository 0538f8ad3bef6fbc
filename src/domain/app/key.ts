import { accept, type Refusal, reject } from "../decision.ts";
import { type Ending, refuseEnded } from "../ending.ts";
import {
  type AppDecision,
  type AppFrame,
  type AppInProject,
  type AppKey,
  type AppState,
  appKeysMax,
  findApp,
  type HeldAppKey,
  provesByKey,
} from "./app.ts";

/** Gives an application a key; those before stay valid. */
export function addAppKey(
  states: AppInProject,
  { keyId, publicKey, expirationMs, ...frame }: AppFrame & { readonly keyId: string } & AppKey,
  nowMs: number,
): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  const ending = expirationMs === undefined ? {} : { expirationMs };
  const holder = findKeyHolder(found.app, ending, nowMs);
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
  if (Object.keys(keys ?? {}).length >= appKeysMax) {
    const message = `The application has ${appKeysMax} keys: remove one first.`;
    return refused(reject("LIMIT_REACHED", message));
  }
  return { kind: "found", clientId: config.clientId };
}

/** Takes a key from an application: what is signed with it proves nothing from then on. */
export function removeAppKey(
  states: AppInProject,
  { keyId, ...frame }: AppFrame & { readonly keyId: string },
): AppDecision {
  const found = findApp(states, frame);
  if (found.kind === "refused") return found.refusal;
  if (findKey(found.app, keyId) === undefined) return reject("KEY_NOT_FOUND");
  return accept({ app: [{ type: "project.application.key.removed", payload: { keyId } }] });
}

/** The key of the application with this id; undefined where it has none. */
export function findKey(
  { keys = {} }: Pick<AppState, "keys">,
  keyId: string,
): HeldAppKey | undefined {
  return Object.hasOwn(keys, keyId) ? keys[keyId] : undefined;
}
