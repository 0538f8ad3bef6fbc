import type { Configuration } from "openid-client";
import { plainReading } from "../../domain/identity.ts";
import type { SignIn } from "../../domain/idp-sign-in.ts";
import { failedBy, fetchBy } from "./http.ts";
import {
  type Ask,
  ExternalFailed,
  identifiedBy,
  type Protocol,
  type ProtocolParts,
} from "./protocol.ts";
import { clientTrial, madeUpCode } from "./trials.ts";

type GitHubSignIn = Extract<SignIn, { readonly kind: "github" }>;

/** What GitHub has in place of a discovery document. */
const server = {
  issuer: "https://github.com",
  authorization_endpoint: "https://github.com/login/oauth/authorize",
  token_endpoint: "https://github.com/login/oauth/access_token",
} as const;
const api = "https://api.github.com";

/** A user of GitHub, as far as it concerns a login. */
interface GitHubUser {
  readonly id?: unknown;
  readonly login?: unknown;
  readonly name?: unknown;
}

interface GitHubEmail {
  readonly email?: unknown;
  readonly primary?: unknown;
  readonly verified?: unknown;
}

/**
 * Logins by GitHub, which has no ID tokens: its API says who somebody is. The number of a user is
 * for ever; the name may become that of another.
 */
export function createGitHubProtocol({ send }: ProtocolParts): Protocol<GitHubSignIn> {
  async function configure({ provider }: Ask<GitHubSignIn>): Promise<Configuration> {
    const client = await import("openid-client");
    const { organization, signIn } = provider;
    const proof = client.ClientSecretPost(signIn.clientSecret);
    const configuration = new client.Configuration(server, signIn.clientId, undefined, proof);
    configuration[client.customFetch] = fetchBy(send, organization);
    return configuration;
  }

  async function read<Said>(configuration: Configuration, token: string, path: string) {
    const client = await import("openid-client");
    const headers = new Headers({ accept: "application/vnd.github+json" });
    const url = new URL(api + path);
    const answer = await client.fetchProtectedResource(
      configuration,
      ...[token, url, "GET", null, headers],
    );
    if (answer.status === 200) return (await answer.json()) as Said;
    throw new ExternalFailed("UNUSABLE", `${path} was answered with status ${answer.status}`);
  }

  async function exchange(ask: Ask<GitHubSignIn>, came: URL) {
    const client = await import("openid-client");
    const { state, verifier } = ask.secrets;
    const checks = { expectedState: state, pkceCodeVerifier: verifier };
    return await client.authorizationCodeGrant(await configure(ask), came, checks);
  }

  return {
    trials: (ask) => [clientTrial(() => refusalOf(ask, send))],
    async address(ask) {
      const client = await import("openid-client");
      const { state, verifier } = ask.secrets;
      return client.buildAuthorizationUrl(await configure(ask), {
        ...{ redirect_uri: ask.callback, scope: ask.provider.signIn.scopes.join(" "), state },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      });
    },
    async identify(ask, came) {
      try {
        const configuration = await configure(ask);
        const { access_token: accessToken } = await exchange(ask, came);
        const user = await read<GitHubUser | null>(configuration, accessToken, "/user");
        const emails = await read<readonly (GitHubEmail | null)[] | null>(
          configuration,
          accessToken,
          "/user/emails",
        );
        const identified = identifiedBy("the user", claimsOf(user, emails), plainReading);
        return { ...identified, tokens: { accessToken } };
      } catch (error) {
        throw failedBy(error);
      }
    },
  };
}

/** Rejects with the word by which GitHub refuses a made-up code: it does so with status 200. */
async function refusalOf(
  { provider, callback }: Ask<GitHubSignIn>,
  send: ProtocolParts["send"],
): Promise<void> {
  const { clientId: client_id, clientSecret: client_secret } = provider.signIn;
  const form = new URLSearchParams({ client_id, client_secret, code: madeUpCode });
  form.set("redirect_uri", callback);
  const { body } = await send(server.token_endpoint, {
    ...{ organization: provider.organization, method: "POST", body: String(form) },
    headers: {
      ...{ accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    },
  });
  const { error } = Object(JSON.parse(Buffer.from(body).toString())) as { error?: unknown };
  throw Object.assign(new Error("refused"), { error });
}

/** What GitHub says, by the names of OpenID Connect: of addresses, the first that is verified. */
function claimsOf(user: GitHubUser | null, emails: readonly (GitHubEmail | null)[] | null) {
  const { id, login, name } = user ?? {};
  const all = Array.isArray(emails) ? emails : [];
  const first = all.find((one) => one?.primary === true && one.verified === true);
  return {
    sub: Number.isSafeInteger(id) ? String(id) : "",
    ...{ name, preferred_username: login },
    ...(first === undefined ? {} : { email: first?.email, email_verified: true }),
  };
}
