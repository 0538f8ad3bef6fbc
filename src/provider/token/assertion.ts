import { createPublicKey, type KeyObject } from "node:crypto";
import { isCurrent } from "../../domain/ending.ts";
import type { HeldKey, Keys } from "../../domain/key.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { aheadMs, type ProviderParts } from "../base/parts.ts";
import { routes } from "../base/site.ts";
import { decodePart, readJws } from "./jws.ts";

/** The bounds of the JWTs by which applications and machines prove themselves (RFC 7523, 3). */
export const assertionLimits = {
  /** Milliseconds for which one may be valid from when it is shown. */
  assertionMs: 60 * 60_000,
  /** Keys that are tried for one that names none: each costs who checks more than who sends. */
  keysTried: 5,
} as const;

/** The keys by which an assertion may be signed: the one that it names, else the newest. */
export function signersOf(
  { keys = {} }: { readonly keys?: Keys },
  keyId: unknown,
  nowMs: number,
): readonly (readonly [keyId: string, key: HeldKey])[] {
  const good = Object.entries(keys).filter(([, key]) => isCurrent(key, nowMs));
  if (keyId !== undefined) return good.filter(([id]) => id === keyId);
  const byAge = good.toSorted(([, one], [, other]) => one.addedMs - other.addedMs);
  return byAge.slice(-assertionLimits.keysTried);
}

/** The public parts of these keys. */
export function publicKeysOf(signers: ReturnType<typeof signersOf>): readonly KeyObject[] {
  return signers.map(([, { publicKey }]) =>
    createPublicKey({ key: { ...publicKey }, format: "jwk" }),
  );
}

/** Whom an assertion is of, before anything of it is believed. */
export function subjectOf(assertion: string): string {
  const [, body = ""] = assertion.split(".");
  const { sub } = decodePart(body) ?? {};
  return typeof sub === "string" ? sub : "";
}

/** An assertion that is shown, and whom it has to be of. */
export interface Asserted {
  readonly assertion: string;
  readonly subject: string;
  /** The path at which it is shown. */
  readonly path: string;
  /** Finds the keys that may have signed it. */
  findKeys(keyId: string | undefined): readonly KeyObject[];
}

/**
 * What is wrong with an assertion, in words for the log; undefined where it is valid. That uses it
 * up where it has an id.
 */
export async function problemWith(
  parts: Pick<ProviderParts, "machineNow" | "now" | "publicUrl" | "unit">,
  { assertion, subject, path, findKeys }: Asserted,
): Promise<string | undefined> {
  const signed = await readJws(assertion, findKeys);
  if (signed === undefined) return "none of its valid keys signed the assertion";
  const { iss, sub, aud, exp, iat, nbf, jti } = signed.claims;
  if (iss !== subject || sub !== subject) return "iss and sub must be the client id";
  const issuer = parts.publicUrl();
  // Those that the library takes at its endpoints.
  const forUs = [issuer, issuer + path, issuer + routes.token];
  if (![aud].flat().some((one) => forUs.includes(one as string))) {
    return "aud must be the issuer, the token endpoint or this endpoint";
  }
  const nowMs = parts.machineNow();
  if (!isTimely(exp, nowMs)) return "the assertion has expired, or is valid for more than an hour";
  if (![iat, nbf].every((one) => hasBegun(one, nowMs))) return "the assertion is not valid yet";
  if (jti === undefined) return undefined;
  if (typeof jti !== "string") return "jti must be a text";
  const isNew = await isFirst(parts, { clientId: subject, jti, exp: Number(exp) });
  return isNew ? undefined : "the assertion was already used";
}

/** The id of the key that an assertion names; undefined where it names none, or is none. */
export function keyIdIn(assertion: unknown): unknown {
  const [head = ""] = String(assertion).split(".");
  return decodePart(head)?.kid;
}

/** Milliseconds by which clocks may differ. */
const skewMs = 5_000;

/** Whether an assertion that ends then is valid now, and not for too long. */
export function isTimely(exp: unknown, nowMs: number): boolean {
  const endsMs = typeof exp === "number" ? exp * 1_000 : 0;
  return endsMs > nowMs - skewMs && endsMs <= nowMs + assertionLimits.assertionMs + skewMs;
}

/** Whether what an assertion names has come: where it does not say when, and at no odd time. */
export function hasBegun(seconds: unknown, nowMs: number): boolean {
  if (seconds === undefined) return true;
  return typeof seconds === "number" && seconds * 1_000 <= nowMs + skewMs;
}

/** An assertion by what it can be told from all others, and when it ends (Unix seconds). */
export interface ShownAssertion {
  readonly clientId: string;
  readonly jti: string;
  readonly exp: number;
}

/** Whether an assertion is shown for the first time: to any process, at any endpoint. */
export async function isFirst(
  parts: Pick<ProviderParts, "unit" | "now" | "machineNow">,
  { clientId, jti, exp }: ShownAssertion,
): Promise<boolean> {
  const key = `Assertion:${hashSecret(`${clientId} ${jti}`)}`;
  // By the time of the log, by which it is swept; who signs may write fractions of a second.
  const keptMs = Math.ceil(exp * 1_000) + aheadMs(parts) + skewMs;
  const count = { kind: "count", key, expiresMs: keptMs, isOnce: true } as const;
  const [uses] = await parts.unit.artifacts.write([count]);
  return uses === 1;
}
