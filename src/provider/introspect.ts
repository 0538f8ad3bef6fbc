import type { AdapterPayload } from "oidc-provider";
import { hasSession } from "../domain/user/login.ts";
import { hashSecret } from "../secrets/tokens.ts";
import { toldClaims } from "./claims.ts";
import { type Envelope, isEnveloped } from "./envelope.ts";
import { looksLikeJws } from "./jws.ts";
import type { ProviderParts } from "./parts.ts";
import { type FoundApp, findApp, findUser, mayLogIn } from "./rows.ts";

/** What is said of a token that is good, and of any other text (RFC 7662, 2.2). */
export type Introspected =
  | { readonly active: false }
  | { readonly active: true; readonly [name: string]: unknown };

const inactive: Introspected = { active: false };

/**
 * Says what a token stands for, to an application of the project that it was given for. All that a
 * token needs to be good is read anew: the token and its grant, the session, the person and the
 * application.
 */
export async function introspect(
  parts: ProviderParts,
  envelope: Envelope,
  { token, asker }: { readonly token: string; readonly asker: FoundApp },
): Promise<Introspected> {
  const found = await findToken(parts, envelope, token);
  const { kind, payload } = found ?? {};
  const { clientId = "", accountId = clientId, scope = "", exp, iat } = payload ?? {};
  const subject = payload && (await findUser(parts, accountId));
  if (payload === undefined || subject === undefined || subject.state.isInactive) return inactive;
  const common = {
    ...{ active: true, iss: parts.publicUrl(), sub: accountId, client_id: clientId, exp, iat },
    ...(scope === "" ? {} : { scope }),
    ...(kind === "RefreshToken" ? {} : { token_type: "Bearer" }),
    username: subject.state.userName,
  } as const;
  // A machine is its own client, and is of an organization.
  if (kind === "ClientCredentials") {
    return subject.state.organization === asker.organization ? common : inactive;
  }
  const client = await findApp(parts, clientId);
  if (client === undefined || client.projectId !== asker.projectId) return inactive;
  const frame = { ...client.project, organization: client.organization };
  if (!mayLogIn(subject, frame) || !(await isGranted(parts, payload))) return inactive;
  const isOver = payload.expiresWithSession && !hasSession(subject.state, payload.sessionUid ?? "");
  if (isOver) return inactive;
  const audience = [clientId, client.projectId];
  return { ...common, aud: audience, ...toldClaims(subject, scope, []) };
}

const kinds = ["AccessToken", "ClientCredentials", "RefreshToken"] as const;

async function findToken({ store, now }: ProviderParts, envelope: Envelope, token: string) {
  const isJws = looksLikeJws(token);
  const id = isJws ? envelope.open(token) : token;
  if (id === undefined) return undefined;
  for (const kind of kinds) {
    const kept = await store.artifacts.find(`${kind}:${hashSecret(id)}`, now());
    if (kept === undefined) continue;
    const payload = JSON.parse(kept.payload) as AdapterPayload;
    return kept.uses === 0 && isEnveloped(payload) === isJws ? { kind, payload } : undefined;
  }
  return undefined;
}

async function isGranted(
  { store, now }: ProviderParts,
  { grantId }: AdapterPayload,
): Promise<boolean> {
  return (await store.artifacts.find(`Grant:${hashSecret(grantId ?? "")}`, now())) !== undefined;
}
