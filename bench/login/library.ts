import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { verify } from "@node-rs/argon2";
import type { Provider } from "oidc-provider";
import { answerParent } from "../child.ts";
import { callback, hashPassword, type Parties, paths } from "./parties.ts";

/**
 * The library that the service logs people in with, by itself: in memory, with its own adapter, on
 * a server of node:http, and with pages that hold a form and nothing else. Passwords are hashed as
 * the service does, with the same package, in libuv's threads.
 */
const server = createServer();
server.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;

const parties: Parties = {
  port,
  app: { id: "app", secret: "a".repeat(43) },
  jwtApp: undefined,
  api: { id: "api", secret: "b".repeat(43) },
  machine: { id: "machine", secret: "c".repeat(43) },
};
const hour = 60 * 60;
const kept = await hashPassword();
const provider = await makeProvider();
const answer = provider.callback();
server.on("request", (request, response) => {
  const isPage = request.url?.startsWith("/login/") === true;
  void (isPage ? showLogin(request, response) : answer(request, response));
});

async function makeProvider(): Promise<Provider> {
  // It says on standard output that it warns of nothing here.
  const { Provider } = await import("oidc-provider");
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = { ...privateKey.export({ format: "jwk" }), kid: "key", use: "sig", alg: "RS256" };
  const { app, api, machine } = parties;
  const client = ({ id, secret }: { readonly id: string; readonly secret: string }) => ({
    ...{ client_id: id, client_secret: secret },
    token_endpoint_auth_method: "client_secret_basic" as const,
  });
  const none = { redirect_uris: [], response_types: [] };
  const { token, authorization, introspection, userinfo } = paths;
  return new Provider(`http://127.0.0.1:${port}`, {
    clients: [
      {
        ...client(app),
        redirect_uris: [callback],
        grant_types: ["authorization_code", "refresh_token"],
      },
      { ...client(api), ...none, grant_types: [] },
      { ...client(machine), ...none, grant_types: ["client_credentials"] },
    ],
    jwks: { keys: [key] },
    routes: { token, authorization, introspection, userinfo },
    claims: { openid: ["sub"], profile: ["name", "given_name"], email: ["email"] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
    },
    pkce: { required: () => false },
    rotateRefreshToken: true,
    ttl: {
      ...{ AccessToken: hour, IdToken: hour, Interaction: hour, ClientCredentials: hour },
      ...{ RefreshToken: 24 * hour, Session: 24 * hour, Grant: 24 * hour },
    },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    findAccount: async (_ctx, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, name: sub, given_name: "Ada", email: "ada@example.com" }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const { client: asking, session, account, params } = oidc;
      const known = asking && session?.grantIdFor(asking.clientId);
      const found = known === undefined ? undefined : await oidc.provider.Grant.find(known);
      const of = { accountId: account?.accountId, clientId: asking?.clientId };
      const grant = found ?? new oidc.provider.Grant(of);
      grant.addOIDCScope(String(params?.scope));
      await grant.save();
      return grant;
    },
  });
}

/** A page with a form, and what becomes of it. */
async function showLogin(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === "GET") {
    response.setHeader("content-type", "text/html");
    response.end(`<form method="post" action="${request.url}"></form>`);
    return;
  }
  const fields = new URLSearchParams(await text(request));
  const isRight = await verify(kept, fields.get("password") ?? "");
  const login = { accountId: fields.get("userName") ?? "" };
  const result = isRight ? { login, consent: {} } : { error: "access_denied" };
  await provider.interactionFinished(request, response, result);
}

const answers = {
  parties: () => parties,
  /** CPU time of all threads so far, in microseconds. */
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
};

/** What can be asked of the process in which the library is by itself. */
export type LibraryAnswers = typeof answers;

answerParent(answers, () => {
  server.closeAllConnections();
  server.close();
});
