import { generateKeyPairSync } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type Adapter, type AdapterPayload, Provider } from "oidc-provider";
import { start, stop } from "../fetch/listener.ts";
import { openBrowser } from "./browser.ts";

/** What the foreign provider says of one of its users, by `sub`. */
export interface ForeignUsers {
  [sub: string]: { readonly [claim: string]: unknown };
}

/** A provider that others wrote, at which people have accounts. */
export interface Foreign {
  /** `http://127.0.0.1:<port>` */
  readonly issuer: string;
  readonly port: number;
  readonly users: ForeignUsers;
  /** What answers in place of the provider, where it answers at all. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  /** The paths that were asked for. */
  readonly asked: readonly string[];
  /** Lets a service have people log in there, which it leads back to this address. */
  serve(redirectUri: string, given?: ForeignOptions): void;
  /** As which user all that come are let in from now on; undefined for nobody. */
  be(sub: string | undefined): void;
  /** Goes to an address of it as a user, who logs in; answers where that leads. */
  logIn(url: string, sub: string): Promise<string>;
  /** The same, of somebody who cancels there. */
  cancel(url: string): Promise<string>;
  close(): Promise<void>;
}

interface ForeignOptions {
  /** Whether the ID token has all claims; left out, userinfo alone has them. */
  readonly hasAllInIDToken?: boolean;
  readonly authMethod?: "client_secret_basic" | "client_secret_post";
}

/** The client that it knows a service as. */
export const foreignClient = { clientId: "iam", clientSecret: "a secret of the other provider" };

const pair = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const signingKey = { ...pair.privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig" };

/** Keeps what oidc-provider keeps, as long as the test runs. */
class Kept implements Adapter {
  readonly #kept = new Map<string, AdapterPayload>();

  async find(id: string) {
    return this.#kept.get(id);
  }
  async findByUid(uid: string) {
    return [...this.#kept.values()].find((one) => one.uid === uid);
  }
  async findByUserCode() {
    return undefined;
  }
  async upsert(id: string, payload: AdapterPayload) {
    this.#kept.set(id, payload);
  }
  async consume(id: string) {
    this.#kept.set(id, { ...this.#kept.get(id), consumed: 1 });
  }
  async destroy(id: string) {
    this.#kept.delete(id);
  }
  async revokeByGrantId(grantId: string) {
    for (const [id, one] of this.#kept) if (one.grantId === grantId) this.#kept.delete(id);
  }
}

/** Starts one by oidc-provider, in which nothing of ours is. */
export async function startForeign(users: ForeignUsers = {}): Promise<Foreign> {
  let provider: Provider | undefined;
  let who: string | undefined;
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(new URL(request.url ?? "/", "http://foreign").pathname);
    if (foreign.answer?.(request, response)) return;
    if (provider === undefined) return void response.writeHead(503).end();
    if (!request.url?.startsWith("/interaction/"))
      return void provider.callback()(request, response);
    const result =
      who === undefined
        ? { error: "access_denied" }
        : { login: { accountId: who, remember: false } };
    provider.interactionFinished(request, response, result).catch(() => response.destroy());
  });
  const port = await start(server);
  const issuer = `http://127.0.0.1:${port}`;

  async function visit(url: string, sub: string | undefined): Promise<string> {
    who = sub;
    return (await openBrowser(issuer).open(url)).url;
  }

  const foreign: Foreign = {
    ...{ issuer, port, users, asked, answer: undefined },
    serve(redirectUri, { hasAllInIDToken = false, authMethod = "client_secret_basic" } = {}) {
      provider = new Provider(issuer, {
        clients: [
          {
            ...{ client_id: foreignClient.clientId, client_secret: foreignClient.clientSecret },
            ...{ redirect_uris: [redirectUri], token_endpoint_auth_method: authMethod },
          },
        ],
        conformIdTokenClaims: !hasAllInIDToken,
        scopes: ["openid"],
        claims: {
          openid: ["sub"],
          profile: ["name", "given_name", "family_name", "preferred_username", "locale"],
          email: ["email", "email_verified", "xms_edov"],
        },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
        findAccount: (_context, sub) => ({
          accountId: sub,
          claims: async () => ({ sub, ...users[sub] }),
        }),
        loadExistingGrant: async ({ oidc }) => {
          const { client, account } = oidc;
          if (provider === undefined || !client || !account) return undefined;
          const { clientId } = client;
          const grant = new provider.Grant({ clientId, accountId: account.accountId });
          grant.addOIDCScope("openid profile email");
          await grant.save();
          return grant;
        },
        cookies: { keys: ["a key"] },
        adapter: Kept,
        jwks: { keys: [signingKey] },
        ttl: {
          ...{ AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600 },
          ...{ Interaction: 600, Session: 600 },
        },
      });
    },
    be: (sub) => {
      who = sub;
    },
    logIn: (url, sub) => visit(url, sub),
    cancel: (url) => visit(url, undefined),
    close: () => {
      server.closeAllConnections();
      return stop(server);
    },
  };
  return foreign;
}
