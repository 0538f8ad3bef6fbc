import type { Caller } from "../api/call.ts";
import { rejectionFor } from "../domain/decision.ts";
import { streamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { hasToken } from "../domain/user/token.ts";
import { tokenClaim, type UserState, user } from "../domain/user/user.ts";
import { hashSecret, isToken } from "../secrets/tokens.ts";
import type { Store, StoredObject } from "../store/store.ts";
import { failure } from "./errors.ts";

const bearer = /^bearer +(\S+) *$/i;

/** Finds out who calls, and by which token: its SHA-256 in hexadecimal. */
export interface Callers {
  /**
   * The caller behind an `authorization` header. Whatever is wrong with the token, the answer is
   * the same, so that it tells nothing about tokens that exist.
   */
  of(authorization: string | null): Promise<Caller & { readonly tokenHash: string }>;
}

/** Users whose state is kept parsed; each is some kilobytes at the most. */
const keptMax = 1_000;

export function createCallers(store: Store, now: () => number): Callers {
  const kept = new Map<string, { readonly version: number; readonly state: UserState }>();

  /** The row is read every time, so nothing outlives a change; only parsing it is saved. */
  function stateOf({ stream, version, state: text = "" }: StoredObject): UserState {
    const known = kept.get(stream);
    if (known?.version === version) return known.state;
    const state = JSON.parse(text) as UserState;
    kept.delete(stream);
    kept.set(stream, { version, state });
    const [oldest] = kept.keys();
    if (kept.size > keptMax && oldest !== undefined) kept.delete(oldest);
    return state;
  }

  return {
    async of(authorization) {
      const token = bearer.exec(authorization ?? "")?.[1];
      if (token === undefined || !isToken(token)) throw unauthenticated();

      const tokenHash = hashSecret(token);
      const stream = await store.find(tokenClaim(tokenHash));
      if (stream === undefined) throw unauthenticated();

      const [stored] = await store.load([stream]);
      if (stored?.state === undefined) throw unauthenticated();
      const state = stateOf(stored);
      if (!hasToken(state, tokenHash, now())) throw unauthenticated();
      return {
        userId: stream.slice(streamOf(user, "").length),
        organization: state.organization,
        memberships: state.memberships,
        tokenHash,
      };
    },
  };
}

/** Whether there is an organization with this id. */
export async function organizationExists(organization: string, store: Store): Promise<boolean> {
  const [stored] = await store.load([streamOf(org, organization)]);
  return stored?.state !== undefined;
}

function unauthenticated() {
  return failure(rejectionFor("UNAUTHENTICATED"));
}
