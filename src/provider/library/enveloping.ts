import { withAliases } from "../../alias.ts";
import { findUserOnce } from "../base/rows.ts";
import { claimsByActions } from "../token/actions.ts";
import { noRoles, oursOf } from "../token/client.ts";
import type { Envelope } from "../token/envelope.ts";
import { isEnveloped, readExtra } from "../token/extra.ts";
import { namingOrganization, tellGroupsInToken } from "../token/groups.ts";
import { looksLikeJws } from "../token/jws.ts";
import { roomBeside, tellRolesInToken } from "../token/roles.ts";
import type { ActionParts } from "../token/running.ts";
import { withAudiences } from "../token/scopes.ts";

/** A token of the library, as far as it concerns who puts it in an envelope. */
export interface Token {
  readonly accountId?: string;
  readonly clientId?: string | undefined;
  readonly client?: object | undefined;
  scope?: string | undefined;
  readonly extra?: unknown;
}

/** What is answered for a token, and what is kept of it. */
export interface WithValue {
  readonly value: string;
  readonly payload: { readonly iat?: number; readonly exp?: number };
}

/** What an envelope is made by, and where what it says is read. */
interface Sealing {
  readonly envelope: Envelope;
  readonly rows: ActionParts;
}

/**
 * The token as it is answered and kept: in an envelope where it is to be a JWT. Its scope names no
 * audience that it is not for.
 */
export async function withEnvelope(token: Token, made: WithValue, by: Sealing): Promise<WithValue> {
  token.scope = withAudiences(token.scope, readExtra(token).audience);
  const kept = { ...made, payload: { ...made.payload, scope: token.scope } };
  return isEnveloped(token) ? { ...kept, value: await seal(token, kept, by) } : kept;
}

/** What stands before a JWT that is given back: the library looks for no text that reads as one. */
const cover = "jwt:";

/** The form of a request, where its token is a JWT with that covered: the library looks for it. */
export function withCover(sent: Buffer): Buffer {
  const fields = new URLSearchParams(sent.toString());
  const [token = "", ...others] = fields.getAll("token");
  if (others.length > 0 || !looksLikeJws(token)) return sent;
  fields.set("token", cover + token);
  return Buffer.from(fields.toString());
}

/**
 * Finds a token by what was answered for it and by nothing else: the id inside an envelope lets
 * nobody in by itself.
 */
export async function findEnveloped<Found extends Token>(
  value: unknown,
  envelope: Pick<Envelope, "open">,
  find: (id: string) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  if (typeof value !== "string") return undefined;
  const isJws = looksLikeJws(value);
  const id = isJws ? await envelope.open(value.replace(cover, "")) : value;
  const found = id === undefined ? undefined : await find(id);
  return found !== undefined && isEnveloped(found) === isJws ? found : undefined;
}

async function seal(
  { accountId, clientId = "", client, scope, extra }: Token,
  { value: jti, payload: { iat = 0, exp = 0 } }: WithValue,
  { envelope, rows }: Sealing,
): Promise<string> {
  const ours = client === undefined ? undefined : oursOf(client);
  const { projectId, skewSeconds = 0, asserted = noRoles } = ours ?? {};
  const sub = accountId ?? clientId;
  const isAsserted = asserted.accessToken;
  const { audience = [] } = readExtra({ extra });
  const asked = {
    ...{ userId: sub, scope: scope ?? "" },
    organization: ours?.project.organization ?? "",
  };
  const roles = await tellRolesInToken(rows, { ...asked, own: projectId, isAsserted, audience });
  const organization = await namingOrganization(rows, ours?.project, audience);
  const groups = await tellGroupsInToken(rows, { ...asked, organization }, roles);
  const aud = [clientId, ...(projectId === undefined ? [] : [projectId]), ...audience];
  const told = withAliases({ ...roles, ...groups }, rows.alias);
  const claims = {
    ...told,
    ...{ jti, sub, client_id: clientId },
    ...{ iat: iat - skewSeconds, exp: exp + skewSeconds },
    aud: aud.length === 1 ? clientId : [...new Set(aud)],
    ...(scope === undefined ? {} : { scope }),
  };
  const subject = await findUserOnce(rows, sub);
  const more =
    subject &&
    (await claimsByActions(rows, { subject, trigger: 5, claims, bytesMax: roomBeside(told) }));
  return await envelope.seal({ ...more, ...claims });
}
