import { foldName } from "../domain/name.ts";
import { idOf, streamOf } from "../domain/noun.ts";
import { operator } from "../domain/user/made.ts";
import { recoverToken } from "../domain/user/token.ts";
import { user } from "../domain/user/user.ts";
import { createToken, hashSecret, type RandomBytes } from "../secrets/tokens.ts";
import { ConfigError } from "./config.ts";
import type { Offline } from "./offline.ts";

/**
 * Gives a user, by name or id, a token on the word of whoever has the log itself, as an event, and
 * answers it. It does not expire. Rejects with a ConfigError where there is no such user, or its
 * tokens are refused.
 */
export async function recover(
  { store, execute, newId }: Pick<Offline, "store" | "execute" | "newId">,
  name: string,
  random: RandomBytes,
): Promise<string> {
  const named = await store.find({ kind: "user.name", scope: "", value: foldName(name) });
  const id = named === undefined ? name : idOf(user, named);
  const [stored] = await store.load([streamOf(user, id)]);
  if (stored?.state === undefined) throw new ConfigError("No user has this name or id.");
  const token = createToken(random);
  const outcome = await execute({
    actor: operator,
    writes: { user: { noun: user, id } },
    decide: (states) =>
      recoverToken(states.user, { tokenId: newId(), tokenHash: hashSecret(token) }),
  });
  if (outcome.kind !== "done") throw new Error(`no token could be given: ${outcome.kind}`);
  if (outcome.written.length > 0) return token;
  throw new ConfigError("The user was deactivated, and so its tokens are refused: name another.");
}
