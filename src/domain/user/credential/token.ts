import { accept, reject } from "../../decision.ts";
import { isCurrent, refuseEnded } from "../../ending.ts";
import {
  type Acting,
  type ActingAmongOwners,
  outranks,
  refuseLastOwner,
  type UserDecision,
} from "../state/acting.ts";
import type { Token } from "../state/credential.ts";
import type { Via } from "../state/made.ts";
import { isActiveOwner, type UserState, userLimits } from "../state/user.ts";

/** Whether the user is active, has the token and it has not ended. */
export function hasToken(state: UserState, tokenHash: string, nowMs: number): boolean {
  if (state.isInactive) return false;
  const token = Object.values(state.tokens).find((held) => held.tokenHash === tokenHash);
  return token !== undefined && isCurrent(token, nowMs);
}

/** Gives a user a personal access token. */
export function addToken(
  { user: state, caller }: Acting,
  input: { readonly organization: string; readonly tokenId: string } & Token & Via,
  nowMs: number,
): UserDecision {
  const { organization, tokenId, tokenHash, expirationMs, via } = input;
  const ended = refuseEnded(input, nowMs);
  if (ended !== undefined) return ended;
  if (state === undefined || state.organization !== organization) return reject("USER_NOT_FOUND");
  if (!outranks(caller, state)) return reject("ESCALATION_DENIED");
  if (Object.keys(state.tokens).length >= userLimits.tokens) {
    return reject(
      "LIMIT_REACHED",
      `The user has ${userLimits.tokens} personal access tokens: remove one first.`,
    );
  }
  const end = expirationMs === undefined ? {} : { expirationMs };
  const token = { tokenId, tokenHash, ...end, ...(via === undefined ? {} : { via }) };
  return accept({ user: [{ type: "user.token.added", payload: token }] });
}

/**
 * Gives a user a token on the word of somebody who has the log, who is recorded as `operator`:
 * such a token counts as made by the user. No limit stands in the way, because nobody else may be
 * able to get in. Nothing where there is no such user, or its tokens are refused.
 */
export function recoverToken(
  state: UserState | undefined,
  token: { readonly tokenId: string } & Token,
): UserDecision {
  if (state === undefined || state.isInactive) return accept({});
  return accept({ user: [{ type: "user.token.recovered", payload: token }] });
}

/** Takes a personal access token from a user. */
export function removeToken(
  { user: state, caller, owners }: ActingAmongOwners,
  { organization, tokenId }: { readonly organization: string; readonly tokenId: string },
): UserDecision {
  if (state === undefined || state.organization !== organization) return reject("USER_NOT_FOUND");
  // Who may not act on the user learns nothing about its tokens either.
  if (!outranks(caller, state)) return reject("ESCALATION_DENIED");
  if (!Object.hasOwn(state.tokens, tokenId)) {
    return reject("TOKEN_NOT_FOUND");
  }
  const { [tokenId]: _removed, ...tokens } = state.tokens;
  const isOwnerStill = isActiveOwner({ ...state, tokens });
  return (
    (isOwnerStill ? undefined : refuseLastOwner({ user: state, owners })) ??
    accept({ user: [{ type: "user.token.removed", payload: { tokenId } }] })
  );
}
