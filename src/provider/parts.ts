import type { Logger } from "pino";
import type { Execute } from "../execute/execute.ts";
import type { KeyPairs } from "../secrets/key-pairs.ts";
import type { Keyring } from "../secrets/keyring.ts";
import type { Passwords } from "../secrets/passwords/passwords.ts";
import type { RandomBytes } from "../secrets/tokens.ts";
import type { Store } from "../store/store.ts";

/** What the provider is made of; time and randomness come from outside. */
export interface ProviderParts {
  readonly store: Pick<Store, "artifacts" | "find" | "list" | "load">;
  readonly execute: Execute;
  readonly keyring: Keyring;
  readonly keyPairs: KeyPairs;
  readonly passwords: Passwords;
  readonly random: RandomBytes;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** The address at which people reach the service, without a slash at the end: the issuer. */
  readonly publicUrl: () => string;
  readonly log: Logger;
}
