import { type IDPEvent, type IDPState, idp, sealIDPAnew } from "../domain/idp.ts";
import { type InstanceState, instance, instanceId, retireKey } from "../domain/instance.ts";
import { idOf, streamOf } from "../domain/noun.ts";
import type { SealedAnew } from "../domain/sealed.ts";
import { pendingCodesOf } from "../domain/user/credential.ts";
import { sealOTPAnew, type UserEvent, type UserState, user } from "../domain/user/user.ts";
import type { Execute, Outcome } from "../execute/execute.ts";
import { type Keyring, keyIdOf, type Place } from "../secrets/keyring.ts";
import type { EventPage } from "../store/query.ts";
import type { Store } from "../store/store.ts";
import { ConfigError } from "./config.ts";

/** The log and the keys of an instance that this process does not serve. */
export interface Offline {
  readonly store: Store;
  readonly execute: Execute;
  readonly keyring: Keyring;
}

/** What became of a key that was to be retired. */
export interface Retired {
  /** The secrets that were sealed anew. */
  readonly sealedAnew: number;
  /** When the last code ends that the key sealed (Unix milliseconds): until then it has to stay. */
  readonly pendingUntilMs: number | undefined;
}

/**
 * Seals anew, with the newest key, every secret of use that another sealed, and records that the
 * other is of no use any more, unless codes that it sealed are still good. What was written before
 * stays as it is. Rejects with a ConfigError where the key is the newest, or the log knows none with
 * this id. Processes that still seal with it have to be started again before.
 */
export async function retire(
  { store, execute, keyring }: Offline,
  keyId: string,
  nowMs: number,
): Promise<Retired> {
  const check = await checkOf(store, keyring, keyId);
  const sealAnew = createSealAnew(keyring, keyId);
  let [sealedAnew, pendingUntilMs] = [0, 0];
  for await (const { stream, state } of statesWith<IDPState>(store, idpTypes)) {
    const sealed = sealAnew(state.oidc?.clientSecret, { stream, field: "clientSecret" });
    if (sealed === undefined) continue;
    const outcome = await execute({
      actor,
      writes: { idp: { noun: idp, id: idOf(idp, stream) } },
      decide: (states) => sealIDPAnew(states.idp, sealed),
    });
    sealedAnew += writtenOf(outcome);
  }
  for await (const { stream, state } of statesWith<UserState>(store, userTypes)) {
    for (const { code, expirationMs } of pendingCodesOf(state, nowMs)) {
      if (keyIdOf(code) === keyId) pendingUntilMs = Math.max(pendingUntilMs, expirationMs);
    }
    const sealed = sealAnew(state.human?.otpSecret, { stream, field: "otp.secret" });
    if (sealed === undefined) continue;
    const outcome = await execute({
      actor,
      writes: { user: { noun: user, id: idOf(user, stream) } },
      decide: (states) => sealOTPAnew(states.user, sealed),
    });
    sealedAnew += writtenOf(outcome);
  }
  if (pendingUntilMs > 0) return { sealedAnew, pendingUntilMs };
  const outcome = await execute({
    actor,
    writes: { instance: { noun: instance, id: instanceId } },
    decide: (states) => retireKey(states.instance, check),
  });
  writtenOf(outcome);
  return { sealedAnew, pendingUntilMs: undefined };
}

/** Who does what is done at the machine, as events have it. */
const actor = "operator";

/** What brings a sealed secret, or a code, into the state of a provider or a user. */
const idpTypes = [
  "idp.oidc.config.added",
  "idp.oidc.config.changed",
] satisfies readonly IDPEvent["type"][];
const userTypes = [
  "user.human.otp.added",
  "user.human.initialization.code.added",
  "user.human.phone.code.added",
] satisfies readonly UserEvent["type"][];

/** The value that the log has for the key, to tell at starts that it is there. */
async function checkOf(store: Store, keyring: Keyring, keyId: string): Promise<string> {
  const [stored] = await store.load([streamOf(instance, instanceId)]);
  if (stored?.state === undefined) throw new ConfigError("The log has not been set up yet.");
  const { keyChecks } = JSON.parse(stored.state) as InstanceState;
  const check = keyChecks.find((known) => keyIdOf(known) === keyId);
  const ids = keyChecks.map(keyIdOf).join(", ");
  if (check === undefined) {
    throw new ConfigError(`The log has no secrets of such a key: it knows ${ids}.`);
  }
  if (keyId === keyring.keyIds[0]) {
    throw new ConfigError(`The key ${keyId} is the newest, which seals: rotate first.`);
  }
  return check;
}

/** Makes the function that seals a secret with the newest key where the one with this id had. */
function createSealAnew(keyring: Keyring, keyId: string) {
  return (from: string | undefined, place: Place): SealedAnew | undefined => {
    if (from === undefined || keyIdOf(from) !== keyId) return undefined;
    return { from, to: keyring.seal(keyring.open(from, place), place) };
  };
}

/** The states of all streams that have events of these types, as they are when it comes to them. */
async function* statesWith<State>(
  store: Store,
  types: readonly string[],
): AsyncGenerator<{ readonly stream: string; readonly state: State }> {
  const seen = new Set<string>();
  for (let page: EventPage | undefined; !page?.isEnd; ) {
    page = await store.search({ after: page?.through ?? 0n, types, limit: pageSize });
    const streams = [...new Set(page.events.map(({ stream }) => stream))];
    for (const { stream, state } of await store.load(streams.filter((one) => !seen.has(one)))) {
      seen.add(stream);
      if (state !== undefined) yield { stream, state: JSON.parse(state) };
    }
  }
}

const pageSize = 1_000;

function writtenOf(outcome: Outcome): number {
  if (outcome.kind === "done") return outcome.written.length;
  throw new Error(`a key could not be retired: ${outcome.kind}`);
}
