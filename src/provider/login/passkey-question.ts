import { instance, instanceId } from "../../domain/instance.ts";
import { streamOf } from "../../domain/noun.ts";
import { loginLimits } from "../../domain/user/state/login-limits.ts";
import { readInstance } from "../../execute/read-object.ts";
import { hashSecret, isEqual } from "../../secrets/tokens.ts";
import { begunOf } from "../base/tries.ts";
import { lifetimes } from "../library/configuration.ts";
import type { LoginSite, Open } from "./open.ts";

/** What browsers are asked with (PublicKeyCredentialRequestOptionsJSON), as JSON. */
export function questionOf(
  site: Pick<LoginSite, "publicUrl">,
  { challenge, ids }: { readonly challenge: string; readonly ids: readonly string[] },
): string {
  return JSON.stringify({
    challenge,
    rpId: new URL(site.publicUrl()).hostname,
    timeout: loginLimits.passkeyMs,
    userVerification: "required",
    allowCredentials: ids.map((id) => ({ type: "public-key", id })),
  });
}

type Asked = Pick<Open, "site" | "target">;

/**
 * The question of the first page, by which browsers offer passkeys where the name is typed. Its
 * challenge follows from the login and from how many such were answered in it, so that a page that
 * is opened keeps nothing and counts nothing.
 */
export async function autofillQuestion(login: Asked): Promise<string> {
  const { challenge } = await currentOf(login);
  return questionOf(login.site, { challenge, ids: [] });
}

/**
 * Uses the challenge of the first page up. It counts for the address as a question does, and is
 * valid once, in this login.
 */
export async function takeAutofill(
  { site, target, address }: Asked & Pick<Open, "address">,
  shown: string,
): Promise<"asked" | "too many" | "unknown"> {
  const { answered, challenge } = await currentOf({ site, target });
  if (!isEqual(challenge, shown)) return "unknown";
  const counts = begunOf(site, address);
  const expiresMs = site.now() + lifetimes.interaction * 1_000;
  const use = { kind: "count", key: keyOf(target.uid), expiresMs, isOnce: true } as const;
  const uses = await site.unit.artifacts.write([...counts, use]);
  if (uses.length <= counts.length) return "too many";
  return uses.at(-1) === answered + 1 ? "asked" : "unknown";
}

function keyOf(uid: string): string {
  return `PasskeyAutofill:${hashSecret(uid)}`;
}

/** The challenge that is valid now, and how many were answered before it. */
async function currentOf({ site, target: { uid } }: Asked) {
  const answered = (await site.unit.artifacts.find(keyOf(uid)))?.uses ?? 0;
  const secretOf = await ownSecrets(site);
  const secret = hashSecret(secretOf(`passkey.autofill ${answered} ${uid}`));
  return { answered, challenge: Buffer.from(secret, "hex").toString("base64url") };
}

const stream = streamOf(instance, instanceId);

/** Secrets by what they are for: always the same, and nobody makes them without the master key. */
async function ownSecrets({ store, keyring }: Pick<LoginSite, "store" | "keyring">) {
  const [check] = (await readInstance(store))?.keyChecks ?? [];
  if (check === undefined) throw new Error("the instance is not set up");
  return (field: string) => keyring.derive(check, { stream, field });
}

/** Bytes of the ids that devices of widespread kinds make. */
const lengths = [16, 20, 32, 48, 64] as const;

/** As many ids as browsers are told at the least: most people have no more passkeys. */
const decoysAtLeast = 3;

/**
 * The ids of the passkeys that browsers are told to look for where somebody has typed a name: those
 * that are there, and as many as are missing that are not. These are always the same for a name,
 * and nobody without the master key tells them from others (WebAuthn Level 3, 14.6.2).
 */
export async function withDecoys(
  site: Pick<LoginSite, "store" | "keyring">,
  whose: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  const secretOf = await ownSecrets(site);
  const decoys = Array.from({ length: decoysAtLeast }, (_, index) =>
    decoyOf(secretOf(`passkey.decoy ${index} ${whose}`)),
  );
  return [...ids, ...decoys.slice(ids.length)].toSorted();
}

function decoyOf(secret: string): string {
  const bytes = Buffer.from(["", " "].map((end) => hashSecret(secret + end)).join(""), "hex");
  const length = lengths[bytes.readUInt8() % lengths.length];
  return bytes.subarray(-Number(length)).toString("base64url");
}
