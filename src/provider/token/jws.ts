import { type KeyObject, sign, verify } from "node:crypto";

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
  return type === "ec" && details?.namedCurve === "prime256v1" ? "ES256" : undefined;
}

/** Signatures of curves as JWTs have them (RFC 7518, 3.4); of RSA it says nothing. */
const dsaEncoding = "ieee-p1363";

/** A JWT (RFC 7519), signed with the key of the id. */
export function signJws(
  claims: Claims,
  { key, keyId, type }: { readonly key: KeyObject; readonly keyId: string; readonly type: string },
): string {
  const header = { alg: algorithmOf(key), typ: type, kid: keyId };
  const text = [header, claims].map((part) => encode(JSON.stringify(part))).join(".");
  return `${text}.${sign("sha256", Buffer.from(text), { key, dsaEncoding }).toString("base64url")}`;
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
export function readJws(
  text: string,
  findKeys: (keyId: string | undefined) => readonly KeyObject[],
): Signed | undefined {
  const [head = "", body = "", signature = "", ...rest] = text.split(".");
  const header = decode(head);
  const claims = decode(body);
  if (rest.length > 0 || header === undefined || claims === undefined) return undefined;
  const { alg, kid, typ, crit } = header;
  // Whoever must understand an extension understands none.
  if ((kid !== undefined && typeof kid !== "string") || crit !== undefined) return undefined;
  const bytes = bytesOf(signature);
  if (alg === undefined || bytes === undefined) return undefined;
  const signed = Buffer.from(`${head}.${body}`);
  const isSigned = findKeys(kid).some(
    (key) => alg === algorithmOf(key) && verify("sha256", signed, { key, dsaEncoding }, bytes),
  );
  return isSigned ? { type: typ, claims } : undefined;
}

/** Whether a text may be a JWT: opaque tokens have no dot. */
export function looksLikeJws(text: string): boolean {
  return text.includes(".");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** The bytes of a part; undefined where it is not the one text for them: Node reads others too. */
function bytesOf(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, "base64url");
  return bytes.toString("base64url") === part ? bytes : undefined;
}

function decode(part: string): Claims | undefined {
  try {
    const parsed: unknown = JSON.parse(bytesOf(part)?.toString() ?? "");
    const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
    return isObject ? (parsed as Claims) : undefined;
  } catch {
    return undefined;
  }
}
