import { type ExternalComer, isVouchedFor } from "../comer.ts";
import { accept, reject } from "../decision.ts";
import { accountNameOf, type Identity } from "../identity.ts";
import type { IDPState } from "../idp.ts";
import { optionsOf } from "../idp-sign-in.ts";
import { changeProfile } from "../user/change.ts";
import { completeName, importHuman, nameHuman, type OwnAccount } from "../user/human/human.ts";
import { refuseFull } from "../user/own/own.ts";
import type { UserDecision } from "../user/state/acting.ts";
import type { UserState } from "../user/state/user.ts";

/** The bounds on logins by identity providers, and on the accounts that come of them. */
export const externalLimits = {
  /** Milliseconds that somebody may take at a provider. */
  askMs: 30 * 60_000,
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
  readonly comer: ExternalComer;
  /** What the person has chosen, or the provider has said. */
  readonly account: OwnAccount;
  readonly organization: string;
  readonly preferredLanguage: string;
  /** A fresh code for the address, sealed; it is recorded for one that is not verified. */
  readonly emailCode?: string;
}

/**
 * Creates a person who is linked to an account at a provider, without a password and any role. The
 * address is verified where it is the one that the provider, or an action, has said to be so.
 */
export function registerExternal(
  provider: IDPState | undefined,
  { idpId, comer, account, organization, preferredLanguage, emailCode: code }: NewExternal,
  nowMs: number,
): UserDecision {
  if (provider === undefined || provider.isInactive || !optionsOf(provider).isCreationAllowed) {
    return reject("IDP_NOT_USABLE");
  }
  const { userName, firstName, lastName, email } = account;
  const { externalUserId, nickName, gender, phone } = comer;
  const isEmailVerified = isVouchedFor(comer, email);
  const displayName = completeName({ firstName, lastName, displayName: comer.displayName });
  const link = { idpId, externalUserId, displayName: accountNameOf(comer) };
  const made = importHuman(
    { [`idp-${idpId}`]: provider },
    {
      added: {
        ...nameHuman(userName),
        ...{ firstName, lastName, displayName, nickName, email, preferredLanguage, gender },
        ...{ passwordChangeRequired: false, ...(phone === "" ? {} : { phone }) },
      },
      ...{ externalIDPs: [link], organization },
      ...verifiedBy(comer, email),
    },
    nowMs,
  );
  if (made.rejection !== undefined || isEmailVerified || code === undefined) return made;
  const asked = { type: "user.human.email.code.added", payload: { code } } as const;
  return accept({ user: [...(made.events.user ?? []), asked] });
}

/** What is verified of somebody with the address, and which actions say so. */
function verifiedBy(comer: ExternalComer, email: string) {
  const isEmailVerified = isVouchedFor(comer, email);
  const { emailVerifiedBy, phoneVerifiedBy } = comer;
  return {
    ...{ isEmailVerified, isPhoneVerified: phoneVerifiedBy !== undefined },
    ...(isEmailVerified && emailVerifiedBy !== undefined ? { emailVerifiedBy } : {}),
    ...(phoneVerifiedBy === undefined ? {} : { phoneVerifiedBy }),
  };
}

/**
 * Gives a person who has logged in before the names that the provider says, and leaves what it does
 * not say.
 */
export function followNames(
  user: UserState | undefined,
  identity: Pick<Identity, "firstName" | "lastName" | "displayName">,
  nowMs: number,
): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  if (human === undefined) return reject("UNAUTHENTICATED");
  // The day is counted with logins: before the first one, nothing bounds how often names change.
  if (human.login === undefined) return accept({});
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
