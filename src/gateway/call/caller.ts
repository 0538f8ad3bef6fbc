import type { Caller } from "../../api/call.ts";
import { type Access, handsIn } from "../../domain/access.ts";
import type { Shown } from "../../domain/admission.ts";
import { rejectionFor } from "../../domain/decision.ts";
import { idOf, isStreamOf, streamOf } from "../../domain/noun.ts";
import { org, type Standing } from "../../domain/org.ts";
import { hasToken } from "../../domain/user/credential/token.ts";
import { viaOf } from "../../domain/user/state/made.ts";
import { tokenClaim, type UserState, user } from "../../domain/user/state/user.ts";
import { readCounting, seeCounting, standingOf } from "../../execute/owner.ts";
import { hashSecret, isToken } from "../../secrets/tokens.ts";
import type { Objects, StreamObject } from "../../store/objects.ts";
import type { Store } from "../../store/store.ts";
import { failure } from "./errors.ts";

const bearer = /^bearer +(\S+) *$/i;

/** What access tokens look like: 256 random bits, or a JWT. No personal token does. */
const accessForm = /^(?:[\w-]{43}|[\w-]+\.[\w-]+\.[\w-]+)$/;

/** A caller, and what it showed. */
export type KnownCaller = Caller & { readonly shown: Shown };

/** A user whom an access token lets in, as its row says now. */
export interface FoundAccess {
  readonly access: Access;
  readonly userId: string;
  readonly state: UserState;
}

/** Finds what an access token for the API stands for; undefined if it is invalid or expired. */
export type FindAccess = (token: string) => Promise<FoundAccess | undefined>;

/** Finds out who calls, and what is said of organizations. */
export interface Callers {
  /**
   * The caller behind an `authorization` header, as its row says now. Whatever is wrong with the
   * token, the answer is the same, so that it tells nothing about tokens that exist.
   */
  of(authorization: string | null): Promise<KnownCaller>;
  /**
   * The same caller as it was last seen; undefined where none was seen that may call. Who shows an
   * access token is looked at each time.
   */
  seen(authorization: string | null): KnownCaller | undefined;
  /** The organization with this id, as its row says now. */
  organization(id: string): Promise<Standing>;
  /** The same as it was last seen; where that is not remembered, as its row says now. */
  seenOrganization(id: string): Promise<Standing>;
}

/** Tokens of which it is remembered whose they are. */
const tokensMax = 10_000;

export function createCallers(
  store: Store,
  objects: Objects,
  now: () => number,
  findAccess: FindAccess,
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
      shown: { kind: "personal", tokenHash },
    };
  }

  async function byAccess(token: string): Promise<KnownCaller | undefined> {
    const found = accessForm.test(token) ? await findAccess(token) : undefined;
    if (found === undefined) return undefined;
    const { access, userId, state } = found;
    const { organization, memberships } = state;
    const hands = handsIn(access, userId, state, now());
    return { ...hands, userId, organization, memberships, shown: access };
  }

  async function byHash(tokenHash: string): Promise<KnownCaller | undefined> {
    const stream = await findHolder(tokenHash);
    if (stream === undefined) return undefined;
    const [stored] = await readCounting(objects, objects.load, [stream]);
    return callerOf(stored, tokenHash);
  }

  async function organization(id: string): Promise<Standing> {
    const [stored] = await objects.current([streamOf(org, id)]);
    return stored && standingOf(stored);
  }

  return {
    async of(authorization) {
      const text = textIn(authorization);
      const caller = isToken(text) ? await byHash(hashSecret(text)) : await byAccess(text);
      if (caller === undefined) throw unauthenticated();
      return caller;
    },
    seen(authorization) {
      const text = textIn(authorization);
      if (!isToken(text)) return undefined;
      const tokenHash = hashSecret(text);
      const stream = holders.get(tokenHash);
      return stream === undefined ? undefined : callerOf(seeCounting(objects, stream), tokenHash);
    },
    organization,
    async seenOrganization(id) {
      const seen = objects.seen(streamOf(org, id));
      return seen === undefined ? await organization(id) : standingOf(seen);
    },
  };
}

/** What has the form of a token in an `authorization` header; undefined where nothing has. */
export function tokenIn(authorization: string | null): string | undefined {
  const text = textIn(authorization);
  return isToken(text) || accessForm.test(text) ? text : undefined;
}

/** What an `authorization` header holds in the place of a token, or nothing. */
function textIn(authorization: string | null): string {
  return bearer.exec(authorization ?? "")?.[1] ?? "";
}

function unauthenticated() {
  return failure(rejectionFor("UNAUTHENTICATED"));
}
