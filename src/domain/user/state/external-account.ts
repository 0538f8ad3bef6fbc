import type { ExternalAccount, FactorTraits, StayingSessions } from "./factor-traits.ts";
import { type Made, madeBy, type Via } from "./made.ts";

/** The payloads of the events of accounts at identity providers. */
export interface ExternalEvents {
  readonly "user.human.externalidp.added": ExternalIDP & Via;
  readonly "user.human.externalidp.removed": ExternalAccount & StayingSessions;
}

/** An account at an identity provider that a person is linked to, as it is shown. */
export interface ExternalIDP extends ExternalAccount {
  readonly displayName: string;
}

/** The accounts of a person at identity providers. */
export interface ExternalHeld {
  readonly externalIDPs: readonly (ExternalIDP & Made)[];
}

/**
 * An account at an identity provider, which says who somebody is. RFC 8176 has no name for one:
 * this is what other services say of it.
 */
export const external = {
  comes: "first",
  amr: ["fed"],
  weight: 1,
  isPast: true,
  isStill: ({ externalIDPs }, { external: shown }) =>
    shown !== undefined && externalIDPs.some((one) => isAccount(one, shown)),
  isOf: ({ kind, id: externalUserId = "", idpId = "" }, { external: shown }) =>
    kind === "external-account" &&
    shown !== undefined &&
    isAccount({ idpId, externalUserId }, shown),
  events: {
    "user.human.externalidp.added": [
      "An account at an identity provider was linked",
      (human, event) => ({
        ...human,
        externalIDPs: [...human.externalIDPs, { ...event.payload, ...madeBy(event) }],
      }),
    ],
    "user.human.externalidp.removed": [
      "The link to an account at an identity provider was removed; sessions, tokens and known " +
        "browsers ended, except the session of the removal",
      (human, { payload }) => withoutAccount(human, payload),
    ],
  },
  counted: ["user.human.externalidp.removed"],
  secrets: [],
} as const satisfies FactorTraits<ExternalHeld, ExternalEvents>;

/** Whether both are the same account. */
export function isAccount(a: ExternalAccount, b: ExternalAccount): boolean {
  return a.idpId === b.idpId && a.externalUserId === b.externalUserId;
}

/** The same person without the link to the account. */
export function withoutAccount<State extends ExternalHeld>(
  human: State,
  account: ExternalAccount,
): State {
  const externalIDPs = human.externalIDPs.filter((one) => !isAccount(one, account));
  return { ...human, externalIDPs };
}
