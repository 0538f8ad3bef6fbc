import { type Ended, endSessions } from "../../domain/user/login/login.ts";
import { decide } from "../base/decide.ts";
import { removeTraces } from "../base/from.ts";
import type { ProviderParts } from "../base/parts.ts";
import { type FoundUser, findUser } from "../base/rows.ts";

type Parts = Pick<ProviderParts, "objects" | "unit" | "execute" | "newId">;

/** Ends sessions of a person, and has the applications told that want to be: see `decide`. */
export async function endSessionsOf(parts: Parts, ended: Ended): Promise<void> {
  const found = await findUser(parts, ended.userId);
  if (found === undefined) return;
  await decide(parts, found, (state, nowMs) => endSessions(state, ended, nowMs));
  for (const sessionId of ended.sessionIds) await removeTraces(parts, sessionId);
}

/** Takes away what is kept of the other sessions of a person, which have ended with a change. */
export async function removeOtherTraces(
  parts: Parts,
  { found, sessionId: own }: { readonly found: FoundUser; readonly sessionId: string },
): Promise<void> {
  const begun = found.state.human?.login?.sessions ?? [];
  for (const { sessionId } of begun) if (sessionId !== own) await removeTraces(parts, sessionId);
}

/** Ends the session of a browser, where somebody is logged in with it. */
export async function recordEnd(
  parts: Parts,
  { accountId, uid: sessionId }: { readonly accountId?: string | undefined; readonly uid: string },
): Promise<void> {
  if (accountId === undefined) return;
  await endSessionsOf(parts, { userId: accountId, sessionIds: [sessionId] });
}
