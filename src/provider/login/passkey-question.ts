import { instance, instanceId } from "../../domain/instance.ts";
import { streamOf } from "../../domain/noun.ts";
import { loginLimits } from "../../domain/user/state/login-limits.ts";
import { hashSecret, isEqual } from "../../secrets/tokens.ts";
import { findInstance } from "../base/rows.ts";
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
  const use = { kind: "count", key: keyOf(target.uid), expiresMs } as const;
  const uses = await site.unit.artifacts.write([...counts, use]);
  if (uses.length <= counts.length) return "too many";
  return uses.at(-1) === answered + 1 ? "asked" : "unknown";
}

function keyOf(uid: string): string {
  return `PasskeyAutofill:${hashSecret(uid)}`;
}

const stream = streamOf(instance, instanceId);

/** The challenge that is valid now, and how many were answered before it. */
async function currentOf({ site, target: { uid } }: Asked) {
  const [check] = (await findInstance(site))?.keyChecks ?? [];
  if (check === undefined) throw new Error("the instance is not set up");
  const answered = (await site.unit.artifacts.find(keyOf(uid)))?.uses ?? 0;
  const field = `passkey.autofill ${answered} ${uid}`;
  const secret = hashSecret(site.keyring.derive(check, { stream, field }));
  return { answered, challenge: Buffer.from(secret, "hex").toString("base64url") };
}
