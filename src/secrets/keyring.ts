import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";
import { type Key, KeyringInvalid } from "./keys.ts";
import type { RandomBytes } from "./tokens.ts";

/** Where a sealed value belongs. It opens nowhere else, so it cannot be moved to another object. */
export interface SealedField {
  readonly stream: string;
  readonly field: string;
}

/**
 * Encrypts secrets that the service must be able to read again: client secrets of providers, codes,
 * secrets of authenticator apps. Whatever it answers or throws, plaintexts and keys are in no
 * message.
 */
export interface Keyring {
  /** The ids of the keys, the one that seals first. */
  readonly keyIds: readonly string[];
  /**
   * `v1.<key id>.<base64url of nonce, ciphertext and tag>`, sealed with the newest key. Every call
   * answers another text; its length tells the length of the plaintext.
   */
  seal(plaintext: string, sealedField: SealedField): string;
  /** The plaintext. Throws KeyMissing, and SealBroken when value, key or field is another. */
  open(sealed: string, sealedField: SealedField): string;
  /** Whether the candidate is the plaintext, in constant time. Throws as `open` does. */
  opens(sealed: string, sealedField: SealedField, candidate: string): boolean;
  /**
   * A secret that goes with a sealed value, and that only this ring can make: 32 hexadecimal
   * characters, the same for the same value. Throws KeyMissing, and SealBroken where it has not the
   * form of a sealed value.
   */
  derive(sealed: string, sealedField: SealedField): string;
  /** A value that tells at later starts whether the newest key is still there, to `assertOpens`. */
  check(): string;
  /**
   * Throws KeyringInvalid, with what to do, when the check was made with a key that is not in this
   * ring, or that has the same id but is another. A start asserts every check that the log holds,
   * then records a fresh one if `keyIdOf` answers the first of `keyIds` for none of them: then each
   * key that ever sealed has a check, and a lost one is noticed before the service opens.
   */
  assertOpens(check: string): void;
}

/** A value was sealed with a key that is not in the ring. */
export class KeyMissing extends Error {
  override readonly name = "KeyMissing";
  readonly keyId: string;

  constructor(keyId: string) {
    super(`no key in the ring has the id ${keyId}`);
    this.keyId = keyId;
  }
}

/** A value does not open: it was changed, belongs elsewhere, or its key is another one. */
export class SealBroken extends Error {
  override readonly name = "SealBroken";

  constructor() {
    super("a sealed value cannot be opened here");
  }
}

const algorithm = "aes-256-gcm";
const version = "v1";
/** 96 bits at random: one key is safe for 2^32 values (NIST SP 800-38D, section 8.3). */
const nonceBytes = 12;
const tagBytes = 16;

/** 128 bits, which nobody guesses (RFC 5869 makes them of the key). */
const derivedBytes = 16;

const form = /^v1\.([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_-]+)$/;

const checkField: SealedField = { stream: "keyring", field: "check" };
const checkText = "iam";

/** A ring of one or more keys with different ids: the first seals, all open. */
export function createKeyring(keys: readonly [Key, ...Key[]], random: RandomBytes): Keyring {
  const [newest] = keys;
  const secrets = new Map(keys.map(({ id, secret }) => [id, secret]));
  if (secrets.size < keys.length) throw new KeyringInvalid("two keys of the ring have the same id");

  function seal(plaintext: string, sealedField: SealedField): string {
    const nonce = random(nonceBytes);
    const cipher = createCipheriv(algorithm, newest.secret, nonce, { authTagLength: tagBytes });
    cipher.setAAD(associatedData(newest.id, sealedField));
    const sealed = [nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()];
    return `${version}.${newest.id}.${Buffer.concat(sealed).toString("base64url")}`;
  }

  function open(sealed: string, sealedField: SealedField): string {
    const { keyId, bytes } = read(sealed);
    return decrypt(bytes, secretOf(keyId), associatedData(keyId, sealedField));
  }

  function secretOf(keyId: string): KeyObject {
    const secret = secrets.get(keyId);
    if (secret === undefined) throw new KeyMissing(keyId);
    return secret;
  }

  return {
    keyIds: [...secrets.keys()],
    seal,
    open,
    opens(sealed, sealedField, candidate) {
      // Digests have one length, whatever lengths the texts have.
      return timingSafeEqual(sha256(open(sealed, sealedField)), sha256(candidate));
    },
    derive(sealed, sealedField) {
      const { keyId } = read(sealed);
      const info = associatedData(keyId, sealedField);
      const bytes = hkdfSync("sha256", secretOf(keyId), sealed, info, derivedBytes);
      return Buffer.from(bytes).toString("hex");
    },
    check: () => seal(checkText, checkField),
    assertOpens(check) {
      try {
        open(check, checkField);
      } catch (error) {
        throw keyringInvalid(error, check);
      }
    },
  };
}

/** What a start is refused with that cannot open a value of the log, for what `open` has thrown. */
export function keyringInvalid(error: unknown, sealed: string): KeyringInvalid {
  if (error instanceof KeyMissing) {
    return new KeyringInvalid(
      `The log has secrets sealed with the key ${error.keyId}, which is not among the ` +
        "master keys. Add it again; if it was replaced, behind the newest key.",
    );
  }
  return new KeyringInvalid(
    `The master key ${keyIdOf(sealed)} has the right id but the wrong value for this log: ` +
      "replace it with the right key.",
  );
}

/** The id of the key that a value was sealed with. Throws SealBroken when it is no such value. */
export function keyIdOf(sealed: string): string {
  return read(sealed).keyId;
}

function read(sealed: string): { readonly keyId: string; readonly bytes: Buffer } {
  const [, keyId, text] = form.exec(sealed) ?? [];
  if (keyId === undefined || text === undefined) throw new SealBroken();
  const bytes = Buffer.from(text, "base64url");
  // The last character has bits to spare: only one way to set them is ours.
  const isOurs = bytes.toString("base64url") === text && bytes.length >= nonceBytes + tagBytes;
  if (!isOurs) throw new SealBroken();
  return { keyId, bytes };
}

function decrypt(bytes: Buffer, secret: KeyObject, associated: Uint8Array): string {
  const nonce = bytes.subarray(0, nonceBytes);
  const decipher = createDecipheriv(algorithm, secret, nonce, { authTagLength: tagBytes });
  decipher.setAAD(associated);
  decipher.setAuthTag(bytes.subarray(-tagBytes));
  const plaintext = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  try {
    return Buffer.concat([plaintext, decipher.final()]).toString();
  } catch {
    throw new SealBroken();
  }
}

/** JSON, so that no two fields look alike, wherever their names end. */
function associatedData(keyId: string, { stream, field }: SealedField): Uint8Array {
  return Buffer.from(JSON.stringify([version, keyId, stream, field]));
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text).digest();
}
