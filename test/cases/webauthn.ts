import {
  createHash,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomBytes,
  sign,
} from "node:crypto";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** What a browser and a device make of the options of the service (WebAuthn Level 3, 5 and 6). */

export interface Registration {
  /** RegistrationResponseJSON, for the call. */
  readonly credential: JsonObject;
  /** As base64url. */
  readonly credentialId: string;
  /** The COSE key as base64url. */
  readonly publicKey: string;
}

/** What a device does, and what tests have it do otherwise. */
export interface Device {
  readonly rpId?: string;
  readonly origin?: string;
  readonly challenge?: string;
  /** Of the client data. */
  readonly type?: string;
  /** Whether somebody was there, whether the device knew who, and whether there is a key. */
  readonly flags?: number;
  readonly counter?: number;
  readonly credentialId?: Uint8Array;
  /** Of an id at random. */
  readonly idBytes?: number;
  readonly key?: Cose;
  readonly format?: string;
  readonly statement?: Cbor;
  readonly transports?: JsonValue;
  /** What the credential has besides, or in the place of its own. */
  readonly more?: JsonObject;
}

export const present = 0x01;
export const verified = 0x04;
const keyed = 0x40;
export const allFlags = present | verified | keyed;

/** A new passkey for the options, of a device that is as it should be but for what is said. */
export function register(options: JsonObject, device: Device = {}): Registration {
  const asked = options as { readonly challenge: string; readonly rp: { readonly id: string } };
  const {
    rpId = asked.rp.id,
    origin = `https://${asked.rp.id}`,
    challenge = asked.challenge,
    type = "webauthn.create",
    flags = allFlags,
    counter = 0,
    idBytes = 32,
    credentialId = randomBytes(idBytes),
    key = ellipticKey(),
    format = "none",
    statement = new Map(),
    transports = ["internal", "hybrid"],
    more = {},
  } = device;
  const clientData = { type, challenge, origin, crossOrigin: false };
  const head = Buffer.alloc(5);
  head.writeUInt8(flags);
  head.writeUInt32BE(counter, 1);
  const idLength = Buffer.alloc(2);
  idLength.writeUInt16BE(credentialId.length);
  const publicKey = encodeCbor(key);
  const keyPart = [Buffer.alloc(16), idLength, credentialId, publicKey];
  const rpIdHash = createHash("sha256").update(rpId).digest();
  const authData = Buffer.concat([rpIdHash, head, ...(flags & keyed ? keyPart : [])]);
  const attestation = new Map<string, Cbor>([
    ["fmt", format],
    ["attStmt", statement],
    ["authData", authData],
  ]);
  const id = base64url(credentialId);
  return {
    credential: {
      id,
      rawId: id,
      type: "public-key",
      response: {
        clientDataJSON: base64url(Buffer.from(JSON.stringify(clientData))),
        attestationObject: base64url(encodeCbor(attestation)),
        transports,
      },
      clientExtensionResults: {},
      ...more,
    },
    credentialId: id,
    publicKey: base64url(publicKey),
  };
}

/** What a device does when somebody logs in, and what tests have it do otherwise. */
export interface Asserting extends Pick<Device, "rpId" | "origin" | "challenge" | "type"> {
  readonly flags?: number;
  readonly counter?: number;
  readonly credentialId: string;
  readonly privateKey: KeyObject;
  /** As base64url; left out by devices that keep nothing of people. */
  readonly userHandle?: string;
}

/** What a browser answers to the options with a passkey (AuthenticationResponseJSON), as a form. */
export function assertPasskey(options: JsonObject, device: Asserting) {
  const asked = options as { readonly challenge: string; readonly rpId: string };
  const {
    rpId = asked.rpId,
    origin = `https://${asked.rpId}`,
    challenge = asked.challenge,
    type = "webauthn.get",
    flags = present | verified,
    counter = 0,
    credentialId,
    privateKey,
    userHandle = "",
  } = device;
  const clientData = Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const end = Buffer.alloc(5);
  end.writeUInt8(flags);
  end.writeUInt32BE(counter, 1);
  const data = Buffer.concat([createHash("sha256").update(rpId).digest(), end]);
  const signed = Buffer.concat([data, createHash("sha256").update(clientData).digest()]);
  return {
    ...{ id: credentialId, userHandle, clientDataJSON: base64url(clientData) },
    authenticatorData: base64url(data),
    signature: base64url(sign("sha256", signed, privateKey)),
  };
}

type Cose = ReadonlyMap<number, Cbor>;

/** A fresh key for ES256 (RFC 9053, 7.1.1). */
export function ellipticKey(curve = 1, algorithm = -7): Cose {
  return ellipticPair(curve, algorithm).key;
}

/** The same with the half that stays on the device. */
export function ellipticPair(curve = 1, algorithm = -7) {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x, y } = jwkOf(pair);
  const key: Cose = new Map<number, Cbor>([
    [1, 2],
    [3, algorithm],
    [-1, curve],
    [-2, bytesOf(x)],
    [-3, bytesOf(y)],
  ]);
  return { key, privateKey: pair.privateKey };
}

/** A fresh key for EdDSA (RFC 9053, 7.2). */
export function edwardsKey(): Cose {
  const { x } = jwkOf(generateKeyPairSync("ed25519"));
  return new Map<number, Cbor>([
    [1, 1],
    [3, -8],
    [-1, 6],
    [-2, bytesOf(x)],
  ]);
}

/** A fresh key for ML-DSA-44 (FIPS 204), which only new devices make. */
export function latticeKey(): Cose {
  const { pub } = jwkOf(generateKeyPairSync("ml-dsa-44"));
  return new Map<number, Cbor>([
    [1, 7],
    [3, -48],
    [-1, bytesOf(String(pub))],
  ]);
}

/** A fresh key for RS256 (RFC 8230, 4). */
export function rsaKey(modulusLength: number): Cose {
  const { n, e } = jwkOf(generateKeyPairSync("rsa", { modulusLength }));
  return new Map<number, Cbor>([
    [1, 3],
    [3, -257],
    [-1, bytesOf(n)],
    [-2, bytesOf(e)],
  ]);
}

function jwkOf({ publicKey }: { readonly publicKey: KeyObject }): JsonWebKey {
  return publicKey.export({ format: "jwk" });
}

function bytesOf(text: string | undefined): Uint8Array {
  return Buffer.from(text ?? "", "base64url");
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64url");
}

/** The part of CBOR (RFC 8949) that passkeys are written in. */
export type Cbor = number | string | Uint8Array | ReadonlyMap<number | string, Cbor>;

function encodeCbor(value: Cbor): Uint8Array {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") {
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const entries = [...value].flatMap(([key, one]) => [encodeCbor(key), encodeCbor(one)]);
  return Buffer.concat([head(5, value.size), ...entries]);
}

function head(majorType: number, argument: number): Uint8Array {
  const major = majorType << 5;
  if (argument < 24) return Buffer.from([major | argument]);
  if (argument < 256) return Buffer.from([major | 24, argument]);
  return Buffer.from([major | 25, argument >> 8, argument & 0xff]);
}
