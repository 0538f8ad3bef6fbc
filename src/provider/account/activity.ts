import { streamOf } from "../../domain/noun.ts";
import type { UserEvent } from "../../domain/user/state/event.ts";
import { user } from "../../domain/user/state/user.ts";
import type { Activity } from "../../pages/account-parts.ts";
import { activityPage } from "../../pages/html/account/activity.ts";
import type { Part } from "./part.ts";

/** Events that are shown, the latest first, of those that one search looks at. */
export const activityMax = 50;

/** What people are told of events of theirs; of others they hear nothing. */
const told: { readonly [type in UserEvent["type"]]?: Activity } = {
  "user.human.session.begun": "login",
  "user.human.login.failed": "loginFailed",
  "user.human.locked": "locked",
  "user.human.password.changed": "passwordChanged",
  "user.human.password.reset": "passwordReset",
  "user.human.password.set": "passwordSet",
  "user.human.email.requested": "emailRequested",
  "user.human.email.changed": "emailChanged",
  "user.human.phone.changed": "phoneChanged",
  "user.human.phone.removed": "phoneRemoved",
  "user.human.passwordless.token.added": "passkeyAdded",
  "user.human.passwordless.token.renamed": "passkeyRenamed",
  "user.human.passwordless.token.removed": "passkeyRemoved",
  "user.human.externalidp.added": "accountLinked",
  "user.human.externalidp.removed": "accountUnlinked",
  "user.human.otp.added": "appAdded",
  "user.human.otp.removed": "appRemoved",
  "user.human.recovery_codes.set": "codesMade",
  "user.human.recovery_code.used": "codeUsed",
  "user.human.session.ended": "sessionEnded",
  "user.human.session.terminated": "sessionTerminated",
  "user.human.sessions.terminated": "allEnded",
  "user.human.consent.given": "allowed",
  "user.human.consent.revoked": "withdrawn",
  "user.erasure.requested": "erasureAsked",
  "user.erasure.withdrawn": "erasureWithdrawn",
};
const types = Object.keys(told);

/** The part on which people see what happened to their account. */
export const activity: Part = {
  async show({ site, found: { userId }, ...person }) {
    const { events } = await site.store.search({
      ...{ streams: [streamOf(user, userId)], types, after: 0n },
      ...{ descending: true, limit: activityMax },
    });
    const happened = events.flatMap(({ type, timeMs, payload }) => {
      const what = told[type as UserEvent["type"]];
      return what === undefined ? [] : [{ what, timeMs, ...networkIn(payload) }];
    });
    return { status: 200, page: activityPage({ ...person, happened }) };
  },
  take: {},
};

/** From where it was, as far as the event still says it. */
function networkIn(payload: string): { readonly network?: string } {
  const { network }: { readonly network?: string } = payload === "" ? {} : JSON.parse(payload);
  return network === undefined ? {} : { network };
}
