import { accept, invalid, reject } from "../decision.ts";
import { type Acting, escalation, outranks, type UserDecision, userNotFound } from "./acting.ts";
import { type ActingAmongOwners, lastOwner } from "./status.ts";
import { isActiveOwner, type Token, type UserState, userLimits } from "./user.ts";

/** Whether the user is active, has the token and it has not ended. */
export function hasToken(state: UserState, tokenHash: string, nowMs: number): boolean {
  if (state.isInactive) return false;
  const token = Object.values(state.tokens).find((held) => held.tokenHash === tokenHash);
  return token !== undefined && (token.expirationMs === undefined || nowMs < token.expirationMs);
}

export function addToken(
  { user: state, caller }: Acting,
  input: { readonly organization: string; readonly tokenId: string } & Token,
  nowMs: number,
): UserDecision {
  const { organization, tokenId, tokenHash, expirationMs } = input;
  if (expirationMs !== undefined && expirationMs <= nowMs) {
    return invalid([{ field: "expiration_date", description: "must lie in the future" }]);
  }
  if (state === undefined || state.organization !== organization) return userNotFound();
  if (!outranks(caller, state)) return escalation("The user");
  if (Object.keys(state.tokens).length >= userLimits.tokens) {
    return reject(
      "LIMIT_REACHED",
      `The user has ${userLimits.tokens} personal access tokens: remove one first.`,
    );
  }
  const token = { tokenId, tokenHash, ...(expirationMs === undefined ? {} : { expirationMs }) };
  return accept({ user: [{ type: "user.token.added", payload: token }] });
}

export function removeToken(
  { user: state, caller, owners }: ActingAmongOwners,
  { organization, tokenId }: { readonly organization: string; readonly tokenId: string },
): UserDecision {
  if (state === undefined || state.organization !== organization) return userNotFound();
  // Who may not act on the user learns nothing about its tokens either.
  if (!outranks(caller, state)) return escalation("The user");
  if (!Object.hasOwn(state.tokens, tokenId)) {
    return reject("TOKEN_NOT_FOUND", "The user has no personal access token with this id.");
  }
  const { [tokenId]: _removed, ...tokens } = state.tokens;
  const isOwnerStill = isActiveOwner({ ...state, tokens });
  return (
    (isOwnerStill ? undefined : lastOwner({ user: state, owners })) ??
    accept({ user: [{ type: "user.token.removed", payload: { tokenId } }] })
  );
}
