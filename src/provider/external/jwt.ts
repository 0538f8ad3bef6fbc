import type { FetchImplementation, JWTPayload, JWTVerifyGetKey } from "jose";
import { plainReading } from "../../domain/identity.ts";
import type { SignIn } from "../../domain/idp-sign-in.ts";
import { createMemory } from "../base/memory.ts";
import { failedBy, fetchBy } from "./http.ts";
import {
  type AskedProvider,
  ExternalFailed,
  type Identified,
  identifiedBy,
  type Protocol,
  type ProtocolParts,
} from "./protocol.ts";
import { keyTrial } from "./trials.ts";

type JWTSignIn = Extract<SignIn, { readonly kind: "jwt" }>;

/** The bounds on tokens by which people are logged in. */
export const jwtLimits = {
  /** Seconds after which a token is too old, whatever it says of its end. */
  ageSeconds: 60 * 60,
  /** Seconds that the clock of a provider may differ by. */
  skewSeconds: 5,
  /** Providers whose keys are remembered: of more, the first is asked again. */
  providers: 100,
  /** Milliseconds for which the address is valid to which such a token leads. */
  handleMs: 60_000,
} as const;

/** Signatures that the provider alone can make. */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** A token that says who somebody is. */
export interface VerifiedToken extends Identified {
  /** When it does so no more, by the time of the machine (Unix milliseconds). */
  readonly endsMs: number;
}

/** Logins by JSON Web Tokens that a proxy of the provider hands over. */
export interface JWTProtocol extends Protocol<JWTSignIn> {
  /**
   * Who somebody is by a token: it names the issuer, a key of it, its times and a subject; an
   * audience, where it names one, is among these. Rejects with `ExternalFailed`.
   */
  verify(
    provider: AskedProvider<JWTSignIn>,
    token: string,
    audiences: readonly string[],
  ): Promise<VerifiedToken>;
}

/** The names of the parameters by which the proxy knows a login. */
export const jwtParameters = { state: "authRequestID", nonce: "userAgentID" } as const;

/** Makes the protocol of JWT providers. */
export function createJWTProtocol({ send, machineNow }: ProtocolParts): JWTProtocol {
  const known = createMemory<JWTVerifyGetKey>(jwtLimits.providers);

  async function keysOf({ id, organization, signIn }: AskedProvider<JWTSignIn>) {
    const name = JSON.stringify([id, signIn.keysEndpoint]);
    const before = known.get(name);
    if (before !== undefined) return before;
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const fetch = fetchBy(send, organization);
    const ask: FetchImplementation = (url, { method, headers, signal }) =>
      fetch(url, {
        ...{ method, signal, body: undefined, redirect: "manual" },
        headers: Object.fromEntries(headers),
      });
    const keys = createRemoteJWKSet(new URL(signIn.keysEndpoint), { [customFetch]: ask });
    known.keep(name, keys);
    return keys;
  }

  return {
    trials: ({ provider }) => [keyTrial(send, provider, async () => provider.signIn.keysEndpoint)],
    async address({ provider, secrets }) {
      const address = new URL(provider.signIn.jwtEndpoint);
      address.searchParams.set(jwtParameters.state, secrets.state);
      address.searchParams.set(jwtParameters.nonce, secrets.nonce);
      return address;
    },
    // Who it is, the token has said, and not the address.
    identify: () => Promise.reject(new ExternalFailed("UNUSABLE", "no token was accepted")),
    async verify(provider, token, audiences) {
      const { decodeProtectedHeader, jwtVerify } = await import("jose");
      try {
        const { kid } = decodeProtectedHeader(token);
        if (kid === undefined) throw new ExternalFailed("UNUSABLE", "the token names no key");
        const { payload } = await jwtVerify(token, await keysOf(provider), {
          ...{ issuer: provider.signIn.issuer, algorithms, requiredClaims: ["exp", "iat", "sub"] },
          ...{ clockTolerance: jwtLimits.skewSeconds, maxTokenAge: jwtLimits.ageSeconds },
          currentDate: new Date(machineNow()),
        });
        return readToken(payload, audiences);
      } catch (error) {
        throw failedBy(error);
      }
    },
  };
}

function readToken(claims: JWTPayload, audiences: readonly string[]): VerifiedToken {
  const { aud, exp = 0, iat = 0 } = claims;
  const named = aud === undefined ? audiences : [aud].flat();
  if (!named.some((one) => audiences.includes(one))) {
    throw new ExternalFailed("UNUSABLE", "the token is for another audience");
  }
  const { ageSeconds, skewSeconds } = jwtLimits;
  // Both may have fractions, and the last second counts as a whole.
  const endsMs = (Math.floor(Math.min(exp, iat + ageSeconds) + skewSeconds) + 1) * 1_000;
  return { ...identifiedBy("the token", claims, plainReading), endsMs };
}
