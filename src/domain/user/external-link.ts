import { accept, reject } from "../decision.ts";
import { type IDPState, servesOrganization } from "../idp.ts";
import { resetsOf } from "./login/reset.ts";
import { type Own, refuseFull } from "./own/own.ts";
import { hasWayIn, type WaysIn } from "./own/ways-in.ts";
import {
  type ActedUser,
  type Acting,
  type EndingDecision,
  refuseActing,
  type UserDecision,
} from "./state/acting.ts";
import { type ExternalIDP, isAccount, withoutAccount } from "./state/external-account.ts";
import type { Held } from "./state/factor.ts";
import type { ExternalAccount } from "./state/factor-traits.ts";
import type { Via } from "./state/made.ts";
import { noticeOf } from "./state/notice.ts";
import { removing } from "./state/removal.ts";
import { sessionOf } from "./state/session.ts";
import { type UserState, userLimits } from "./state/user.ts";

/** A person, and the provider of an account that is to be linked. */
interface Linking {
  readonly user: UserState | undefined;
  readonly idp: IDPState | undefined;
}

/** How often all that came from logins had ended when the person showed who it is. */
interface ProofOfLogin {
  readonly resets: number;
}

/**
 * Links a person who has shown who it is to an account at an identity provider. Those who made what
 * was shown have a hand in it (`via`). Whether another person is linked to the account, the append
 * says: see `claimRefusals`.
 */
export function linkExternal(
  { user, idp }: Linking,
  { idpId, externalUserId, displayName, via, resets }: ExternalIDP & Via & ProofOfLogin,
): UserDecision {
  const human = user?.isInactive ? undefined : user?.human;
  const isStill = resetsOf(user) === resets;
  if (user === undefined || human === undefined || !isStill) return reject("UNAUTHENTICATED");
  if (human.initialization !== undefined) return reject("USER_NOT_INITIALIZED");
  if (idp?.isInactive || !servesOrganization(idp, user.organization)) {
    return reject("IDP_NOT_USABLE");
  }
  const account = { idpId, externalUserId };
  if (human.externalIDPs.some((one) => isAccount(one, account))) return reject("NOTHING_CHANGED");
  if (human.externalIDPs.length >= userLimits.externalIDPs) return reject("LIMIT_REACHED", full);
  const payload = { ...account, displayName, ...(via === undefined ? {} : { via }) };
  return accept({
    user: [
      { type: "user.human.externalidp.added", payload },
      ...noticeOf(user, { about: "externalidp.added" }),
    ],
  });
}

const full =
  `The user is linked to ${userLimits.externalIDPs} accounts at identity providers, which is the ` +
  "limit: remove a link first.";

const about = "externalidp.removed";

/**
 * Removes the link of a person to an account, in the name of an administrator, also where it is the
 * only way in. All ends that came from logins: who has that account may be logged in by it.
 */
export function unlinkExternal(
  acting: Acting,
  { idpId, externalUserId, ...acted }: ActedUser & ExternalAccount,
  nowMs: number,
): EndingDecision {
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const account = { idpId, externalUserId };
  if (!isLinked(acting.user?.human, account)) return reject("IDP_LINK_NOT_FOUND");
  const event = { type: "user.human.externalidp.removed", payload: account } as const;
  return removing(acting.user, { userId: acted.userId, about }, event, nowMs);
}

/**
 * Removes a link in the name of the person, where that leaves a way in. All ends that came from
 * logins but the session itself.
 */
export function unlinkOwnExternal(
  user: UserState | undefined,
  { userId, sessionId, idpId, externalUserId, ways }: Own & ExternalAccount & Allowed,
  nowMs: number,
): EndingDecision {
  const human = user?.human;
  if (human === undefined || sessionOf(user, sessionId, nowMs) === undefined) {
    return reject("UNAUTHENTICATED");
  }
  const account = { idpId, externalUserId };
  if (!isLinked(human, account)) return reject("IDP_LINK_NOT_FOUND");
  if (!hasWayIn(withoutAccount(human, account), ways)) return reject("LAST_WAY_IN", onlyWay);
  const type = "user.human.externalidp.removed";
  const event = { type, payload: { ...account, sessions: [sessionId] } } as const;
  return refuseFull(human, type, nowMs) ?? removing(user, { userId, about }, event, nowMs);
}

const onlyWay =
  "The person could not log in without this account: set a password or add a passkey first.";

interface Allowed {
  readonly ways: WaysIn;
}

function isLinked(human: Held | undefined, account: ExternalAccount): boolean {
  return human?.externalIDPs.some((one) => isAccount(one, account)) ?? false;
}
