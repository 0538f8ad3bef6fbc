import { createHmac } from "node:crypto";

/** The code that an app shows (RFC 6238), made without the service. */
export function codeAt(secret: string, nowMs: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret].map((c) => alphabet.indexOf(c).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeUInt32BE(Math.floor(nowMs / 30_000), 4);
  const digest = createHmac("sha1", key).update(counter).digest();
  const at = digest[19]! & 15;
  const number = digest.readUInt32BE(at) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
