import { consentsOf, revokeConsent } from "../../domain/user/login/consent.ts";
import { sessionsOf } from "../../domain/user/state/session.ts";
import type { Answer } from "../../pages/account.ts";
import { sessionsPage } from "../../pages/html/account/sessions.ts";
import { loginNoticePage } from "../../pages/html/login.ts";
import { decide } from "../base/decide.ts";
import { findDestination } from "../base/destination.ts";
import { findTraces } from "../base/from.ts";
import { findClient } from "../base/rows.ts";
import { endSessionsOf } from "../library/ending.ts";
import { backTo, doneIn, type Own, type Part } from "./part.ts";

/**
 * The part on which people see where they are logged in and which applications act for them, and
 * end it.
 */
export const sessions: Part = {
  show,
  take: {
    async here(own) {
      await endThose(own, (id) => id === own.sessionId);
      return { status: 200, page: loginNoticePage("loggedOut") };
    },
    async one(own) {
      await endThose(own, (id) => id === own.visit.fields.of("session"));
      return backTo("sessions", "ended");
    },
    async others(own) {
      await endThose(own, (id) => id !== own.sessionId);
      return backTo("sessions", "endedOthers");
    },
    async withdraw({ site, found, visit }) {
      const clientId = visit.fields.of("client");
      await decide(site, found, (state) => revokeConsent(state, { clientId }));
      return backTo("sessions", "withdrawn");
    },
  },
};

async function show(own: Own): Promise<Answer> {
  const { site, found, sessionId: ownId, ...person } = own;
  const [begun, consents] = await Promise.all([
    // Nothing is kept of the browsers of some that began before it was.
    Promise.all(
      sessionsOf(found.state, site.now()).map(async (one) => ({
        ...one,
        ...(await findTraces(site, one.sessionId)),
        application: await findDestination(site, one.clientId),
      })),
    ),
    Promise.all(
      consentsOf(found.state).map(async (one) => ({
        ...one,
        application: (await findClient(site, one.clientId))?.name,
      })),
    ),
  ]);
  const done = doneIn(own, ["ended", "endedOthers", "withdrawn"]);
  const shown = { ...person, ownId, sessions: begun, consents, ...done };
  return { status: 200, page: sessionsPage(shown) };
}

/** Ends sessions of the person who asks, of which some are chosen. */
async function endThose(
  { site, sessionId: ownId, found: { userId, state } }: Own,
  isChosen: (sessionId: string) => boolean,
): Promise<void> {
  const all = sessionsOf(state, site.now()).map(({ sessionId }) => sessionId);
  const sessionIds = all.filter(isChosen);
  const isFromAnother = !sessionIds.includes(ownId);
  await endSessionsOf(site, { userId, sessionIds, isFromAnother });
}
