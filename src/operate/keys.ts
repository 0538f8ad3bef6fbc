import { realpath } from "node:fs/promises";
import { ConfigError } from "../config/config.ts";
import { type IDPEvent, type IDPState, idp } from "../domain/idp.ts";
import { sealIDPAnew, secretOf } from "../domain/idp-change.ts";
import {
  type InstanceEvent,
  type InstanceState,
  instance,
  instanceId,
  retireKey,
} from "../domain/instance.ts";
import { idOf } from "../domain/noun.ts";
import type { SealedAnew } from "../domain/sealed.ts";
import { sealSigningAnew, signingKeyField } from "../domain/signing.ts";
import { sealOTPAnew } from "../domain/user/credential/seal-otp.ts";
import { pendingCodesOf } from "../domain/user/state/credential.ts";
import type { UserEvent } from "../domain/user/state/event.ts";
import { operator as actor } from "../domain/user/state/made.ts";
import { type UserState, user } from "../domain/user/state/user.ts";
import type { Outcome } from "../execute/command.ts";
import { doneOr } from "../execute/done.ts";
import { readInstance } from "../execute/read-object.ts";
import { readIfThere, replace } from "../file.ts";
import type { Offline } from "../log/offline.ts";
import { type Keyring, keyIdOf, type SealedField } from "../secrets/keyring.ts";
import { keyFileIn, parseKeyring, type Rotated, rotate } from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { EventPage } from "../store/query.ts";
import type { Store } from "../store/store.ts";

/** The key file of a directory, as it was when somebody decided to rotate its keys. */
export interface KeyFile {
  /** Where the file itself lies, if what is in the directory is a link to it. */
  readonly path: string;
  readonly text: string;
}

/** Reads the key file. Rejects with a ConfigError where there is none. */
export async function readKeyFile(dataDir: string): Promise<KeyFile> {
  const given = keyFileIn(dataDir);
  const text = await readIfThere(given);
  if (text !== undefined) return { path: await realpath(given), text };
  throw new ConfigError(`There is no ${given}: rotate the keys by hand where they are kept.`);
}

/**
 * Does the next step of a rotation in the key file, and answers it; each process of the service has
 * to be started again after it. Rejects with a ConfigError where the file is not as it was any
 * more, since that may have been this step, or the key that would come in front was retired, and
 * with KeyringInvalid where it has no room.
 */
export async function rotateKeys(
  { store, alone }: Pick<Offline, "store" | "alone">,
  { path, text }: KeyFile,
  random: RandomBytes,
): Promise<Rotated> {
  const sealed = new Set((await keyChecksIn(store)).map(keyIdOf));
  const lastId = parseKeyring(text.trim()).at(-1)?.id ?? "";
  if (!sealed.has(lastId) && (await wasRetired(store, lastId))) {
    throw new ConfigError(
      `The key ${lastId} was retired: remove it from ${path}, and run this again.`,
    );
  }
  const rotated = rotate(text.trim(), (keyId) => sealed.has(keyId), random);
  return await alone(async () => {
    if ((await readIfThere(path)) !== text) {
      throw new ConfigError(
        `${path} was changed by somebody else meanwhile. Restart each process of the ` +
          "service first. Then run this again if another step is due.",
      );
    }
    await replace(path, `${rotated.text}\n`, random);
    return rotated;
  });
}

/** What became of a key that was to be retired. */
export interface Retired {
  /** The secrets that were sealed again. */
  readonly sealedAnew: number;
  /**
   * When the last code ends that the key sealed (Unix milliseconds), until which the key has to
   * stay; infinite where a mail with one has not left yet.
   */
  readonly pendingUntilMs: number | undefined;
}

/**
 * Seals anew, with the newest key, every secret of use that another sealed, and records that the
 * other is of no use any more, unless codes that it sealed are still valid. What was written before
 * stays as it is. Rejects with a ConfigError where the key is the newest, or the log knows none
 * with this id. Processes that still seal with it have to be started again before.
 */
