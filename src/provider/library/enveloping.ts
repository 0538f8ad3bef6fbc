import { oursOf } from "../token/client.ts";
import type { Envelope } from "../token/envelope.ts";
import { isEnveloped, readExtra } from "../token/extra.ts";
import { looksLikeJws } from "../token/jws.ts";

/** A token of the library, as far as it concerns who puts it in an envelope. */
interface Token {
  readonly accountId?: string;
  readonly clientId?: string | undefined;
  readonly client?: object | undefined;
  readonly scope?: string | undefined;
  readonly extra?: unknown;
}

interface Made {
  readonly value: string;
  readonly payload: { readonly iat?: number; readonly exp?: number };
}

/** A kind of token of the library. */
interface Model {
  readonly prototype: object;
  find(value: string, ...rest: unknown[]): Promise<(Token & object) | undefined>;
}

/**
 * Has tokens of a kind that are to be JWTs come in an envelope, and found by nothing else: the id
 * inside lets nobody in by itself.
 */
export function envelop(model: Model, envelope: Envelope): void {
  const { find } = model;
  const make: (this: Token) => Promise<Made> = Reflect.get(model.prototype, "getValueAndPayload");
  Object.assign(model.prototype, {
    async getValueAndPayload(this: Token): Promise<Made> {
      const made = await make.call(this);
      return isEnveloped(this) ? { ...made, value: seal(this, made, envelope) } : made;
    },
  });
  model.find = async function findIn(value, ...rest) {
    const isJws = typeof value === "string" && looksLikeJws(value);
    const id = isJws ? envelope.open(value) : value;
    const found = id === undefined ? undefined : await find.call(this, id, ...rest);
    return found !== undefined && isEnveloped(found) === isJws ? found : undefined;
  };
}

function seal(
  { accountId, clientId = "", client, scope, extra }: Token,
  { value: jti, payload: { iat = 0, exp = 0 } }: Made,
  envelope: Envelope,
): string {
  const { projectId, skewSeconds = 0 } = client === undefined ? {} : oursOf(client);
  const { audience = [] } = readExtra({ extra });
  const aud = [clientId, ...(projectId === undefined ? [] : [projectId]), ...audience];
  return envelope.seal({
    ...{ jti, sub: accountId ?? clientId, client_id: clientId },
    ...{ iat: iat - skewSeconds, exp: exp + skewSeconds },
    aud: aud.length === 1 ? clientId : [...new Set(aud)],
    ...(scope === undefined ? {} : { scope }),
  });
}
