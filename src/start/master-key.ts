import { addKey, type InstanceState, instance, instanceId } from "../domain/instance.ts";
import { streamOf } from "../domain/noun.ts";
import type { Execute } from "../execute/execute.ts";
import { type Keyring, keyIdOf } from "../secrets/keyring.ts";
import {
  type Key,
  KeyringInvalid,
  keyFileIn,
  loadKeyFile,
  loadOrCreateKeyFile,
} from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { Store } from "../store/store.ts";

/**
 * The keys in the data directory. One is made only for a log that is not set up yet: any other has
 * a key already, and a second one would look like it. Rejects with KeyringInvalid where that key is
 * not there, and as `loadOrCreateKeyFile` does.
 */
export async function keysInDirectory(
  dataDir: string,
  store: Pick<Store, "load">,
  random: RandomBytes,
): Promise<readonly [Key, ...Key[]]> {
  const state = await instanceIn(store);
  if (state === undefined) return await loadOrCreateKeyFile(dataDir, random);
  const keys = await loadKeyFile(dataDir);
  if (keys !== undefined) return keys;
  const ids = state.keyChecks.map(keyIdOf).join(", ") || "one";
  throw new KeyringInvalid(
    `There is no master key, though the log was written with ${ids}: put it back into ` +
      `${keyFileIn(dataDir)} or IAM_MASTER_KEY.`,
  );
}

/**
 * Sees to it that the keyring fits the log: rejects with KeyringInvalid where a key is missing or
 * is another than the one that sealed secrets in the log, and records the newest key where the log
 * does not know it. Before that is done, nothing may be sealed.
 */
export async function checkKeyring(
  keyring: Keyring,
  store: Store,
  execute: Execute,
): Promise<void> {
  const state = await instanceIn(store);
  if (state === undefined) return;
  for (const check of state.keyChecks) keyring.assertOpens(check);

  const [newest] = keyring.keyIds;
  const check = keyring.check();
  await execute({
    actor: "start",
    writes: { instance: { noun: instance, id: instanceId } },
    relies: {},
    decide: (states) =>
      addKey(states.instance, { check, isOf: (known) => keyIdOf(known) === newest }),
  });
}

/** The instance that the log is of; undefined where it is not set up yet. */
async function instanceIn(store: Pick<Store, "load">): Promise<InstanceState | undefined> {
  const [stored] = await store.load([streamOf(instance, instanceId)]);
  return stored?.state === undefined ? undefined : (JSON.parse(stored.state) as InstanceState);
}
