import { createHash, createSecretKey, type KeyObject } from "node:crypto";
import { join } from "node:path";
import { readIfThere, readOrCreate } from "../file.ts";
import type { RandomBytes } from "./tokens.ts";

/** A key of the keyring. It does not show its bytes when it is printed. */
export interface Key {
  /** 1 to 32 characters of `A-Z a-z 0-9 _ -`; it stands in every value that the key seals. */
  readonly id: string;
  /** 256 bits. */
  readonly secret: KeyObject;
}

/** The keys do not fit: malformed, too many, or not those that the log was written with. */
export class KeyringInvalid extends Error {
  override readonly name = "KeyringInvalid";
}

/** Where the key is left that the service makes for itself, in the data directory. */
export const keyFile = "master.key";

const keysMax = 16;
const keyBytes = 32;
const fingerprintDigits = 12;

const form = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/**
 * The keys that a text like IAM_MASTER_KEY lists: `id:base64` of 32 bytes each, separated by
 * commas, the newest first. To rotate, put a new one in front and leave the others. Throws
 * KeyringInvalid, whose sentence counts the entries and repeats none of them.
 */
export function parseKeyring(text: string): readonly [Key, ...Key[]] {
  const entries = text.split(",", keysMax + 1).map((entry) => entry.trim());
  if (entries.length > keysMax) {
    throw new KeyringInvalid(`There are more than ${keysMax} master keys: drop the oldest.`);
  }
  const keys = entries.map((entry, index) => {
    const [, id, base64 = ""] = form.exec(entry) ?? [];
    const bytes = Buffer.from(base64, "base64");
    if (id === undefined || bytes.toString("base64") !== base64) {
      throw new KeyringInvalid(
        `Master key ${index + 1} must have the form <id>:<key>. The id has 1 to 32 letters, ` +
          "digits, _ and -; the key has 32 bytes in base64 (openssl rand -base64 32).",
      );
    }
    return { id, secret: createSecretKey(bytes) };
  });
  const [newest, ...older] = keys;
  if (newest === undefined) throw new KeyringInvalid("There is no master key.");
  return [newest, ...older];
}

/**
 * The keys in the data directory; a fresh one where there are none. The file has the form of
 * `parseKeyring`, so a key can be rotated there too. Rejects with KeyringInvalid, which names the
 * file, where it holds something else, and with FileUnusable.
 */
export async function loadOrCreateKeyFile(
  dataDir: string,
  random: RandomBytes,
): Promise<readonly [Key, ...Key[]]> {
  const path = keyFileIn(dataDir);
  return parseKeyFile(path, await readOrCreate(path, () => `${createKey(random)}\n`, random));
}

/** The same without making one: undefined where there are none. */
export async function loadKeyFile(dataDir: string): Promise<readonly [Key, ...Key[]] | undefined> {
  const path = keyFileIn(dataDir);
  const text = await readIfThere(path);
  return text === undefined ? undefined : parseKeyFile(path, text);
}

/** What the next step of a rotation made of a ring, as the text that lists it. */
export interface Rotated {
  readonly text: string;
  /** The key that is to seal, behind the others first so that all can open what it seals. */
  readonly keyId: string;
  readonly step: "added" | "in front";
}

/**
 * The next step of a rotation: a new key behind the others or, where the last one never sealed,
 * that one in front of them. Whether that was retired is for the log to say. Throws KeyringInvalid
 * as `parseKeyring` does, and where there is no room.
 */
export function rotate(
  text: string,
  hasSealed: (keyId: string) => boolean,
  random: RandomBytes,
): Rotated {
  const ids = parseKeyring(text).map(({ id }) => id);
  const entries = text.split(",").map((entry) => entry.trim());
  const lastId = ids.at(-1) ?? "";
  if (ids.length > 1 && !hasSealed(lastId)) {
    const reordered = [entries.at(-1), ...entries.slice(0, -1)];
    return { text: reordered.join(","), keyId: lastId, step: "in front" };
  }
  if (ids.length === keysMax) {
    throw new KeyringInvalid(
      `There are already ${keysMax} master keys: retire one before adding another.`,
    );
  }
  const added = createKey(random);
  const [keyId = ""] = added.split(":");
  return { text: [...entries, added].join(","), keyId, step: "added" };
}

export function keyFileIn(dataDir: string): string {
  return join(dataDir, keyFile);
}

function parseKeyFile(path: string, text: string): readonly [Key, ...Key[]] {
  try {
    return parseKeyring(text);
  } catch (error) {
    if (error instanceof KeyringInvalid) throw new KeyringInvalid(`${path}: ${error.message}`);
    throw error;
  }
}

/** A fresh key in the form of `parseKeyring`. Its id is its fingerprint, so no two share one. */
function createKey(random: RandomBytes): string {
  const secret = createSecretKey(random(keyBytes));
  return `${fingerprint(secret)}:${secret.export().toString("base64")}`;
}

/** 12 hexadecimal digits that tell keys apart and nothing about them. */
export function fingerprint(secret: KeyObject): string {
  const digest = createHash("sha256").update("iam master key\0").update(secret.export());
  return digest.digest("hex").slice(0, fingerprintDigits);
}
