import { changeOwnPassword } from "../../domain/user/login.ts";
import { user } from "../../domain/user/user.ts";
import type { WrongChange } from "../../pages/html/login.ts";
import type { ProviderParts } from "../parts.ts";
import type { FoundUser } from "../rows.ts";
import { judgePassword } from "./password.ts";

/**
 * Sets another password for a person who has just given the one that there is. Answers its hash, or
 * why it is not taken.
 */
export async function changePassword(
  { passwords, execute }: Pick<ProviderParts, "passwords" | "execute">,
  { userId, state }: FoundUser,
  password: string,
): Promise<{ readonly hash: string } | { readonly wrong: WrongChange }> {
  const { human, userName } = state;
  if (human === undefined) throw new TypeError("a machine has no password");
  const wrong = await judgePassword(password, { userName, ...human });
  if (wrong !== undefined) return { wrong };
  const { passwordHash: from = "" } = human;
  if (await passwords.verifyPassword(password, from)) return { wrong: "same" };
  const to = await passwords.hashPassword(password);
  const outcome = await execute({
    actor: userId,
    writes: { user: { noun: user, id: userId } },
    decide: (states) => changeOwnPassword(states.user, { from, to }),
  });
  // Somebody else has set one meanwhile: the next step finds that out.
  return { hash: outcome.kind === "done" ? to : from };
}
