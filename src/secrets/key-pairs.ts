import { generateKeyPair } from "node:crypto";
import { promisify } from "node:util";
import { createSlots } from "../slots.ts";

/** An RSA key of 2,048 bits. */
export interface KeyPair {
  /** As a JWK has it (RFC 7517): numbers in base64url. */
  readonly publicKey: { readonly kty: "RSA"; readonly n: string; readonly e: string };
  /** PKCS #1 in PEM, as the key files of this kind of service have it. */
  readonly privateKey: string;
}

/** A key of the curve P-256. */
export interface CurveKeyPair {
  /** As a JWK has it (RFC 7517): coordinates in base64url. */
  readonly publicKey: {
    readonly kty: "EC";
    readonly crv: "P-256";
    readonly x: string;
    readonly y: string;
  };
  /** PKCS #8 in PEM. */
  readonly privateKey: string;
}

/** Makes keys off the event loop, a bounded number at once. */
export interface KeyPairs {
  /**
   * A fresh key. Rejects with KeysOverloaded when too many wait already, and with the signal's
   * reason when that aborts while it waits.
   */
  create(signal?: AbortSignal): Promise<KeyPair>;
  /** How many keys wait to be made. */
  waiting(): number;
}

/** Too many keys wait to be made already: the caller should try again later. */
export class KeysOverloaded extends Error {
  override readonly name = "KeysOverloaded";

  constructor() {
    super("too many keys wait to be made");
  }
}

/** How many keys may wait to be made. */
export const keyPairsWaitingMax = 20;

const generate = promisify(generateKeyPair);

interface KeyPairOptions {
  readonly waitingMax: number;
  /** Makes one; left out, at random. */
  readonly make?: () => Promise<KeyPair>;
}

/** One is made at a time, because the primes keep one of libuv's few threads busy. */
export function createKeyPairs({ waitingMax, make = makeKeyPair }: KeyPairOptions): KeyPairs {
  const overloaded = () => new KeysOverloaded();
  const slots = createSlots({ concurrentMax: 1, waitingMax, overloaded });
  return { create: (signal) => slots.run(make, signal), waiting: slots.waiting };
}

/** A fresh key of the curve P-256, which takes no time worth bounding. */
export async function makeCurveKeyPair(): Promise<CurveKeyPair> {
  const { publicKey, privateKey } = await generate("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  return {
    publicKey: { kty: "EC", crv: "P-256", x, y },
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** A fresh RSA key. */
export async function makeKeyPair(): Promise<KeyPair> {
  const { publicKey, privateKey } = await generate("rsa", { modulusLength: 2_048 });
  const { n = "", e = "" } = publicKey.export({ format: "jwk" });
  return {
    publicKey: { kty: "RSA", n, e },
    privateKey: privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  };
}
