import type { AdapterPayload } from "oidc-provider";
import { findProof } from "../../domain/user/state/machine-entry.ts";
import { isTerminated, sessionOf } from "../../domain/user/state/session.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import type { ProviderParts } from "../base/parts.ts";
import { mayLogIn } from "../base/roles.ts";
import {
  type FoundApp,
  type FoundUser,
  findUser,
  findUserAndApp,
  type Rows,
} from "../base/rows.ts";
import type { Envelope } from "./envelope.ts";
import { isEnveloped, proofOf } from "./extra.ts";
import { isGranted } from "./granted.ts";
import { looksLikeJws } from "./jws.ts";

/** What has to be read to say it. */
export type TokenParts = Rows & Pick<ProviderParts, "now">;

/** The kinds of tokens that stand for somebody, the one that is asked about most first. */
const kinds = ["AccessToken", "ClientCredentials", "RefreshToken"] as const;

/** A token that is valid now, and what it stands for. */
export interface FoundToken {
  readonly kind: (typeof kinds)[number];
  /** What the library keeps of it. */
  readonly payload: AdapterPayload;
  /** The person, or the machine that has it for itself. */
  readonly subject: FoundUser;
  /** The application that a person logged in to; undefined for a machine, which is its own. */
  readonly client: FoundApp | undefined;
  /** What the person granted it, as the library keeps that; undefined for a machine. */
  readonly grant: AdapterPayload | undefined;
}

/**
 * Says what a token of any kind and form stands for; undefined where it has ended, or never was.
 * All that it needs to be valid is read anew: the token and its grant, the session, the person
 * or machine, and the application. Whom it may be told is for the caller to say.
 */
export async function findToken(
  parts: TokenParts,
  envelope: Pick<Envelope, "open">,
  token: string,
): Promise<FoundToken | undefined> {
  const kept = await findKept(parts, envelope, token);
  if (kept === undefined) return undefined;
  const { clientId = "", accountId = clientId } = kept.payload;
  if (kept.kind === "ClientCredentials") {
    const subject = await findUser(parts, clientId);
    if (subject === undefined || subject.state.isInactive) return undefined;
    return findProof(subject.state, proofOf(kept.payload), parts.now())
      ? { ...kept, subject, client: undefined, grant: undefined }
      : undefined;
  }
  const grant = await findGrant(parts, kept.payload);
  if (grant === undefined) return undefined;
  const [subject, client] = await findUserAndApp(parts, accountId, clientId);
  if (subject === undefined || client === undefined) return undefined;
  if (!isGranted(subject.state, grant)) return undefined;
  if (kept.kind === "RefreshToken" && !mayRefresh(client)) return undefined;
  const { expiresWithSession, sessionUid = "" } = kept.payload;
  const isOver =
    isTerminated(subject.state, sessionUid) ||
    (expiresWithSession && !sessionOf(subject.state, sessionUid, parts.now()));
  if (isOver || !(await mayLogIn(parts, subject, client.project))) return undefined;
  return { ...kept, subject, client, grant };
}

/** Whether the application may use refresh tokens still. */
function mayRefresh({ config }: FoundApp): boolean {
  return config.kind === "oidc" && config.grantTypes.includes("REFRESH_TOKEN");
}

async function findKept(
  { unit }: TokenParts,
  envelope: Pick<Envelope, "open">,
  token: string,
): Promise<Pick<FoundToken, "kind" | "payload"> | undefined> {
  const isJws = looksLikeJws(token);
  const id = isJws ? await envelope.open(token) : token;
  if (id === undefined) return undefined;
  const hash = hashSecret(id);
  for (const kind of kinds) {
    const kept = await unit.artifacts.find(`${kind}:${hash}`);
    if (kept === undefined) continue;
    const payload = JSON.parse(kept.payload) as AdapterPayload;
    return kept.uses === 0 && isEnveloped(payload) === isJws ? { kind, payload } : undefined;
  }
  return undefined;
}

async function findGrant(
  { unit }: TokenParts,
  { grantId: jti = "" }: AdapterPayload,
): Promise<AdapterPayload | undefined> {
  const kept = await unit.artifacts.find(`Grant:${hashSecret(jti)}`);
  return kept && { ...(JSON.parse(kept.payload) as AdapterPayload), jti };
}
