import { hash } from "node:crypto";
import { type ReadHash, refused } from "./check.ts";
import { encodeHash64, readHash64 } from "./hash64.ts";

/** A portable hash of phpass (Openwall), which WordPress and phpBB used. */
export interface Phpass {
  readonly family: "phpass";
  readonly roundsLog2: number;
  readonly salt: string;
  readonly expected: Uint8Array;
}

const roundsLog2Min = 7;
const roundsLog2Max = 18;

const form = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{21}[./01])$/;

/** Reads `$P$` (`$H$` in phpBB), a character for the rounds, 8 of salt and 22 of hash. */
export function readPhpass(encoded: string): ReadHash<Phpass> {
  const [, rounds, salt, digest] = form.exec(encoded) ?? [];
  if (rounds === undefined || salt === undefined || digest === undefined) {
    return refused("A phpass hash has the form $P$ or $H$, then 31 of the characters ./0-9A-Za-z.");
  }
  const roundsLog2 = readHash64(rounds);
  if (roundsLog2 < roundsLog2Min || roundsLog2 > roundsLog2Max) {
    return refused(`phpass: the rounds are from 2^${roundsLog2Min} to 2^${roundsLog2Max}.`);
  }
  return {
    ok: true,
    hash: { family: "phpass", roundsLog2, salt, expected: Buffer.from(digest) },
  };
}

/** Synchronous, and for half a second when the rounds are many: for the worker thread only. */
export function derivePhpass(parsed: Phpass, password: Uint8Array): Uint8Array {
  let digest = md5(Buffer.from(parsed.salt), password);
  for (let rounds = 2 ** parsed.roundsLog2; rounds > 0; rounds -= 1) digest = md5(digest, password);
  return Buffer.from(encodeHash64(digest));
}

function md5(...chunks: readonly Uint8Array[]): Buffer {
  return hash("md5", Buffer.concat(chunks), "buffer");
}
