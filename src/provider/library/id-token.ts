import { type Alias, withAliases } from "../../alias.ts";
import { oursOf } from "../token/client.ts";
import type { Claims } from "../token/jws.ts";
import type { Keys } from "../token/keys.ts";
import { groupsScope } from "../token/scopes.ts";

/**
 * The algorithm by which to read an id token that is shown to say whose login it is about: that of
 * the key that it names; undefined where no such key is published. Throws where it is none.
 */
export function algorithmFor(
  token: string,
  { published }: Pick<Keys, "published">,
): string | undefined {
  const [head = ""] = token.split(".");
  const { kid, typ } = JSON.parse(Buffer.from(head, "base64url").toString()) as Claims;
  // The same keys sign access tokens and logout tokens, for the same application.
  if (typ !== undefined && typ !== "JWT") throw new TypeError("it is no id token");
  return published.find(({ keyId }) => keyId === kid)?.algorithm;
}

/** Where the claims that actions have set lie among those that may be told. */
export const setByActions = Symbol("set by actions");

/** The claims of ours and those that actions have set: which are told was decided before. */
export function ownClaims(
  available: Claims & { readonly [setByActions]?: Claims },
  alias: Alias | undefined,
): Claims {
  const isOwn = (name: string) => name === groupsScope || name.startsWith("urn:iam:");
  const own = Object.entries(available).filter(([name]) => isOwn(name));
  return { ...available[setByActions], ...withAliases(Object.fromEntries(own), alias) };
}

/** The claims of an id token as an application reads them whose clock is behind. */
export function allowForClock(claims: Claims, client: object, nowMs: number): Claims {
  const { skewSeconds } = oursOf(client);
  if (skewSeconds === 0) return claims;
  const { auth_time: authTime } = claims;
  // The times at which something was, by as much earlier; the end is one of `ttl`.
  return {
    ...claims,
    iat: Math.floor(nowMs / 1_000) - skewSeconds,
    ...(typeof authTime === "number" ? { auth_time: authTime - skewSeconds } : {}),
  };
}
