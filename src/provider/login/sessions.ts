import { consentsOf, revokeConsent } from "../../domain/user/login/consent.ts";
import { sessionsOf } from "../../domain/user/login/login.ts";
import type { Session } from "../../domain/user/login/state.ts";
import { shownUserName } from "../../domain/user/user.ts";
import { failure } from "../../gateway/call/errors.ts";
import type { Answer, Visit } from "../../pages/account.ts";
import { loginNoticePage } from "../../pages/html/login.ts";
import { noSessionPage, sessionsPage } from "../../pages/html/sessions.ts";
import type { PageTable } from "../../pages/routes.ts";
import { isEqual } from "../../secrets/tokens.ts";
import { decide } from "../base/decide.ts";
import { findTraces } from "../base/from.ts";
import { findClient } from "../base/rows.ts";
import { endSessionsOf } from "../library/ending.ts";
import type { LoginSite } from "./open.ts";
import { findOwnSession, type OwnSession } from "./own-session.ts";

/**
 * The page on which people see where they are logged in and which applications act for them, and
 * end it.
 */
export function sessionPages(site: LoginSite): PageTable {
  return {
    "/ui/sessions": {
      get: (visit) => show(site, visit),
      post: (visit) => take(site, visit),
    },
  };
}

async function show(site: LoginSite, visit: Visit): Promise<Answer> {
  const own = await findOwnSession(site, visit);
  if (own === undefined) return { status: 200, page: noSessionPage };
  const { found, secret } = own;
  const named = <One extends { readonly clientId: string }>(all: readonly One[]) =>
    Promise.all(
      all.map(async (one) => {
        return { ...one, application: (await findClient(site, one.clientId))?.name };
      }),
    );
  const [sessions, consents] = await Promise.all([
    named(await withTraces(site, sessionsOf(found.state, site.now()))),
    named(consentsOf(found.state)),
  ]);
  const displayName = shownUserName(found.state);
  const { sessionId: ownId } = own;
  return { status: 200, page: sessionsPage({ displayName, secret, ownId, sessions, consents }) };
}

/** The sessions with what is kept of their browsers; nothing of some that began before it was. */
async function withTraces(site: LoginSite, sessions: readonly Session[]) {
  return await Promise.all(
    sessions.map(async (one) => ({ ...one, ...(await findTraces(site, one.sessionId)) })),
  );
}

async function take(site: LoginSite, visit: Visit): Promise<Answer> {
  const { fields } = visit;
  const own = await findOwnSession(site, visit);
  if (own === undefined) return { status: 400, page: noSessionPage };
  if (!isEqual(own.secret, fields.of("secret"))) {
    throw failure({ reason: "MALFORMED_REQUEST", message: "The form is of another session." });
  }
  const { found, sessionId } = own;
  switch (fields.of("step")) {
    case "here":
      await endThose(site, own, (id) => id === sessionId);
      return { status: 200, page: loginNoticePage("loggedOut") };
    case "one":
      await endThose(site, own, (id) => id === fields.of("session"));
      break;
    case "others":
      await endThose(site, own, (id) => id !== sessionId);
      break;
    case "withdraw":
      await decide(site, found, (state) => revokeConsent(state, { clientId: fields.of("client") }));
      break;
    default:
      throw failure({ reason: "MALFORMED_REQUEST", message: "Unknown step." });
  }
  return { redirect: "sessions" };
}

/** Ends sessions of the person who asks, of which some are chosen. */
async function endThose(
  site: LoginSite,
  { found: { userId, state } }: OwnSession,
  isChosen: (sessionId: string) => boolean,
): Promise<void> {
  const sessionIds = sessionsOf(state, site.now()).map(({ sessionId }) => sessionId);
  await endSessionsOf(site, { userId, sessionIds: sessionIds.filter(isChosen) });
}
