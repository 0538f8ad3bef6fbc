import type { KeyObject } from "node:crypto";

/** Claims of a JWT, of which nothing is known but that they are an object. */
export interface Claims {
  readonly [name: string]: unknown;
}

/**
 * The one algorithm that a key is for (RFC 7518, 3.1), whatever a header says: none that a shared
 * secret would do for.
 */
function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject) {
  if (type === "rsa") return "RS256";
  return type === "ec" && details?.namedCurve === "prime256v1" ? "ES256" : "unsupported";
}

/** A JWT (RFC 7519), signed with the key of the id. */
export async function signJws(
  claims: Claims,
  { key, keyId, type }: { readonly key: KeyObject; readonly keyId: string; readonly type: string },
): Promise<string> {
  const { SignJWT } = await import("jose");
  const header = { alg: algorithmOf(key), typ: type, kid: keyId };
  return await new SignJWT({ ...claims }).setProtectedHeader(header).sign(key);
}

/** A JWT whose signature is right. */
export interface Signed {
  readonly type: unknown;
  readonly claims: Claims;
}

/**
 * Reads a JWT; undefined where it is none, or not signed by a key that may be meant: the one of an
 * id, or, where the JWT names none, any.
 */
export async function readJws(
  text: string,
  findKeys: (keyId: string | undefined) => readonly KeyObject[],
): Promise<Signed | undefined> {
  const [head = "", body = ""] = text.split(".");
  const header = decodePart(head);
  const claims = decodePart(body);
  if (!isOneText(text) || header === undefined || claims === undefined) return undefined;
  const { kid, typ, crit } = header;
  // No extension is understood here, so one that must be is refused.
  if ((kid !== undefined && typeof kid !== "string") || crit !== undefined) return undefined;
  for (const key of findKeys(kid)) {
    if (await isSignedWith(key, text)) return { type: typ, claims };
  }
  return undefined;
}

async function isSignedWith(key: KeyObject, text: string): Promise<boolean> {
  const { compactVerify, errors } = await import("jose");
  try {
    await compactVerify(text, key, { algorithms: [algorithmOf(key)] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}

/** Whether a text may be a JWT: opaque tokens have no dot. */
export function looksLikeJws(text: string): boolean {
  return text.includes(".");
}

/** Whether each part is the one text for its bytes: Node and `jose` read others, too. */
function isOneText(text: string): boolean {
  return text
    .split(".")
    .every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}

/** The object that a part of a JWT is, of which nothing is believed; undefined where it is none. */
export function decodePart(part: string): Claims | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(part, "base64url").toString());
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as Claims) : undefined;
  } catch {
    return undefined;
  }
}
