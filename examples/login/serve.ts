import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { env, exit, stderr, stdout } from "node:process";
import * as oidc from "openid-client";
import { prepare } from "./prepare.ts";

// An application that people log in to, at http://localhost:3000:
//
//   node examples/login/serve.ts
//
// It makes itself an application and a person first, and says with which password that logs in.

const { IAM_URL = "http://localhost:8080", IAM_TOKEN = "", PORT = "3000" } = env;
if (IAM_TOKEN === "") {
  stderr.write("usage: IAM_TOKEN=… node examples/login/serve.ts\n");
  exit(2);
}
const here = `http://localhost:${PORT}`;
const { clientId, advice } = await prepare({ url: IAM_URL, token: IAM_TOKEN, here });
stdout.write(`${advice}\n`);
const config = await oidc
  .discovery(new URL(IAM_URL), clientId, undefined, oidc.None(), {
    // Without TLS, as on this machine; leave it out where there is some.
    execute: [oidc.allowInsecureRequests],
  })
  .catch(({ message }) => {
    throw new Error(`${message}: set IAM_URL to the issuer that the service prints at its start`);
  });

/** What the answers to logins that have begun must fit, by their state. */
const begun = new Map<string, oidc.AuthorizationCodeGrantChecks>();
/** People who are logged in, by the cookie of their browser. */
const people = new Map<string, { readonly name: string; readonly idToken: string }>();

async function answer({ url = "/", headers }: IncomingMessage, response: ServerResponse) {
  const at = new URL(url, here);
  const cookies = headers.cookie?.split("; ") ?? [];
  const session = cookies.find((cookie) => cookie.startsWith("session=")) ?? "";
  const to = (location: string, cookie: string) => {
    const set = `${cookie}; HttpOnly; SameSite=Lax; Path=/`;
    response.writeHead(303, { location, "set-cookie": set }).end();
  };
  if (at.pathname === "/login") {
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const verifier = oidc.randomPKCECodeVerifier();
    begun.set(state, { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier });
    const leadsTo = oidc.buildAuthorizationUrl(config, {
      ...{ redirect_uri: `${here}/callback`, scope: "openid profile email", state, nonce },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    // One for each login, since two tabs may begin at once; it ends in the browser it began in.
    return to(leadsTo.href, `${state}=begun`);
  }
  if (at.pathname === "/callback") {
    const state = at.searchParams.get("state") ?? "";
    const checks = begun.get(state);
    if (checks === undefined || !cookies.includes(`${state}=begun`)) {
      throw new Error("This login has expired, or began in another browser.");
    }
    begun.delete(state);
    const tokens = await oidc.authorizationCodeGrant(config, at, checks);
    const { sub = "" } = tokens.claims() ?? {};
    const { name = sub } = await oidc.fetchUserInfo(config, tokens.access_token, sub);
    const own = `session=${oidc.randomState()}`;
    people.set(own, { name, idToken: tokens.id_token ?? "" });
    return to("/", own);
  }
  const person = people.get(session);
  if (at.pathname === "/logout" && person !== undefined) {
    people.delete(session);
    const after = { id_token_hint: person.idToken, post_logout_redirect_uri: `${here}/` };
    return to(oidc.buildEndSessionUrl(config, after).href, "session=; Max-Age=0");
  }
  const shown = person
    ? `Hello ${escaped(person.name)}. <a href="/logout">Log out</a>`
    : 'Hello. <a href="/login">Log in</a>';
  return response.writeHead(200, html).end(shown);
}

const html = { "content-type": "text/html; charset=utf-8" };
const escaped = (text: string) => text.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"));

// Only now is there all that an answer needs.
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    // What the service says went wrong, for example that somebody did not want to log in.
    const { error: what, error_description: why = what, message } = error;
    const shown = `<p>${escaped(why ?? message)}</p><a href="/">Back</a>`;
    response.writeHead(400, html).end(shown);
  });
});
await once(server.listen(Number(PORT), "localhost"), "listening");
stdout.write(`the application is at ${here}\n`);
