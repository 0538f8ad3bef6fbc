import type { Caller } from "../api/call.ts";
import { rejectionFor } from "../domain/decision.ts";
import { idOf, isStreamOf, streamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { viaOf } from "../domain/user/made.ts";
import { hasToken } from "../domain/user/token.ts";
import { tokenClaim, type UserState, user } from "../domain/user/user.ts";
import { hashSecret, isToken } from "../secrets/tokens.ts";
import type { Objects, StreamObject } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import { failure } from "./errors.ts";

const bearer = /^bearer +(\S+) *$/i;

/** A caller, and the SHA-256 in hexadecimal of the token that it showed. */
export type KnownCaller = Caller & { readonly tokenHash: string };

/** Finds out who calls, and whether there are organizations. */
export interface Callers {
  /**
   * The caller behind an `authorization` header, as its row says now. Whatever is wrong with the
   * token, the answer is the same, so that it tells nothing about tokens that exist.
   */
  of(authorization: string | null): Promise<KnownCaller>;
  /** The same caller as it was last seen; undefined where none was seen that may call. */
  seen(authorization: string | null): KnownCaller | undefined;
  /** The same, by the hash of the token. */
  seenAs(tokenHash: string): KnownCaller | undefined;
  /** Whether there is an organization with this id: one that was seen is never removed. */
  hasOrganization(id: string): Promise<boolean>;
}

/** Tokens of which it is remembered whose they are. */
const tokensMax = 10_000;

export function createCallers(
  store: Store,
  objects: Objects,
  now: () => number,
  limits: { readonly tokensMax: number } = { tokensMax },
): Callers {
  /** The streams of users by the hashes of their tokens. No token ever becomes another user's. */
  const holders = new Map<string, string>();

  async function findHolder(tokenHash: string): Promise<string | undefined> {
    const known = holders.get(tokenHash);
    if (known !== undefined) return known;
    const stream = await store.find(tokenClaim(tokenHash));
    // Whether the user there holds it is for its state to say; nothing else has any.
    if (stream === undefined || !isStreamOf(user, stream)) return undefined;
    holders.set(tokenHash, stream);
    const [oldest] = holders.keys();
    if (holders.size > limits.tokensMax && oldest !== undefined) holders.delete(oldest);
    return stream;
  }

  function callerOf(stored: StreamObject | undefined, tokenHash: string): KnownCaller | undefined {
    if (stored?.state === undefined) return undefined;
    const state = stored.state as UserState;
    if (!hasToken(state, tokenHash, now())) return undefined;
    const userId = idOf(user, stored.stream);
    const token = Object.values(state.tokens).find((held) => held.tokenHash === tokenHash);
    return {
      ...(token === undefined ? {} : viaOf(userId, token)),
      userId,
      organization: state.organization,
      memberships: state.memberships,
      tokenHash,
    };
  }

  function seenAs(tokenHash: string): KnownCaller | undefined {
    const stream = holders.get(tokenHash);
    return stream === undefined ? undefined : callerOf(objects.seen(stream), tokenHash);
  }

  return {
    async of(authorization) {
      const tokenHash = hashOf(authorization);
      const stream = tokenHash && (await findHolder(tokenHash));
      if (!tokenHash || !stream) throw unauthenticated();
      const [stored] = await objects.load([stream]);
      const caller = callerOf(stored, tokenHash);
      if (caller === undefined) throw unauthenticated();
      return caller;
    },
    seen(authorization) {
      const tokenHash = hashOf(authorization);
      return tokenHash === undefined ? undefined : seenAs(tokenHash);
    },
    seenAs,
    async hasOrganization(id) {
      const stream = streamOf(org, id);
      if (objects.seen(stream) !== undefined) return true;
      const [stored] = await objects.load([stream]);
      return stored?.state !== undefined;
    },
  };
}

/** The token in an `authorization` header; undefined where it holds none. */
export function tokenIn(authorization: string | null): string | undefined {
  const token = bearer.exec(authorization ?? "")?.[1];
  return token !== undefined && isToken(token) ? token : undefined;
}

function hashOf(authorization: string | null): string | undefined {
  const token = tokenIn(authorization);
  return token === undefined ? undefined : hashSecret(token);
}

function unauthenticated() {
  return failure(rejectionFor("UNAUTHENTICATED"));
}
