import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Provider } from "oidc-provider";
import { answerParent } from "../child.ts";
import type { Proof } from "./parties.ts";

/**
 * A provider elsewhere: the library by itself, in memory. It lets in who `login_hint` names, at
 * once and without a password, so that its own work is small.
 */
const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const issuer = `http://127.0.0.1:${port}`;
const client: Proof = { id: "iam", secret: "d".repeat(43) };
const minutes = 60;

async function makeProvider(redirectUri: string): Promise<Provider> {
  // It says on standard output that it warns of nothing here.
  const { Provider } = await import("oidc-provider");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = { ...privateKey.export({ format: "jwk" }), kid: "key", use: "sig", alg: "RS256" };
  return new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
    jwks: { keys: [key] },
    scopes: ["openid"],
    // All of it is in the ID token, so that userinfo is not asked.
    conformIdTokenClaims: false,
    claims: { openid: ["sub"], profile: ["name"], email: ["email", "email_verified"] },
    features: { devInteractions: { enabled: false } },
    ttl: {
      ...{ AccessToken: 10 * minutes, AuthorizationCode: minutes, IdToken: 10 * minutes },
      ...{ Grant: 10 * minutes, Interaction: 10 * minutes, Session: 10 * minutes },
    },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    findAccount: async (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, name: sub, email: "ada@example.com", email_verified: true }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const of = { accountId: oidc.account?.accountId, clientId: oidc.client?.clientId };
      const grant = new oidc.provider.Grant(of);
      grant.addOIDCScope(String(oidc.params?.scope));
      await grant.save();
      return grant;
    },
  });
}

const answers = {
  /** Where it is, and what it knows the service by. */
  place: () => ({ port, issuer, client }),
  /** Lets people log in for a service, which it leads back to this address. */
  serve: async ({ redirectUri }: { readonly redirectUri: string }) => {
    const provider = await makeProvider(redirectUri);
    const answer = provider.callback();
    server.on("request", async (request, response) => {
      if (request.url?.startsWith("/login/") !== true) return void answer(request, response);
      const { params } = await provider.interactionDetails(request, response);
      const login = { accountId: String(params.login_hint), remember: false };
      await provider.interactionFinished(request, response, { login });
    });
  },
};

/** What can be asked of the process of the provider elsewhere. */
export type ElsewhereAnswers = typeof answers;

answerParent(answers, () => {
  server.closeAllConnections();
  server.close();
});
