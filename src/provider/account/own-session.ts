import type { Own } from "../../domain/user/own/own.ts";
import { provenMs, sessionOf } from "../../domain/user/state/session.ts";
import { shownUserName } from "../../domain/user/state/user.ts";
import type { Visit } from "../../pages/account.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { findAccountPolicy, goesOn } from "../base/policy.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { type LoginSite, reachLibrary } from "../login/open.ts";

/** The session of a browser in which somebody is logged in. */
export interface OwnSession {
  readonly sessionId: string;
  readonly found: FoundUser;
  readonly displayName: string;
  /** What the forms of its pages have, and nobody knows who has not its cookie. */
  readonly secret: string;
  /** See `provenMs`. */
  readonly provenMs: number;
  /** What the request counts for; undefined where it has no share of its own. */
  readonly address: string | undefined;
}

/** The session, as decisions of the domain are given it. */
export function ownOf({
  found: { userId },
  sessionId,
}: Pick<OwnSession, "found" | "sessionId">): Own {
  return { userId, sessionId };
}

/** The session of the browser that asks; undefined where nobody is logged in with it. */
export async function findOwnSession(
  site: LoginSite,
  visit: Pick<Visit, "request" | "reply">,
): Promise<OwnSession | undefined> {
  const { provider, address, ctx } = await reachLibrary(site, visit);
  const session = await provider.Session.get(ctx);
  const { accountId, uid: sessionId } = session;
  const found = accountId === undefined ? undefined : await findUser(site, accountId);
  const kept = found && sessionOf(found.state, sessionId, site.now());
  if (found === undefined || kept === undefined) return undefined;
  const policy = await findAccountPolicy(site, found);
  if (!(await goesOn(site, policy, found, kept))) return undefined;
  const secret = hashSecret(`form ${session.jti}`);
  const displayName = shownUserName(found.state);
  return { sessionId, found, displayName, secret, provenMs: provenMs(kept), address };
}
