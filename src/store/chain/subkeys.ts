import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from "node:crypto";

/** Bytes of the key of a log. */
export const logKeyBytes = 32;

/** What the key of a log is used for besides the MACs of events. */
type Purpose =
  | "iam object"
  | "iam answer"
  | "iam artifact"
  | "iam head"
  | "iam erasure"
  | "iam checkpoint";

/** The key of its own that a purpose has (HKDF-SHA-256 without salt, RFC 5869). */
export function subkeyOf(key: KeyObject, purpose: Purpose): KeyObject {
  return createSecretKey(subkeyBytes(key, purpose));
}

/** An Ed25519 key is 32 bytes behind these of PKCS #8 (RFC 8410, section 7). */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** The Ed25519 key by which checkpoints of a log are signed. */
export function signingKeyOf(key: KeyObject): KeyObject {
  const der = Buffer.concat([pkcs8, subkeyBytes(key, "iam checkpoint")]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

/** What checks the signatures of checkpoints of a log, as PEM. */
export function publicKeyOf(key: KeyObject): string {
  return createPublicKey(signingKeyOf(key)).export({ format: "pem", type: "spki" }).toString();
}

function subkeyBytes(key: KeyObject, purpose: Purpose): Buffer {
  return Buffer.from(hkdfSync("sha256", key, "", purpose, logKeyBytes));
}
