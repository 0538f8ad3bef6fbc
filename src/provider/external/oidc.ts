import type { IDToken, UserInfoResponse } from "openid-client";
import type { SaidClaims } from "../../domain/identity.ts";
import { createDiscovery, type OpenIDSignIn } from "./discovery.ts";
import { failedBy } from "./http.ts";
import { type Ask, identifiedBy, type Protocol, type ProtocolParts } from "./protocol.ts";
import { clientTrial, keyTrial, withCode } from "./trials.ts";

/**
 * Logins by OpenID Connect: the code flow with PKCE, state and nonce. The signature of an ID token
 * is checked although TLS has brought it.
 */
export function createOpenIDProtocol(parts: ProtocolParts): Protocol<OpenIDSignIn> {
  const discover = createDiscovery(parts);

  async function exchange(ask: Ask<OpenIDSignIn>, came: URL) {
    const client = await import("openid-client");
    const { state, nonce, verifier } = ask.secrets;
    return await client.authorizationCodeGrant(await discover(ask), came, {
      ...{ expectedState: state, expectedNonce: nonce, idTokenExpected: true },
      ...(ask.provider.signIn.usesPkce ? { pkceCodeVerifier: verifier } : {}),
    });
  }

  return {
    trials: (ask) => [
      {
        name: "discovery",
        advice: "The issuer has to be the one that its discovery document names.",
        async run() {
          const { issuer, userinfo_endpoint: userinfo } = (await discover(ask)).serverMetadata();
          return `${issuer}, ${userinfo === undefined ? "without" : "with"} userinfo`;
        },
      },
      keyTrial(parts.send, ask.provider, async () => {
        return (await discover(ask)).serverMetadata().jwks_uri ?? "";
      }),
      clientTrial(async () => {
        const { issuer: iss, ...server } = (await discover(ask)).serverMetadata();
        const isNamed = server.authorization_response_iss_parameter_supported === true;
        return await exchange(ask, withCode(ask, isNamed ? { iss } : {}));
      }),
    ],
    async address(ask) {
      const { signIn } = ask.provider;
      const client = await import("openid-client");
      try {
        const configuration = await discover(ask);
        const { state, nonce, verifier } = ask.secrets;
        const challenge = signIn.usesPkce && {
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        };
        return client.buildAuthorizationUrl(configuration, {
          ...{ redirect_uri: ask.callback, scope: signIn.scopes.join(" "), state, nonce },
          ...{ ...challenge, ...freshness(ask) },
        });
      } catch (error) {
        throw failedBy(error);
      }
    },
    async identify(ask, came) {
      const { signIn } = ask.provider;
      const client = await import("openid-client");
      try {
        const configuration = await discover(ask);
        const tokens = await exchange(ask, came);
        const claims = tokens.claims() as IDToken;
        const { userinfo_endpoint: userinfo } = configuration.serverMetadata();
        const isAsked = isThin(claims, signIn) && userinfo !== undefined;
        const info = isAsked
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : undefined;
        const identified = identifiedBy("the ID token", merge(claims, info), signIn);
        const { access_token: accessToken, refresh_token, id_token } = tokens;
        return {
          ...identified,
          tokens: {
            accessToken,
            ...(refresh_token === undefined ? {} : { refreshToken: refresh_token }),
            ...(id_token === undefined ? {} : { idToken: id_token }),
          },
        };
      } catch (error) {
        throw failedBy(error);
      }
    },
  };
}

/** Has a provider ask people anew, and say when it did (OpenID Connect Core 1.0, 3.1.2.1). */
function freshness({ maxAge, provider: { signIn } }: Ask<OpenIDSignIn>): {
  readonly [parameter: string]: string;
} {
  if (maxAge === undefined) return {};
  return { max_age: String(maxAge), ...(maxAge === 0 ? { prompt: signIn.anew } : {}) };
}

/** What tells people something of somebody, as far as an ID token may lack it. */
const telling = ["name", "preferred_username", "email"] as const;

/** Whether userinfo may say more than the ID token. */
function isThin(claims: IDToken, { isIdTokenMapping }: OpenIDSignIn): boolean {
  return !isIdTokenMapping && telling.some((name) => claims[name] === undefined);
}

/** Whether an address is verified is believed of who said the address. */
const vouching = ["email_verified", "xms_edov"] as const;

function merge(claims: IDToken, info: UserInfoResponse | undefined): SaidClaims {
  const aboutEmail: SaidClaims = claims.email === undefined ? (info ?? {}) : claims;
  const vouched = Object.fromEntries(vouching.map((name) => [name, aboutEmail[name]]));
  return { ...info, ...claims, ...vouched, auth_time: claims.auth_time };
}
