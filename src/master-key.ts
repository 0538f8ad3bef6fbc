import { addKey, type InstanceState, instance, instanceId } from "./domain/instance.ts";
import { streamOf } from "./domain/noun.ts";
import type { Execute } from "./execute.ts";
import { type Keyring, keyIdOf } from "./secrets/keyring.ts";
import type { Store } from "./store/store.ts";

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
  const [stored] = await store.load([streamOf(instance, instanceId)]);
  if (stored?.state === undefined) return;
  const { keyChecks } = JSON.parse(stored.state) as InstanceState;
  for (const check of keyChecks) keyring.assertOpens(check);

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
