import type { Caller } from "../api/call.ts";
import { streamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { hasToken, tokenClaim, type UserState, user } from "../domain/user.ts";
import { hashSecret, isToken } from "../secrets/tokens.ts";
import type { Store } from "../store/store.ts";
import { failure } from "./errors.ts";

const bearer = /^bearer +(\S+) *$/i;

/**
 * The caller behind an `authorization` header. Whatever is wrong with the token, the answer is the
 * same, so that it tells nothing about tokens that exist.
 */
export async function callerOf(
  authorization: string | null,
  store: Store,
  nowMs: number,
): Promise<Caller> {
  const token = bearer.exec(authorization ?? "")?.[1];
  if (token === undefined || !isToken(token)) throw unauthenticated();

  const tokenHash = hashSecret(token);
  const stream = await store.find(tokenClaim(tokenHash));
  if (stream === undefined) throw unauthenticated();

  const [stored] = await store.load([stream]);
  if (stored?.state === undefined) throw unauthenticated();
  const state = JSON.parse(stored.state) as UserState;
  if (!hasToken(state, tokenHash, nowMs)) throw unauthenticated();
  return {
    userId: stream.slice(streamOf(user, "").length),
    organization: state.organization,
    memberships: state.memberships,
  };
}

/** Whether there is an organization with this id. */
export async function organizationExists(organization: string, store: Store): Promise<boolean> {
  const [stored] = await store.load([streamOf(org, organization)]);
  return stored?.state !== undefined;
}

function unauthenticated() {
  const error = failure({
    reason: "UNAUTHENTICATED",
    message: "A valid token is needed: send `authorization: Bearer <token>`.",
  });
  error.metadata.set("www-authenticate", "Bearer");
  return error;
}
