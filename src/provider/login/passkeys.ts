import type { Passkey } from "../../domain/user/state/passkey.ts";

/** Whom a passkey is created for; what browsers are told for another is of no use. */
interface Link {
  readonly userId: string;
  readonly codeId: string;
}

/** Has browsers create passkeys, and reads what they answer: see `createPasskeys`. */
export interface Passkeys {
  createOptions(
    link: Link,
    person: {
      readonly userName: string;
      readonly displayName: string;
      readonly passkeys: readonly Pick<Passkey, "credentialId">[];
    },
  ): Promise<object>;
  /** Rejects as a refused call does where it was not asked for, or is none. */
  verify(
    link: Link,
    created: {
      readonly id: string;
      readonly clientDataJson: string;
      readonly attestationObject: string;
      readonly transports: string[];
    },
  ): Promise<Omit<Passkey, "name">>;
}
