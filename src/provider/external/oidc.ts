import type { ClientAuth, Configuration, IDToken, UserInfoResponse } from "openid-client";
import { type Identity, identityOf, type SaidClaims } from "../../domain/identity.ts";
import type { SignIn } from "../../domain/idp-sign-in.ts";
import { hashSecret } from "../../secrets/tokens.ts";
import { createMemory } from "../base/memory.ts";
import { failedBy, fetchBy } from "./http.ts";
import { type Ask, ExternalFailed, type Protocol, type ProtocolParts } from "./protocol.ts";

type OpenIDSignIn = Extract<SignIn, { readonly kind: "oidc" }>;

/** The bounds on what is remembered of OpenID providers. */
export const discoveryLimits = {
  /** Providers whose configuration is remembered: of more, the first is asked again. */
  providers: 100,
  /** Milliseconds after which a configuration is asked for again. */
  keptMs: 10 * 60_000,
  /** Seconds that the clock of a provider may differ by. */
  skewSeconds: 5,
} as const;

/** A configuration, and when it was asked for (Unix milliseconds). */
interface Kept {
  readonly askedMs: number;
  readonly configuration: Promise<Configuration>;
}

/**
 * Logins by OpenID Connect: the code flow with PKCE, state and nonce. The signature of an ID token
 * is checked although TLS has brought it.
 */
export function createOpenIDProtocol(parts: ProtocolParts): Protocol<OpenIDSignIn> {
  const known = createMemory<Kept>(discoveryLimits.providers);

  /** The configuration of a provider; one that failed is asked for again. */
  function discover(ask: Ask<OpenIDSignIn>): Promise<Configuration> {
    const { id, signIn } = ask.provider;
    const secret = hashSecret(signIn.clientSecret);
    const name = JSON.stringify([id, signIn.issuer, signIn.clientId, secret]);
    const nowMs = parts.machineNow();
    const before = known.get(name);
    if (before !== undefined && nowMs < before.askedMs + discoveryLimits.keptMs) {
      return before.configuration;
    }
    const configuration = discoverNow(ask, parts);
    const kept = { askedMs: nowMs, configuration };
    known.keep(name, kept);
    configuration.catch(() => {
      if (known.get(name) === kept) known.keep(name, { ...kept, askedMs: 0 });
    });
    return configuration;
  }

  return {
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
          ...challenge,
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
        const { state, nonce, verifier } = ask.secrets;
        const tokens = await client.authorizationCodeGrant(configuration, came, {
          ...{ expectedState: state, expectedNonce: nonce, idTokenExpected: true },
          ...(signIn.usesPkce ? { pkceCodeVerifier: verifier } : {}),
        });
        const claims = tokens.claims() as IDToken;
        const isAsked = isThin(claims, signIn) && userinfoOf(configuration) !== undefined;
        const info = isAsked
          ? await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)
          : undefined;
        const said = merge(claims, info);
        const { access_token: accessToken, refresh_token, id_token } = tokens;
        return {
          identity: read(said, signIn),
          claims: said,
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

async function discoverNow(
  { provider }: Ask<OpenIDSignIn>,
  { send }: ProtocolParts,
): Promise<Configuration> {
  const client = await import("openid-client");
  const { organization, signIn } = provider;
  const { clientId, clientSecret } = signIn;
  const issuer = new URL(signIn.issuer);
  const prove: ClientAuth = (server, ...more) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const by = methods.includes("client_secret_basic")
      ? client.ClientSecretBasic(clientSecret)
      : client.ClientSecretPost(clientSecret);
    return by(server, ...more);
  };
  // A provider with TLS has it everywhere; which others there may be, `send` says.
  const insecure = issuer.protocol === "http:" ? [client.allowInsecureRequests] : [];
  return await client.discovery(
    issuer,
    clientId,
    { [client.clockTolerance]: discoveryLimits.skewSeconds },
    clientSecret === "" ? client.None() : prove,
    {
      [client.customFetch]: fetchBy(send, organization),
      execute: [...insecure, client.enableNonRepudiationChecks],
    },
  );
}

function userinfoOf(configuration: Configuration): string | undefined {
  return configuration.serverMetadata().userinfo_endpoint;
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
  return { ...info, ...claims, ...vouched };
}

function read(said: SaidClaims, signIn: OpenIDSignIn): Identity {
  const identity = identityOf(said, signIn);
  if (identity !== undefined) return identity;
  throw new ExternalFailed("UNUSABLE", "the ID token does not say who somebody is");
}
