import { idOf } from "../domain/noun.ts";
import { registerLimits } from "../domain/registration/pending.ts";
import { isHeld, isUnfinished } from "../domain/registration/register.ts";
import { type UserState, user } from "../domain/user/state/user.ts";
import { listLimits } from "../store/query.ts";
import { type Store, StoreUnavailable } from "../store/store.ts";

/** Who has an e-mail address in an organization. */
export type Registered =
  | { readonly kind: "nobody" }
  /** Somebody to whom it is proven, or for whom an account waits that is not for the taking. */
  | { readonly kind: "held"; readonly user: UserState }
  /** An account that waits for who proves the address. */
  | { readonly kind: "unfinished"; readonly userId: string };

/** Finds who has an address in an organization, in use or not: what somebody may register as. */
export async function findRegistered(
  store: Pick<Store, "list">,
  { email, organization }: { readonly email: string; readonly organization: string },
): Promise<Registered> {
  const value = email.trim();
  const page = await store.list({
    kind: user.kind,
    parents: [organization],
    where: { kind: "text", field: "email", method: "equals", ignoreCase: true, value },
    offset: 0,
    limit: registerLimits.users,
    stateBytes: listLimits.stateBytes,
  });
  if (page === undefined) throw new StoreUnavailable("who has an address was not found in time");
  const found = page.objects.map(({ stream, state }) => {
    return { userId: idOf(user, stream), state: JSON.parse(state ?? "{}") as UserState };
  });
  const held = found.find(({ state }) => isHeld(state, email));
  const unfinished = found.find(({ state }) => isUnfinished(state, email));
  if (held !== undefined) return { kind: "held", user: held.state };
  if (unfinished === undefined) return { kind: "nobody" };
  return { kind: "unfinished", userId: unfinished.userId };
}
