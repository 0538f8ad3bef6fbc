import type { ProviderParts } from "../base/parts.ts";
import { oursOf } from "../token/client.ts";
import type { Claims } from "../token/jws.ts";
import type { Keys } from "../token/keys.ts";

/** As far as it concerns who changes how the library makes id tokens and reads them. */
interface Model {
  readonly prototype: { payload(): Promise<Claims> };
  /** Reads one that is shown to say whose login it is about. */
  validate(token: string, client: Shown): Promise<unknown>;
}

interface Shown {
  readonly clientId: string;
  readonly idTokenSignedResponseAlg?: string | undefined;
}

/** Has id tokens allow for clocks, and be read by the key that they name. */
export function adaptIdTokens(
  model: object,
  { published }: Keys,
  { machineNow }: Pick<ProviderParts, "machineNow">,
): void {
  const idTokens = model as Model;
  const { validate, prototype } = idTokens;
  // Another key may sign by now, of another algorithm.
  idTokens.validate = async function read(token, { clientId, idTokenSignedResponseAlg }) {
    const [head = ""] = token.split(".");
    const { kid, typ } = JSON.parse(Buffer.from(head, "base64url").toString()) as Claims;
    // The same keys sign access tokens and logout tokens, for the same application.
    if (typ !== undefined && typ !== "JWT") throw new TypeError("it is no id token");
    const alg = published.find(({ keyId }) => keyId === kid)?.algorithm ?? idTokenSignedResponseAlg;
    return await validate.call(this, token, { clientId, idTokenSignedResponseAlg: alg });
  };
  const { payload } = prototype;
  prototype.payload = async function make(this: { readonly client: object }) {
    const claims = await payload.call(this as never);
    const { skewSeconds } = oursOf(this.client);
    if (skewSeconds === 0) return claims;
    return { ...claims, ...begunEarlier(claims, skewSeconds, machineNow()) };
  };
}

/** The times at which something was, by as much earlier; the end is one of `ttl`. */
function begunEarlier({ auth_time: authTime }: Claims, skewSeconds: number, nowMs: number): Claims {
  return {
    iat: Math.floor(nowMs / 1_000) - skewSeconds,
    ...(typeof authTime === "number" ? { auth_time: authTime - skewSeconds } : {}),
  };
}
