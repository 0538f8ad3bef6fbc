import { foldName } from "../../domain/name.ts";
import { idOf } from "../../domain/noun.ts";
import { findPasskey, usePasskey } from "../../domain/user/login/passkey.ts";
import type { PasskeyUse } from "../../domain/user/state/factor-traits.ts";
import { loginLimits } from "../../domain/user/state/login-limits.ts";
import type { Passkey } from "../../domain/user/state/passkey.ts";
import { user } from "../../domain/user/state/user.ts";
import type { Answer } from "../../pages/account.ts";
import { passkeyLoginPage } from "../../pages/html/passkey-login.ts";
import { createClientSecret, hashSecret } from "../../secrets/tokens.ts";
import { decide } from "../base/decide.ts";
import { type FoundUser, findUser } from "../base/rows.ts";
import { countBegun, isTooManyOf } from "../base/tries.ts";
import { firstAgain } from "./first.ts";
import { letIn } from "./onward.ts";
import { type LoginSite, type Open, unready } from "./open.ts";
import { questionOf, takeAutofill, withDecoys } from "./passkey-question.ts";
import { findPerson } from "./person.ts";

/**
 * Has the browser ask for a passkey: one of the person who is named, or without a name any that the
 * device keeps for this service (WebAuthn Level 3, 7.2).
 */
export async function askForPasskey(open: Open): Promise<Answer> {
  if (!open.policy.allowPasskeys) return await firstAgain(open, { isRefused: true });
  return (await countBegun(open.site, open.address)) ? await ask(open, false) : await tooMany(open);
}

async function ask({ site, target, visit, project }: Open, isWrong: boolean): Promise<Answer> {
  const userName = visit.fields.of("userName").trim();
  const ids = userName === "" ? [] : await passkeysOf(site, userName, project.organization);
  const challenge = createClientSecret(site.random);
  const artifact = {
    key: keyOf(target.uid, challenge),
    family: await site.ring.family(),
    payload: JSON.stringify(ids),
    expiresMs: site.now() + loginLimits.passkeyMs,
  };
  await site.unit.artifacts.later({ kind: "put", artifact });
  const options = questionOf(site, { challenge, ids });
  const page = passkeyLoginPage(target, { options, userName, isWrong });
  return { status: isWrong ? 400 : 200, page };
}

async function tooMany(open: Open): Promise<Answer> {
  return await firstAgain(open, { wrong: "tooMany" });
}

/** A challenge is valid once, in the login for which it was made. */
function keyOf(uid: string, challenge: string): string {
  return `PasskeyChallenge:${hashSecret(`${uid} ${challenge}`)}`;
}

/** The ids of the passkeys of the person who has the name, among decoys. */
async function passkeysOf(
  site: LoginSite,
  userName: string,
  organization: string,
): Promise<readonly string[]> {
  const found = await findPerson(site, userName, organization);
  const { human, isInactive } = found?.state ?? {};
  const ids = isInactive ? [] : (human?.passkeys ?? []).map(({ credentialId }) => credentialId);
  // By what was typed: of one person, the name and the address are no more alike than of nobody.
  return await withDecoys(site, foldName(userName), ids);
}

/**
 * Lets a person in who has shown a passkey. Who that is, is what the passkey says. Only an answer
 * to a question of this login is looked at, and questions are counted. So the bound of strangers
 * counts wrong answers alone, and keeps no passkey out.
 */
export async function takePasskey(open: Open): Promise<Answer> {
  const { visit, site, policy } = open;
  if (!policy.allowPasskeys) return await firstAgain(open, { isRefused: true });
  const ids = await takeChallenge(open);
  if (ids === "too many") return await tooMany(open);
  if (ids === undefined) return await firstAgain(open, { wrong: "passkey" });
  const credentialId = visit.fields.of("id");
  const found = await findHolder(site, credentialId);
  const counter = await verify(open, findPasskey(found?.state, { credentialId }));
  const isAsked = ids.length === 0 ? isTheirs(open, found) : ids.includes(credentialId);
  if (found === undefined || counter === undefined || !isAsked) return await askAgain(open);
  const passkey: PasskeyUse = { credentialId, counter };
  if (!(await decide(site, found, (state, nowMs) => usePasskey(state, passkey, nowMs)))) {
    return await askAgain(open);
  }
  if (found.state.human?.initialization !== undefined) return unready(open);
  return await letIn(open, found, { factors: ["passkey"], passkey });
}

/** After one that was wrong, which counts as a wrong password does. */
async function askAgain(open: Open): Promise<Answer> {
  const { clientId: application } = open;
  open.site.countFactor({ application, factor: "passkey", outcome: "failure" });
  const isTooMany = await isTooManyOf(open.site, open.address);
  return isTooMany ? await tooMany(open) : await ask(open, true);
}

/** Whether the device says itself whose the passkey is: where nobody was named, it has to. */
function isTheirs({ visit }: Open, found: FoundUser | undefined): boolean {
  return Buffer.from(visit.fields.of("userHandle"), "base64url").toString() === found?.userId;
}

async function findHolder(site: LoginSite, credentialId: string): Promise<FoundUser | undefined> {
  const claim = { kind: "user.passkey", scope: "", value: credentialId };
  const stream = await site.store.find(claim);
  return stream === undefined ? undefined : await findUser(site, idOf(user, stream));
}

/**
 * Uses the challenge up that was answered; the ids that it was made for, where it was valid. The
 * first page asks for a passkey of nobody in particular, and only its answer is counted.
 */
async function takeChallenge(open: Open): Promise<readonly string[] | "too many" | undefined> {
  const { artifacts } = open.site.unit;
  const challenge = challengeOf(open.visit.fields.of("clientDataJSON"));
  const key = keyOf(open.target.uid, challenge);
  const kept = await artifacts.find(key);
  if (kept === undefined) {
    const taken = await takeAutofill(open, challenge);
    return { asked: [], "too many": "too many" as const, unknown: undefined }[taken];
  }
  const [uses] = await artifacts.write([{ kind: "use", key }]);
  return uses === 1 ? (JSON.parse(kept.payload) as string[]) : undefined;
}

function challengeOf(clientDataJSON: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString());
    return String((data as { readonly challenge?: unknown } | null)?.challenge);
  } catch {
    return "";
  }
}

/**
 * How often the passkey says that it was used; undefined where the answer was not signed with it,
 * for this service, by a device that knew who was there. Takes the same time without one.
 */
async function verify(
  { site, visit: { fields } }: Open,
  passkey: Passkey | undefined,
): Promise<number | undefined> {
  const { origin, hostname } = new URL(site.publicUrl());
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const id = fields.of("id");
  const publicKey = new Uint8Array(Buffer.from(passkey?.publicKey ?? noKey, "base64url"));
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
        response: {
          clientDataJSON: fields.of("clientDataJSON"),
          authenticatorData: fields.of("authenticatorData"),
          signature: fields.of("signature"),
        },
      },
      // It was compared when it was used up.
      expectedChallenge: () => true,
      expectedOrigin: origin,
      expectedRPID: hostname,
      requireUserVerification: true,
      // What it says is judged by `usePasskey`, once it is known who says it.
      credential: { id, publicKey, counter: 0 },
    });
    return verified && passkey !== undefined ? authenticationInfo.newCounter : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A dummy key for ES256, so that time does not tell whether a passkey exists: the base point of its
 * curve, in COSE.
 */
const noKey =
  "pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-e" +
  "FivOM1drMV7Oy7ZAaDe_UfU";
