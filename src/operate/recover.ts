import { ConfigError } from "../config/config.ts";
import { foldName } from "../domain/name.ts";
import { idOf, isStreamOf } from "../domain/noun.ts";
import { recoverToken } from "../domain/user/credential/token.ts";
import { operator } from "../domain/user/state/made.ts";
import { user } from "../domain/user/state/user.ts";
import { doneOr } from "../execute/done.ts";
import { readCounted } from "../execute/owner.ts";
import type { Offline } from "../log/offline.ts";
import { createToken, hashSecret, type RandomBytes } from "../secrets/tokens.ts";
import { claimKey } from "../store/claim-key.ts";
import type { Store } from "../store/store.ts";

/**
 * Gives a user, by name or id, a token on the word of somebody who has the log, as an event, and
 * answers it. It does not expire. Rejects with a ConfigError where there is no such user, or its
 * tokens are refused.
 */
export async function recover(
  { store, execute, newId }: Pick<Offline, "store" | "execute" | "newId">,
  name: string,
  random: RandomBytes,
): Promise<string> {
  const id = (await findByName(store, name)) ?? name;
  if ((await readCounted(store, user, id)) === undefined)
    throw new ConfigError("No user has this name or id.");
  const token = createToken(random);
  const outcome = await execute({
    actor: operator,
    writes: { user: { noun: user, id } },
    decide: (states) =>
      recoverToken(states.user, { tokenId: newId(), tokenHash: hashSecret(token) }),
  });
  const { written } = doneOr(outcome, "no token could be created");
  if (written.length > 0) return token;
  throw new ConfigError(
    "The user or its organization is deactivated, so its tokens are refused: name another.",
  );
}

/** The id of the user whose name is this, by its claim and by what the user itself says. */
async function findByName(store: Store, name: string): Promise<string | undefined> {
  const claim = { kind: "user.name", scope: "", value: foldName(name) };
  const stream = await store.find(claim);
  if (stream === undefined) return undefined;
  const found = isStreamOf(user, stream)
    ? await readCounted(store, user, idOf(user, stream))
    : undefined;
  const claims = found === undefined ? [] : user.claims(found.state);
  if (claims.some((held) => claimKey(held) === claimKey(claim))) return found?.id;
  throw new ConfigError(
    `The name leads to ${stream}, which has another name: the log was changed, run verify ` +
      "for more.",
  );
}
