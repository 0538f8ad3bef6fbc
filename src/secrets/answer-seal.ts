import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import type { RandomBytes } from "./tokens.ts";

/** Who calls what: a key means nothing elsewhere. */
export interface Called {
  /** The id of the caller. */
  readonly caller: string;
  /** `<package>.<Service>/<Method>` */
  readonly method: string;
}

/** An idempotency key as it came with a call, and the token of that call: for its answer. */
export type ShownKey = (called: Called) => AnswerSeal;

/**
 * Seals the answer of a call with a key made from the token and the idempotency key that came with
 * it. Neither is kept by anybody but the caller, so that no file opens it, whatever lies beside it.
 */
export interface AnswerSeal {
  /** By what the answer is found again, whichever token the caller shows. It has the key in it. */
  readonly name: string;
  /** What tells a request from every other one, and nobody else anything about it: 32 bytes. */
  print(request: Uint8Array): Uint8Array;
  /** Nonce, ciphertext and tag. */
  seal(part: Part, plaintext: Uint8Array, random: RandomBytes): Uint8Array;
  /** The plaintext. Throws where it was sealed with another key, or as another part. */
  open(part: Part, sealed: Uint8Array): Uint8Array;
}

/** What is remembered of an answer: what is kept for long, and all of it for a short time. */
export type Part = "answer" | "secret";

const algorithm = "aes-256-gcm";
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Takes the token and the idempotency key of a call. Nothing is computed before it is needed. */
export function showKey(token: string, key: string): ShownKey {
  return ({ caller, method }) => {
    const context = JSON.stringify(["iam answer", caller, method]);
    const name = JSON.stringify([caller, method, key]);
    // RFC 5869: the token is the secret, 256 bits at random; the key of the call is the salt.
    const keys = Buffer.from(hkdfSync("sha256", token, key, context, 2 * keyBytes));
    const [sealing, printing] = [keys.subarray(0, keyBytes), keys.subarray(keyBytes)];
    return {
      name,
      print: (request) => createHmac("sha256", printing).update(request).digest(),
      seal(part, plaintext, random) {
        const nonce = random(nonceBytes);
        const cipher = createCipheriv(algorithm, sealing, nonce, { authTagLength: tagBytes });
        cipher.setAAD(Buffer.from(part));
        return Buffer.concat([
          nonce,
          cipher.update(plaintext),
          cipher.final(),
          cipher.getAuthTag(),
        ]);
      },
      open(part, sealed) {
        const nonce = sealed.subarray(0, nonceBytes);
        const decipher = createDecipheriv(algorithm, sealing, nonce, { authTagLength: tagBytes });
        decipher.setAAD(Buffer.from(part));
        decipher.setAuthTag(sealed.subarray(-tagBytes));
        const plaintext = decipher.update(sealed.subarray(nonceBytes, -tagBytes));
        return Buffer.concat([plaintext, decipher.final()]);
      },
    };
  };
}
