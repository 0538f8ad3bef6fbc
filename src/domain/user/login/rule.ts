import type { Credential } from "../state/credential.ts";
import type { ExternalAccount } from "../state/credential-event.ts";
import type { CredentialState } from "../state/credential-state.ts";
import type { Factor } from "../state/factor.ts";
import type { NewSession } from "../state/login-event.ts";

/** What one factor is to a login. */
export interface FactorRule {
  /** Authentication methods, as RFC 8176 names them. */
  readonly amr: readonly string[];
  /** Whether a person who has shown these has to show this one yet. */
  needs(human: CredentialState, shown: readonly Factor[]): boolean;
  /** Whether what was shown still lets the person in. */
  isStill(human: CredentialState, shown: ShownBefore): boolean;
  /** Whether this is the credential that was shown for the session. */
  isOf(credential: Credential, session: Pick<NewSession, "passkey" | "external">): boolean;
}

/** What somebody has shown a while before. */
export interface ShownBefore {
  readonly factors: readonly Factor[];
  /** Whether the password that was shown is the one with this hash. */
  isPassword(hash: string): boolean;
  /** The account that was shown. */
  readonly external?: ExternalAccount;
}