export async function retire(
  { store, execute, keyring, now }: Offline,
  keyId: string,
): Promise<Retired> {
  const nowMs = now();
  const check = await checkOf(store, keyring, keyId);
  const sealAnew = createSealAnew(keyring, keyId);
  let [sealedAnew, pendingUntilMs] = [0, 0];
  for await (const { stream, state } of statesWith<IDPState>(store, idpTypes)) {
    const sealed = sealAnew(secretOf(state), { stream, field: "clientSecret" });
    if (sealed === undefined) continue;
    const outcome = await execute({
      actor,
      writes: { idp: { noun: idp, id: idOf(idp, stream) } },
      decide: (states) => sealIDPAnew(states.idp, sealed),
    });
    sealedAnew += writtenOf(outcome);
  }
  for await (const { stream, state } of statesWith<InstanceState>(store, instanceTypes)) {
    for (const { privateKey } of state.signingKeys ?? []) {
      const sealed = sealAnew(privateKey, { stream, field: signingKeyField });
      if (sealed === undefined) continue;
      const outcome = await execute({
        actor,
        writes: { instance: { noun: instance, id: instanceId } },
        decide: (states) => sealSigningAnew(states.instance, sealed),
      });
      sealedAnew += writtenOf(outcome);
    }
  }
  for await (const { stream, state } of statesWith<UserState>(store, userTypes)) {
    for (const { code, expirationMs = Number.POSITIVE_INFINITY } of pendingCodesOf(state, nowMs)) {
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

/** What brings a sealed secret, or a code, into the state of a provider or a user. */
const idpTypes = [
  "idp.oidc.config.added",
  "idp.oidc.config.changed",
  "idp.client.config.added",
  "idp.client.config.changed",
] satisfies readonly IDPEvent["type"][];
const instanceTypes = ["instance.signing.key.added"] satisfies readonly InstanceEvent["type"][];
const userTypes = [
  "user.human.otp.added",
  "user.human.initialization.code.added",
  "user.human.email.code.added",
  "user.human.email.requested",
  "user.human.password.code.added",
  "user.human.passwordless.link.added",
  "user.human.phone.code.added",
] satisfies readonly UserEvent["type"][];

/** The value that the log has for the key, to tell at starts that it is there. */
async function checkOf(store: Store, keyring: Keyring, keyId: string): Promise<string> {
  if (keyId === keyring.keyIds[0]) {
    throw new ConfigError(`The key ${keyId} is the newest key, which seals secrets: rotate first.`);
  }
  const keyChecks = await keyChecksIn(store);
  const check = keyChecks.find((known) => keyIdOf(known) === keyId);
  const ids = keyChecks.map(keyIdOf).join(", ");
  if (check === undefined) {
    throw new ConfigError(
      `The log has no secrets of the key ${keyId}, or it was retired: it knows ${ids}.`,
    );
  }
  return check;
}

/** A sealed value for each key that secrets in the log were sealed with. */
async function keyChecksIn(store: Store): Promise<readonly string[]> {
  const found = await readInstance(store);
  if (found === undefined) throw new ConfigError("The log has not been set up yet.");
  return found.keyChecks;
}

/** Whether the log says that a key is of no use any more. */
async function wasRetired(store: Store, keyId: string): Promise<boolean> {
  const types = ["instance.key.retired"] satisfies readonly InstanceEvent["type"][];
  for (let page: EventPage | undefined; !page?.isEnd; ) {
    page = await store.search({ after: page?.through ?? 0n, types, limit: pageSize });
    const checks = page.events.map(({ payload }) => JSON.parse(payload) as { check: string });
    if (checks.some(({ check }) => keyIdOf(check) === keyId)) return true;
  }
  return false;
}

/** Makes the function that seals a secret with the newest key where the one with this id had. */
function createSealAnew(keyring: Keyring, keyId: string) {
  return (from: string | undefined, sealedField: SealedField): SealedAnew | undefined => {
    if (from === undefined || keyIdOf(from) !== keyId) return undefined;
    return { from, to: keyring.seal(keyring.open(from, sealedField), sealedField) };
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
  return doneOr(outcome, "a key could not be retired").written.length;
}
