import type { Config } from "../config/config.ts";
import type { Keyring } from "../secrets/keyring.ts";
import { keyFile, loadKeyFile } from "../secrets/keys.ts";
import type { Store } from "../store/store.ts";

interface KeyWatchOptions {
  readonly dataDir: string;
  /** The keys that this process has. */
  readonly keyring: () => Promise<Keyring>;
  readonly lines: { warn(members: object, line: string): void };
}

const warning = `The keys in ${keyFile} differ from those of this process: restart it.`;

/**
 * The log, whose condition also tells whether the key file, unless the keys are given in its place,
 * has changed since the process read it, as by a rotation, or is gone. The first look that finds
 * that says so in a line.
 */
export function watchKeyFile(
  log: Store,
  { masterKeys }: Pick<Config, "masterKeys">,
  { dataDir, keyring, lines }: KeyWatchOptions,
): Store {
  if (masterKeys !== undefined) return log;
  let isTold = false;
  async function isChanged(): Promise<boolean> {
    const { keyIds } = await keyring();
    const found = await loadKeyFile(dataDir).catch(() => undefined);
    return found?.map(({ id }) => id).join() !== keyIds.join();
  }
  return {
    ...log,
    condition: async (nowMs) => {
      const [condition, hasChanged] = await Promise.all([log.condition(nowMs), isChanged()]);
      if (hasChanged && !isTold) lines.warn({}, warning);
      isTold = hasChanged;
      return hasChanged ? { ...condition, warnings: [...condition.warnings, warning] } : condition;
    },
  };
}
