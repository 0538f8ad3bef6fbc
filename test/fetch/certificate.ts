import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A certificate that signs itself, with its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Made anew for each run, so that no private key lies in the repository. */
export function createCertificate(dnsNames: readonly string[]): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const der = certificate(dnsNames, publicKey, privateKey);
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const sequence = 0x30;
const ecdsaWithSha256 = node(sequence, Buffer.from("06082a8648ce3d040302", "hex"));

/** RFC 5280, 4.1: what is signed, how, and the signature. */
function certificate(dnsNames: readonly string[], publicKey: KeyObject, key: KeyObject): Buffer {
  const day = 24 * 60 * 60 * 1000;
  const name = node(sequence, node(0x31, node(sequence, commonName, node(0x0c, "iam test"))));
  const tbs = node(
    sequence,
    node(0xa0, node(0x02, Buffer.from([2]))), // version 3
    node(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])), // serial number
    ecdsaWithSha256,
    name,
    node(sequence, time(Date.now() - day), time(Date.now() + day)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    node(0xa3, node(sequence, subjectAltName(dnsNames))),
  );
  const signature = Buffer.concat([Buffer.from([0]), sign("sha256", tbs, key)]);
  return node(sequence, tbs, ecdsaWithSha256, node(0x03, signature));
}

const commonName = Buffer.from("0603550403", "hex");

function subjectAltName(dnsNames: readonly string[]): Buffer {
  const names = node(sequence, ...dnsNames.map((name) => node(0x82, name)));
  return node(sequence, Buffer.from("0603551d11", "hex"), node(0x04, names));
}

/** UTCTime, as YYMMDDHHMMSSZ. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14);
  return node(0x17, `${digits}Z`);
}

/** One DER value: tag, length, content. */
function node(tag: number, ...content: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)));
  const size = body.length;
  const length = size < 0x80 ? [size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
