import { judgePassword } from "../../domain/user/credential/password.ts";
import { changeOwnPassword } from "../../domain/user/login/password.ts";
import { user } from "../../domain/user/state/user.ts";
import type { WrongChange } from "../../pages/html/password-field.ts";
import { readPopular } from "../../secrets/passwords/popular.ts";
import type { FoundUser } from "../base/rows.ts";
import type { Typist } from "./guesses.ts";
import type { LoginSite } from "./open.ts";

/** The person who types a password. */
type Changing = Typist & { readonly found: FoundUser };

/**
 * Sets another password for a person who has just given the one that there is. Answers its hash, or
 * why it is not taken.
 */
export async function changePassword(
  { guess, execute }: Pick<LoginSite, "guess" | "execute">,
  by: Changing,
  password: string,
): Promise<{ readonly hash: string } | { readonly wrong: WrongChange }> {
  const { userId, state } = by.found;
  const { passwordHash: from = "" } = state.human ?? {};
  const hashed = await hashChange({ guess }, by, password);
  if ("wrong" in hashed) return hashed;
  const { hash: to } = hashed;
  const outcome = await execute({
    actor: userId,
    writes: { user: { noun: user, id: userId } },
    decide: (states) => changeOwnPassword(states.user, { from, to }),
  });
  // Somebody else has set one meanwhile: the next step finds that out.
  return { hash: outcome.kind === "done" ? to : from };
}

/** The hash of a password in place of the one that there is, or why it is not taken. */
export async function hashChange(
  { guess }: Pick<LoginSite, "guess">,
  by: Changing,
  password: string,
): Promise<{ readonly hash: string } | { readonly wrong: WrongChange }> {
  const { human, userName } = by.found.state;
  if (human === undefined) throw new TypeError("a machine has no password");
  const wrong = judgePassword(password, { userName, ...human }, await readPopular());
  if (wrong !== undefined) return { wrong };
  // It may be sent on and on, so it waits as all do that are typed.
  const { passwordHash: hash } = human;
  const isSame = hash !== undefined && (await guess(by, { password, hash }));
  return isSame ? { wrong: "same" } : { hash: await guess.hash(by, password) };
}
