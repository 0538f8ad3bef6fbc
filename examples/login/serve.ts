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
const { clientId, person } = await prepare({ url: IAM_URL, token: IAM_TOKEN, here });
stdout.write(`${person}\n`);
const config = await oidc
  .discovery(new URL(IAM_URL), clientId, undefined, oidc.None(), {
    // Without TLS, as on this machine; leave it out where there is some.
    execute: [oidc.allowInsecureRequests],
  })
  .catch(({ message }) => {
    throw new Error(`${message}: set IAM_URL to the issuer that the service prints at its start`);
  });

/** Logins that have begun, by what the service gives back, each in the browser that it began in. */
const begun = new Map<string, { browser: string; verifier: string; nonce: string }>();
/** People who are logged in, by what their browser keeps. */
const people = new Map<string, oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers>();

async function answer({ url = "/", headers }: IncomingMessage, response: ServerResponse) {
  const at = new URL(url, here);
  const kept = (name: string) =>
    new RegExp(`(?:^|; )${name}=([\\w-]+)`).exec(headers.cookie ?? "")?.[1] ?? "";
  const known = kept("example");
  const to = (location: string, cookie = "") => {
    const set = cookie ? { "set-cookie": `${cookie}; HttpOnly; SameSite=Lax; Path=/` } : {};
    response.writeHead(303, { location, ...set }).end();
  };
  if (at.pathname === "/login") {
    const [state, verifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()];
    const nonce = oidc.randomNonce();
    // Several may begin at once, in two tabs of one browser.
    const browser = kept("browser") || oidc.randomState();
    begun.set(state, { browser, verifier, nonce });
    const leadsTo = oidc.buildAuthorizationUrl(config, {
      ...{ redirect_uri: `${here}/callback`, scope: "openid profile email", state, nonce },
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    return to(leadsTo.href, `browser=${browser}`);
  }
  if (at.pathname === "/callback") {
    const state = at.searchParams.get("state") ?? "";
    const login = begun.get(state);
    if (login === undefined || login.browser !== kept("browser")) {
      throw new Error("This login is over, or began in another browser.");
    }
    begun.delete(state);
    const { verifier, nonce } = login;
    const checks = { pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: state };
    const tokens = await oidc.authorizationCodeGrant(config, at, checks);
    // Never what the browser had before: somebody else may have put it there.
    const session = oidc.randomState();
    people.delete(known);
    people.set(session, tokens);
    return to("/", `example=${session}`);
  }
  const tokens = people.get(known);
  if (at.pathname === "/logout" && tokens?.id_token !== undefined) {
    people.delete(known);
    const after = { id_token_hint: tokens.id_token, post_logout_redirect_uri: `${here}/` };
    return to(oidc.buildEndSessionUrl(config, after).href);
  }
  const name = tokens && (await nameOf(tokens));
  if (name === undefined) people.delete(known);
  const shown = name
    ? `Hello ${escaped(name)}. <a href="/logout">Log out</a>`
    : 'Hello. <a href="/login">Log in</a>';
  return response.writeHead(200, html).end(shown);
}

/** The name of a person; undefined where the login is over: logged out elsewhere, or too old. */
async function nameOf(tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers) {
  const { sub = "" } = tokens.claims() ?? {};
  try {
    return (await oidc.fetchUserInfo(config, tokens.access_token, sub)).name;
  } catch (error) {
    if (error instanceof oidc.WWWAuthenticateChallengeError) return undefined;
    throw error;
  }
}

const html = { "content-type": "text/html; charset=utf-8" };
const escaped = (text: string) => text.replace(/[&<]/g, (c) => (c === "&" ? "&amp;" : "&lt;"));

// Only now is there all that an answer needs.
const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    // What the service says went wrong, such as that somebody did not want to log in.
    const { error: what, error_description: why = what, message } = error;
    const shown = `<p>${escaped(why ?? message)}</p><a href="/">Back</a>`;
    response.writeHead(400, html).end(shown);
  });
});
await once(server.listen(Number(PORT), "localhost"), "listening");
stdout.write(`the application is at ${here}\n`);
