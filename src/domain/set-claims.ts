/** Claims of a token, by their names. */
export interface Claims {
  readonly [name: string]: unknown;
}

/** The claims that the protocol gives their meaning: nobody else sets them. */
const reserved = new Set([
  ...["iss", "sub", "aud", "exp", "iat", "nbf", "jti", "nonce", "sid", "acr", "amr", "azp", "act"],
  ...["cnf", "client_id", "scope", "auth_time", "at_hash", "c_hash", "typ"],
]);

/** Whether an action may set a claim of this name. */
export function isSettable(name: string): boolean {
  return !reserved.has(name) && !/^urn:(?:iam|zitadel):/.test(name);
}

/** Claims with those that are set: what is there already stays, and so does what is reserved. */
export function setClaims(
  claims: Claims,
  set: readonly { readonly name: string; readonly value: unknown }[],
): Claims {
  const all = new Map(Object.entries(claims));
  for (const { name, value } of set) {
    if (isSettable(name) && !all.has(name)) all.set(name, value);
  }
  return Object.fromEntries(all);
}
