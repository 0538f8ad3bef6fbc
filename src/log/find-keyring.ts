import { createKeyring, type Keyring } from "../secrets/keyring.ts";
import {
  type Key,
  KeyringInvalid,
  keyFileIn,
  loadKeyFile,
  loadOrCreateKeyFile,
} from "../secrets/keys.ts";
import type { RandomBytes } from "../secrets/tokens.ts";

/** What the search for the keys of a log is told of it. */
export interface KeyedLog {
  /** Whether nothing is in it, so that there may be no key yet. */
  readonly isNew: boolean;
  /** The keys that it was written with, as far as it says. */
  readonly keyIds: readonly string[];
}

/** Finds the keyring of a log; the first that it found is the one from then on. */
export type FindKeyring = (log: KeyedLog) => Promise<Keyring>;

interface KeyringPlaces {
  /** Given in the place of those in the directory. */
  readonly masterKeys: readonly [Key, ...Key[]] | undefined;
  readonly dataDir: string;
  readonly random: RandomBytes;
}

/** Makes the search for a keyring; it rejects as `keysInDirectory` does. */
export function keyringFinder({ masterKeys, dataDir, random }: KeyringPlaces): FindKeyring {
  let found: Keyring | undefined;
  return async (log) => {
    found ??= createKeyring(masterKeys ?? (await keysInDirectory(dataDir, log, random)), random);
    return found;
  };
}

/**
 * The keys in the data directory. One is made only for a log that is new: any other has a key
 * already, and a second one would look like it. Rejects with KeyringInvalid where that key is not
 * there, naming those that the log was written with as far as it says, and as
 * `loadOrCreateKeyFile` does.
 */
export async function keysInDirectory(
  dataDir: string,
  { isNew, keyIds }: KeyedLog,
  random: RandomBytes,
): Promise<readonly [Key, ...Key[]]> {
  if (isNew) return await loadOrCreateKeyFile(dataDir, random);
  const keys = await loadKeyFile(dataDir);
  if (keys !== undefined) return keys;
  throw new KeyringInvalid(
    `There is no master key, but the log was written with ${keyIds.join(", ") || "one"}: put ` +
      `it back into ${keyFileIn(dataDir)} or IAM_MASTER_KEY.`,
  );
}
