import { claimsOfScope } from "./user/claims.ts";

/** Claims of a token, by their names. */
export interface Claims {
  readonly [name: string]: unknown;
}

/** What an action asks for, as far as it is about claims. */
export interface ClaimEffect {
  readonly kind: string;
  readonly name: string;
  readonly value: unknown;
}

/** The claims that actions have set of one token, and what was not set. */
export interface SetClaims {
  readonly set: Claims;
  /** By the name of the action: what it logs into claims, and why claims of it were not set. */
  readonly logs: { readonly [action: string]: readonly string[] };
}

/** The bounds on what actions set. */
export const setClaimLimits = {
  /**
   * UTF-8 bytes of all claims that actions set of one token, as JSON. Those of logs count twice,
   * since they may have two names.
   */
  bytes: 4_096,
} as const;

/** Nothing is set yet. */
export const nothingSet: SetClaims = { set: {}, logs: {} };

/**
 * The claims that the protocol and this service give their meaning: nobody else sets them. The
 * application may be of another organization than the action, and many tokens have none of those
 * that say who somebody is (OIDC Core 1.0, 5.1). Groups are those of its organization.
 */
const reserved = new Set<string>([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "sid", "acr", "amr", "azp", "act"],
  ...["cnf", "client_id", "scope", "auth_time", "at_hash", "c_hash", "typ", "groups"],
  ...["active", "username", "token_type"],
  ...Object.values(claimsOfScope).flat(),
  ...["middle_name", "profile", "picture", "website", "birthdate", "zoneinfo", "address"],
]);

/** Whether an action may set a claim of this name. */
export function isSettable(name: string): boolean {
  return !reserved.has(name) && !/^urn:(?:iam|zitadel):/.test(name);
}

/** The claim in which a token has what an action logs. */
export function logClaimOf(action: string): string {
  return `urn:iam:action:${action}:log`;
}

/**
 * Takes what an action asks for. A claim that is there already stays, and so does
 * what is reserved; that, and what has no room, the log of the action says.
 */
export function takeClaims(
  claims: Claims,
  before: SetClaims,
  { action, effects }: { readonly action: string; readonly effects: readonly ClaimEffect[] },
  bytesMax: number = setClaimLimits.bytes,
): SetClaims {
  const fits = (taken: SetClaims) => bytesOf(taken) <= bytesMax;
  let taken = before;
  const log = (line: string) => {
    const lines = Object.hasOwn(taken.logs, action) ? (taken.logs[action] ?? []) : [];
    const more = { ...taken, logs: { ...taken.logs, [action]: [...lines, line] } };
    if (fits(more)) taken = more;
  };
  for (const { kind, name, value } of effects) {
    if (kind === "appendLogIntoClaims") log(typeof value === "string" ? value : said(value));
    if (kind !== "setClaim") continue;
    const more = { ...taken, set: { ...taken.set, [name]: value } };
    if (!isSettable(name)) log(`key ${said(name)} is reserved`);
    else if (Object.hasOwn(claims, name) || Object.hasOwn(taken.set, name)) {
      log(`key ${said(name)} already exists`);
    } else if (fits(more)) taken = more;
    else log(`key ${said(name)} has no room`);
  }
  return taken;
}

/** Claims with those that actions have set, and what they log. */
export function withSet(claims: Claims, { set, logs }: SetClaims): Claims {
  return { ...claims, ...set, ...logClaims(logs) };
}

/** What actions log, as claims. */
export function logClaims(logs: SetClaims["logs"]): Claims {
  return Object.fromEntries(
    Object.entries(logs).map(([action, lines]) => [logClaimOf(action), lines]),
  );
}

function bytesOf({ set, logs }: SetClaims): number {
  const count = (claims: Claims) => {
    return Object.keys(claims).length === 0 ? 0 : encoder.encode(said(claims)).length;
  };
  return count(set) + 2 * count(logClaims(logs));
}

const encoder = new TextEncoder();

function said(value: unknown): string {
  return JSON.stringify(value);
}
