import { addKey, instance, instanceId } from "../domain/instance.ts";
import type { Execute } from "../execute/execute.ts";
import { readInstance } from "../execute/read-object.ts";
import { sealLogKey } from "../log/log-keys.ts";
import { type Keyring, keyIdOf } from "../secrets/keyring.ts";
import type { Store } from "../store/store.ts";

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
  await sealLogKey(keyring, execute, store.log);
  const state = await readInstance(store);
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
