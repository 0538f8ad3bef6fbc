import { instance, instanceId } from "../../domain/instance.ts";
import { streamOf } from "../../domain/noun.ts";
import { loginLimits } from "../../domain/user/login/limits.ts";
import { hashSecret, isEqual } from "../../secrets/tokens.ts";
import { findInstance } from "../base/rows.ts";
import { begunOf } from "../base/tries.ts";
import { lifetimes } from "../library/configuration.ts";
import type { LoginSite, Open } from "./open.ts";

/** What browsers are told who ask for a passkey (PublicKeyCredentialRequestOptionsJSON), as JSON. */
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
export async function autofillQuestion({ site, target }: Asked): Promise<string> {
  const answered = await site.unit.artifacts.find(keyOf(target.uid));
  const challenge = await challengeAt({ site, target }, answered?.uses ?? 0);
  return questionOf(site, { challenge, ids: [] });
}

/**
 * Uses the challenge of the first page up. It counts for the address as a question does, and is
 * valid once, in this login.
 */
export async function takeAutofill(
  { site, target, address }: Asked & Pick<Open, "address">,
  challenge: string,
): Promise<"asked" | "too many" | "unknown"> {
  const key = keyOf(target.uid);
  const answered = (await site.unit.artifacts.find(key))?.uses ?? 0;
  if (!isEqual(await challengeAt({ site, target }, answered), challenge)) return "unknown";
  const counts = begunOf(site, address);
  const expiresMs = site.now() + lifetimes.interaction * 1_000;
  const uses = await site.unit.artifacts.write([...counts, { kind: "count", key, expiresMs }]);
  if (uses.length <= counts.length) return "too many";
  return uses.at(-1) === answered + 1 ? "asked" : "unknown";
}

function keyOf(uid: string): string {
  return `PasskeyAutofill:${hashSecret(uid)}`;
}

const stream = streamOf(instance, instanceId);

async function challengeAt({ site, target }: Asked, answered: number): Promise<string> {
  const [check] = (await findInstance(site))?.keyChecks ?? [];
  if (check === undefined) throw new Error("the instance is not set up");
  const field = `passkey.autofill ${answered} ${target.uid}`;
  const secret = hashSecret(site.keyring.derive(check, { stream, field }));
  return Buffer.from(secret, "hex").toString("base64url");
}
