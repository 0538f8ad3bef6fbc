import { accept, reject } from "../../decision.ts";
import { isCurrent, refuseEnded } from "../../ending.ts";
import { mustExist } from "../../noun.ts";
import {
  type Acted,
  type Acting,
  type ActingAmongOwners,
  refuseActing,
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
  acting: Acting,
  input: Acted & { readonly tokenId: string } & Token & Via,
  nowMs: number,
): UserDecision {
  const { tokenId, tokenHash, expirationMs, via } = input;
  const refused = refuseEnded(input, nowMs) ?? refuseActing(acting, input);
  if (refused !== undefined) return refused;
  if (Object.keys(mustExist(acting.user).tokens).length >= userLimits.tokens) {
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
  acting: ActingAmongOwners,
  { tokenId, ...acted }: Acted & { readonly tokenId: string },
): UserDecision {
  // Who may not act on the user learns nothing about its tokens either.
  const refused = refuseActing(acting, acted);
  if (refused !== undefined) return refused;
  const state = mustExist(acting.user);
  if (!Object.hasOwn(state.tokens, tokenId)) return reject("TOKEN_NOT_FOUND");
  const { [tokenId]: _removed, ...tokens } = state.tokens;
  const isOwnerStill = isActiveOwner({ ...state, tokens });
  return (
    (isOwnerStill ? undefined : refuseLastOwner(acting)) ??
    accept({ user: [{ type: "user.token.removed", payload: { tokenId } }] })
  );
}
