import type { KeptArtifact } from "../artifact.ts";
import { isSame, type LogIdentity } from "./chain.ts";
import { createHmac256 } from "./hash.ts";
import { netstrings } from "./link.ts";
import { subkeyOf } from "./subkeys.ts";

/** An artifact as a row of a table has it. */
export interface ArtifactRow {
  readonly key: string;
  readonly alias: string | null;
  readonly family: string | null;
  readonly payload: string;
  /** Unix milliseconds. */
  readonly expires: number | bigint;
  readonly uses: number | bigint;
  readonly mac: Uint8Array;
}

/** Makes rows of artifacts, and reads them. */
export interface ArtifactSeal {
  seal(artifact: KeptArtifact): ArtifactRow;
  /** The artifact of a row; undefined where none of this log was kept as that says. */
  open(row: ArtifactRow | undefined): KeptArtifact | undefined;
}

/**
 * Makes what seals the artifacts of a log: with the HMAC-SHA-256 of its id, and of the key, alias,
 * family, payload, expiry and uses of the artifact.
 */
export function createArtifactSeal({ id, key: logKey }: LogIdentity): ArtifactSeal {
  const hmac = createHmac256(subkeyOf(logKey, "iam artifact"));
  const macOf = ({ key, alias, family, payload, expires, uses }: Omit<ArtifactRow, "mac">) =>
    hmac(netstrings([id, key, alias, family, payload, `${expires}`, `${uses}`]));
  return {
    seal({ key, alias = null, family = null, payload, expiresMs, uses }) {
      const row = { key, alias, family, payload, expires: expiresMs, uses };
      return { ...row, mac: macOf(row) };
    },
    open(row) {
      if (row === undefined || !isSame(macOf(row), row.mac)) return undefined;
      const { key, alias, family, payload, expires, uses } = row;
      return {
        key,
        ...(alias === null ? {} : { alias }),
        ...(family === null ? {} : { family }),
        payload,
        expiresMs: Number(expires),
        uses: Number(uses),
      };
    },
  };
}
