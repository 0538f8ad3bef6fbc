import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import type { Certificate } from "../../src/port/tls.ts";

/**
 * A self-signed certificate (RFC 5280, 4.1) for 127.0.0.1 and localhost with a key of its own, that
 * is valid for the years around. One who trusts it as a root can connect.
 */
export function createCertificate(commonName: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(oid(2, 5, 4, 3), utf8(commonName))));
  const algorithm = sequence(oid(1, 2, 840, 10045, 4, 3, 2)); // ecdsa-with-SHA256
  const year = new Date().getUTCFullYear();
  const toBeSigned = sequence(
    der(0xa0, integer(2)), // version 3
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    name,
    sequence(january(year - 1), january(year + 2)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(alternativeNames(), certificateAuthority())),
  );
  const certificate = sequence(toBeSigned, algorithm, bits(signature(toBeSigned, privateKey)));
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines(certificate)}-----END CERTIFICATE-----\n`,
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}

function signature(bytes: Buffer, key: KeyObject): Buffer {
  return sign("sha256", bytes, key);
}

function alternativeNames(): Buffer {
  const dns = der(0x82, Buffer.from("localhost"));
  const ip = der(0x87, Buffer.from([127, 0, 0, 1]));
  return sequence(oid(2, 5, 29, 17), der(0x04, sequence(dns, ip)));
}

function certificateAuthority(): Buffer {
  const yes = der(0x01, Buffer.from([0xff]));
  return sequence(oid(2, 5, 29, 19), yes, der(0x04, sequence(yes)));
}

/** One value of the distinguished encoding rules (X.690): tag, length, content. */
function der(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag, ...sizeOf(content)]), content]);
}

/** The length in as few bytes as it takes, which browsers insist on. */
function sizeOf({ length }: Buffer): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(part: Buffer): Buffer {
  return der(0x31, part);
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function utf8(text: string): Buffer {
  return der(0x0c, Buffer.from(text));
}

function bits(bytes: Buffer): Buffer {
  return der(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

/** The first moment of a year, as two digits of it. */
function january(year: number): Buffer {
  return der(0x17, Buffer.from(`${String(year).slice(2)}0101000000Z`));
}

function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const parts = [40 * first + second, ...rest].flatMap((part) => {
    const digits = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return der(0x06, Buffer.from(parts));
}

function lines(bytes: Buffer): string {
  return bytes.toString("base64").replaceAll(/.{1,64}/g, "$&\n");
}
