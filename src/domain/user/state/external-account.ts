import type { Envelope } from "../../../event.ts";
import { unknownEvent } from "../../noun.ts";
import type { ExternalAccount, FactorTraits, StayingSessions } from "./factor-traits.ts";
import { type Made, madeBy, type Via } from "./made.ts";

/** The events of accounts at identity providers. */
export type ExternalEvent =
  | { readonly type: "user.human.externalidp.added"; readonly payload: ExternalIDP & Via }
  | {
      readonly type: "user.human.externalidp.removed";
      readonly payload: ExternalAccount & StayingSessions;
    };

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
  isPast: true,
  lengthens: false,
  weight: 1,
  isStill: ({ externalIDPs }, { external: shown }) =>
    shown !== undefined && externalIDPs.some((one) => isAccount(one, shown)),
  isOf: ({ kind, id: externalUserId = "", idpId = "" }, { external: shown }) =>
    kind === "external-account" &&
    shown !== undefined &&
    isAccount({ idpId, externalUserId }, shown),
  events: {
    "user.human.externalidp.added": "An account at an identity provider was linked",
    "user.human.externalidp.removed":
      "The link to an account at an identity provider was removed; sessions, tokens and known " +
      "browsers ended, except the session of the removal",
  },
  counted: ["user.human.externalidp.removed"],
  secrets: [],
  begin: () => ({ externalIDPs: [] }),
  evolve<State extends ExternalHeld>(human: State, event: ExternalEvent & Envelope): State {
    switch (event.type) {
      case "user.human.externalidp.added": {
        const account = { ...event.payload, ...madeBy(event) };
        return { ...human, externalIDPs: [...human.externalIDPs, account] };
      }
      case "user.human.externalidp.removed":
        return withoutAccount(human, event.payload);
      default:
        return unknownEvent(event);
    }
  },
} as const satisfies FactorTraits<ExternalHeld, ExternalEvent>;

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
