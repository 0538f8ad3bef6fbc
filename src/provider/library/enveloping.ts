import { oursOf } from "../token/client.ts";
import type { Envelope } from "../token/envelope.ts";
import { isEnveloped, readExtra } from "../token/extra.ts";
import { looksLikeJws } from "../token/jws.ts";

/** A token of the library, as far as it concerns who puts it in an envelope. */
export interface Token {
  readonly accountId?: string;
  readonly clientId?: string | undefined;
  readonly client?: object | undefined;
  readonly scope?: string | undefined;
  readonly extra?: unknown;
}

/** What is answered for a token, and what is kept of it. */
export interface WithValue {
  readonly value: string;
  readonly payload: { readonly iat?: number; readonly exp?: number };
}

/** The token as it is answered: in an envelope where it is to be a JWT. */
export async function withEnvelope(
  token: Token,
  made: WithValue,
  envelope: Envelope,
): Promise<WithValue> {
  return isEnveloped(token) ? { ...made, value: await seal(token, made, envelope) } : made;
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
  const id = isJws ? await envelope.open(value) : value;
  const found = id === undefined ? undefined : await find(id);
  return found !== undefined && isEnveloped(found) === isJws ? found : undefined;
}

async function seal(
  { accountId, clientId = "", client, scope, extra }: Token,
  { value: jti, payload: { iat = 0, exp = 0 } }: WithValue,
  envelope: Envelope,
): Promise<string> {
  const { projectId, skewSeconds = 0 } = client === undefined ? {} : oursOf(client);
  const { audience = [] } = readExtra({ extra });
  const aud = [clientId, ...(projectId === undefined ? [] : [projectId]), ...audience];
  return await envelope.seal({
    ...{ jti, sub: accountId ?? clientId, client_id: clientId },
    ...{ iat: iat - skewSeconds, exp: exp + skewSeconds },
    aud: aud.length === 1 ? clientId : [...new Set(aud)],
    ...(scope === undefined ? {} : { scope }),
  });
}
