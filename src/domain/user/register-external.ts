import { accept, reject } from "../decision.ts";
import { accountNameOf, type Identity } from "../identity.ts";
import type { IDPState } from "../idp.ts";
import { optionsOf } from "../idp-sign-in.ts";
import type { UserDecision } from "./acting.ts";
import { changeProfile } from "./change.ts";
import { completeName, importHuman, nameHuman, type OwnAccount } from "./human.ts";
import { refuseFull } from "./login/own.ts";
import type { UserState } from "./user.ts";

/** The bounds on accounts that are made for those who come by identity providers. */
export const externalLimits = {
  /** Of one address within `createdMs`; behind one there may be a whole company. */
  createdOfAddress: 1_000,
  /** The same of a /48 of IPv6. */
  createdOfSite: 4_000,
  /** The same where no address is known. */
  createdOfMachine: 10_000,
  createdMs: 60 * 60_000,
} as const;

/** Somebody who has logged in at a provider, and gets an account here by it. */
export interface NewExternal {
  readonly idpId: string;
  readonly identity: Identity;
  /** What the person has chosen, or the provider has said. */
  readonly account: OwnAccount;
  readonly organization: string;
  readonly preferredLanguage: string;
  /** A fresh code for the address, sealed; it is recorded for one that is not verified. */
  readonly emailCode?: string;
}

/**
 * Creates a person who is linked to an account at a provider, without a password and any role. The
 * address is verified where it is the one that the provider has said to be so.
 */
export function registerExternal(
  provider: IDPState | undefined,
  { idpId, identity, account, organization, preferredLanguage, emailCode: code }: NewExternal,
  nowMs: number,
): UserDecision {
  if (provider === undefined || provider.isInactive || !optionsOf(provider).isCreationAllowed) {
    return reject("IDP_NOT_USABLE");
  }
  const { userName, firstName, lastName, email } = account;
  const isEmailVerified = isVouchedFor(identity, email);
  const displayName = completeName({ firstName, lastName, displayName: identity.displayName });
  const { externalUserId } = identity;
  const link = { idpId, externalUserId, displayName: accountNameOf(identity) };
  const made = importHuman(
    { [`idp-${idpId}`]: provider },
    {
      added: {
        ...nameHuman(userName),
        ...{ firstName, lastName, displayName, nickName: "", email, preferredLanguage },
        ...{ gender: "UNSPECIFIED", passwordChangeRequired: false },
      },
      ...{ externalIDPs: [link], organization, isEmailVerified, isPhoneVerified: false },
    },
    nowMs,
  );
  if (made.rejection !== undefined || isEmailVerified || code === undefined) return made;
  const asked = { type: "user.human.email.code.added", payload: { code } } as const;
  return accept({ user: [...(made.events.user ?? []), asked] });
}

/** Whether the provider says in this login that the person has the address. */
export function isVouchedFor(
  { email, isEmailVerified }: Pick<Identity, "email" | "isEmailVerified">,
  address: string,
): boolean {
  return isEmailVerified && email === address;
}

/** Gives a person the names that the provider says, and leaves what it does not say. */
export function followNames(
  user: UserState | undefined,
  identity: Identity,
  nowMs: number,
): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human === undefined) return reject("UNAUTHENTICATED");
  const { nickName, preferredLanguage, gender } = human;
  const firstName = identity.firstName || human.firstName;
  const lastName = identity.lastName || human.lastName;
  const displayName = identity.displayName || human.displayName;
  const names = { firstName, lastName, displayName };
  return (
    refuseFull(human, "user.human.profile.changed", nowMs) ??
    changeProfile(human, { ...names, nickName, preferredLanguage, gender })
  );
}
