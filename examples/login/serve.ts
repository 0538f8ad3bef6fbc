import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { env, stdout } from "node:process";
import * as oidc from "openid-client";
import { prepare } from "./prepare.ts";

// An application that people log in to, at http://localhost:3000:
//
//   node examples/login/serve.ts
//
// It makes itself an application and a person first, and says with which password that logs in.

const { IAM_URL = "http://localhost:8080", IAM_TOKEN = "", PORT = "3000" } = env;
const here = `http://localhost:${PORT}`;
const { clientId, person } = await prepare({ url: IAM_URL, token: IAM_TOKEN, here });
stdout.write(`${person}\n`);
const config = await oidc.discovery(new URL(IAM_URL), clientId, undefined, oidc.None(), {
  // Without TLS, as on this machine; leave it out where there is some.
  execute: [oidc.allowInsecureRequests],
});

/** Logins that have begun, and people who are logged in, by what their browser keeps. */
const begun = new Map<string, { readonly verifier: string; readonly nonce: string }>();
const people = new Map<string, oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers>();

async function answer({ url = "/", headers }: IncomingMessage, response: ServerResponse) {
  const at = new URL(url, here);
  const known = /(?:^|; )example=([\w-]+)/.exec(headers.cookie ?? "")?.[1] ?? "";
  const to = (location: string, cookie = "") =>
    response.writeHead(303, { location, ...(cookie ? { "set-cookie": cookie } : {}) }).end();
  if (at.pathname === "/login") {
    const [state, verifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()];
    const nonce = oidc.randomNonce();
    begun.set(state, { verifier, nonce });
    const leadsTo = oidc.buildAuthorizationUrl(config, {
      ...{ redirect_uri: `${here}/callback`, scope: "openid profile email", state, nonce },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return to(leadsTo.href, `example=${state}; HttpOnly; SameSite=Lax; Path=/`);
  }
  if (at.pathname === "/callback") {
    const { verifier = "", nonce = "" } = begun.get(known) ?? {};
    begun.delete(known);
    const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: known };
    people.set(known, await oidc.authorizationCodeGrant(config, at, checks));
    return to("/");
  }
  const tokens = people.get(known);
  if (at.pathname === "/logout" && tokens?.id_token !== undefined) {
    people.delete(known);
    const after = { id_token_hint: tokens.id_token, post_logout_redirect_uri: `${here}/` };
    return to(oidc.buildEndSessionUrl(config, after).href);
  }
  const { sub } = tokens?.claims() ?? {};
  const { name } = sub ? await oidc.fetchUserInfo(config, tokens?.access_token ?? "", sub) : {};
  const shown = name
    ? `Hello ${escaped(name)}. <a href="/logout">Log out</a>`
    : 'Hello. <a href="/login">Log in</a>';
  return response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(shown);
}

const escaped = (text: string) => text.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"));

// Only now is there all that an answer needs.
const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(400).end(`${error}\n`));
});
await once(server.listen(Number(PORT), "localhost"), "listening");
stdout.write(`the application is at ${here}\n`);
