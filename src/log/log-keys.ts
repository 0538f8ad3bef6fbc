import { createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { Config } from "../config/config.ts";
import { type LogEvent, type LogState, log, sealKey } from "../domain/log.ts";
import type { RecordedEvent } from "../event.ts";
import type { Execute } from "../execute/execute.ts";
import { type Keyring, keyIdOf, keyringInvalid } from "../secrets/keyring.ts";
import { loadKeyFile } from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import { type LogKeys, logStream } from "../store/chain/keys.ts";
import { logKeyBytes, publicKeyOf } from "../store/chain/subkeys.ts";
import { type FindKeyring, keyringFinder } from "./find-keyring.ts";
import { createIds } from "./ids.ts";

interface LogKeysOptions {
  readonly keyring: FindKeyring;
  readonly newId: () => string;
  readonly now: () => number;
  readonly random: RandomBytes;
}

/** The keys of logs whose own events hold them, sealed with the keyring. */
export function createLogKeys({ keyring, newId, now, random }: LogKeysOptions): LogKeys {
  return {
    async begin() {
      const ring = await keyring({ isNew: true, keyIds: [] });
      const id = newId();
      const bytes = random(logKeyBytes);
      const key = createSecretKey(bytes);
      const sealed = ring.seal(Buffer.from(bytes).toString("base64"), sealedFieldOf(id));
      const begun = {
        type: "log.begun",
        payload: { key: sealed, publicKey: publicKeyOf(key) },
      } satisfies LogEvent;
      const payload = JSON.stringify(begun.payload);
      const event = { type: begun.type, payload, owner: "", actor: "start", timeMs: now() };
      return { id, key, event };
    },
    async open(id, events) {
      const { key } = stateOf(events);
      const ring = await keyring({ isNew: false, keyIds: [keyIdOf(key)] });
      return openKey(ring, id, key);
    },
  };
}

type Keys = Pick<Config, "masterKeys" | "dataDir">;

/** Whether there is a master key, without which MACs cannot be checked. */
export async function hasMasterKey({ masterKeys, dataDir }: Keys): Promise<boolean> {
  return masterKeys !== undefined || (await loadKeyFile(resolve(dataDir))) !== undefined;
}

/** The same for a command that runs beside the service, or instead of it. */
export function logKeysFor({ masterKeys, dataDir }: Keys): LogKeys {
  const [random, now] = [randomBytes, Date.now];
  const keyring = keyringFinder({ masterKeys, dataDir: resolve(dataDir), random });
  return createLogKeys({ keyring, newId: createIds(now, random), now, random });
}

/**
 * Sees to it that the newest key of the ring opens the key of the log, so that older ones can go
 * when nothing else needs them.
 */
export async function sealLogKey(keyring: Keyring, execute: Execute, id: string): Promise<void> {
  const [newest] = keyring.keyIds;
  await execute({
    actor: "start",
    writes: { log: { noun: log, id } },
    decide: ({ log: state }) =>
      sealKey(state, {
        isCurrent: (sealed) => keyIdOf(sealed) === newest,
        anew: (sealed) => keyring.seal(keyring.open(sealed, sealedFieldOf(id)), sealedFieldOf(id)),
      }),
  });
}

function openKey(keyring: Keyring, id: string, sealed: string): KeyObject {
  try {
    return createSecretKey(Buffer.from(keyring.open(sealed, sealedFieldOf(id)), "base64"));
  } catch (error) {
    throw keyringInvalid(error, sealed);
  }
}

function stateOf(events: readonly RecordedEvent[]): LogState {
  let state: LogState | undefined;
  for (const { type, payload, owner, actor, timeMs } of events) {
    const event = { type, payload: JSON.parse(payload) } as LogEvent;
    state = log.evolve(state, { ...event, owner, actor, timeMs });
  }
  if (state === undefined) throw new Error("the event that the log began with is missing");
  return state;
}

function sealedFieldOf(id: string) {
  return { stream: logStream(id), field: "key" };
}
