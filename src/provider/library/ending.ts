import { logout } from "../../domain/logout.ts";
import { type Ended, endSessions } from "../../domain/user/login.ts";
import { type UserState, user } from "../../domain/user/user.ts";
import type { ProviderParts } from "../parts.ts";
import { findUser } from "../rows.ts";

/** Ends sessions of a person, and has the applications told that want to be. */
export async function endSessionsOf(
  parts: Pick<ProviderParts, "objects" | "execute" | "newId">,
  ended: Ended,
): Promise<void> {
  const { userId } = ended;
  const found = await findUser(parts, userId);
  if (found === undefined) return;
  await parts.execute({
    actor: userId,
    writes: { user: { noun: user, id: userId }, ...logoutOf(found.state, parts.newId) },
    decide: (states) => endSessions(states.user, ended),
  });
}

/** What a command has to write besides the user, where it ends sessions. */
export function logoutOf({ organization: owner }: UserState, newId: () => string) {
  return { logout: { noun: logout, id: newId(), owner, isNew: true } } as const;
}
