import { type Ended, endSessions } from "../../domain/user/login/login.ts";
import { decide } from "../base/decide.ts";
import { removeTraces } from "../base/from.ts";
import type { ProviderParts } from "../base/parts.ts";
import { findUser } from "../base/rows.ts";

/** Ends sessions of a person, and has the applications told that want to be: see `decide`. */
export async function endSessionsOf(
  parts: Pick<ProviderParts, "objects" | "store" | "now" | "execute" | "newId">,
  ended: Ended,
): Promise<void> {
  const found = await findUser(parts, ended.userId);
  if (found === undefined) return;
  await decide(parts, found, (state, nowMs) => endSessions(state, ended, nowMs));
  for (const sessionId of ended.sessionIds) await removeTraces(parts, sessionId);
}
