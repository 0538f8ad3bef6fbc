import * as oidc from "openid-client";
import { v7 } from "uuid";
import { streamOf } from "../../src/domain/noun.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { startServer, type TestServer, type TestServerOptions } from "../harness/server.ts";
import { type Browser, openBrowser } from "./browser.ts";

/** The parties of a login: a service, the applications of a project and the people of it. */
export interface Parties {
  readonly server: TestServer;
  readonly clock: { nowMs: number };
  /** Calls a method of REST as the administrator; left out, it is about the first organization. */
  call(verb: string, path: string, body?: object, organization?: string): Promise<Called>;
  givenApp(given?: object, project?: string, organization?: string): Promise<App>;
  givenPerson(given?: object, organization?: string): Promise<Person>;
  /** The types of the events of a person, from when it was there with its e-mail address. */
  typesOf(person: Pick<Person, "userId">): Promise<readonly string[]>;
  /** Of what the person was told by mail. */
  toldOf(person: Pick<Person, "userId">): Promise<readonly string[]>;
  browser(headers?: { readonly [name: string]: string }): Browser;
  close(): Promise<void>;
}

export type Called = { readonly [name: string]: unknown };

export interface App {
  readonly appId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What openid-client knows of it. */
  readonly config: oidc.Configuration;
}

export interface Person {
  readonly userId: string;
  readonly userName: string;
  readonly email: string;
  readonly password: string;
}

export const callback = "https://app.example.com/callback";

export async function startParties(options: TestServerOptions = {}): Promise<Parties> {
  const offset = { ms: 0 };
  const clock = {
    get nowMs() {
      return Date.now() + offset.ms;
    },
    set nowMs(ms: number) {
      offset.ms = ms - Date.now();
    },
  };
  const { publicUrl = (port: number) => `http://127.0.0.1:${port}` } = options;
  const server = await startServer({ now: () => clock.nowMs, ...options, publicUrl });
  const issuer = publicUrl(server.port);
  const call = async (verb: string, path: string, body?: object, organization?: string) => {
    const response = await fetch(server.url + path, {
      method: verb,
      headers: {
        authorization: `Bearer ${server.admin.token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(organization === undefined ? {} : { "x-service-orgid": organization }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${verb} ${path}: ${text}`);
    return JSON.parse(text) as Called;
  };
  return {
    ...{ server, clock, call },
    givenApp: async (given = {}, project = server.project, organization = undefined) => {
      const message = {
        name: v7(),
        redirectUris: [callback],
        postLogoutRedirectUris: ["https://app.example.com/bye"],
        responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
        grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
        authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE",
        ...given,
      };
      const path = `/management/v1/projects/${project}/apps/oidc`;
      const made = await call("POST", path, message, organization);
      const { appId, clientId, clientSecret = "" } = made as { [name: string]: string };
      const config = await discover(issuer, String(clientId), clientSecret, given);
      return { appId: String(appId), clientId: String(clientId), clientSecret, config };
    },
    givenPerson: async (given = {}, organization = server.admin.organization) => {
      const userName = v7();
      const person = {
        ...{ userName, email: `${userName}@example.com`, password: "correct horse battery" },
      };
      const message = {
        userName,
        email: { email: person.email, isEmailVerified: true },
        profile: { firstName: "Ada", lastName: "Lovelace" },
        password: person.password,
        ...given,
      };
      const path = "/management/v1/users/human/_import";
      const { userId } = await call("POST", path, message, organization);
      return { ...person, userId: String(userId) };
    },
    typesOf: async ({ userId }) => {
      const events = await server.store.readStream(streamOf(user, userId), 0, 1_000);
      const types = events.map(({ type }) => type);
      return types.slice(types.indexOf("user.human.email.verified") + 1);
    },
    toldOf: async ({ userId }) => {
      const events = await server.store.readStream(streamOf(user, userId), 0, 1_000);
      const told = events.filter(({ type }) => type === "user.human.notice.added");
      return told.map(({ payload }) => String(JSON.parse(payload).about));
    },
    browser: (headers = {}) => openBrowser(server.url, headers, new URL(issuer).origin),
    close: () => server.close(),
  };
}

async function discover(
  url: string,
  clientId: string,
  secret: string,
  given: { readonly authMethodType?: string },
): Promise<oidc.Configuration> {
  const method =
    secret === ""
      ? oidc.None()
      : given.authMethodType === "OIDC_AUTH_METHOD_TYPE_POST"
        ? oidc.ClientSecretPost(secret)
        : oidc.ClientSecretBasic(secret);
  return await oidc.discovery(new URL(url), clientId, undefined, method, {
    execute: [oidc.allowInsecureRequests],
  });
}

/** What an application remembers of a login that it began. */
export interface Begun {
  readonly url: URL;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Begins a login as openid-client does. */
export async function begin(
  { config }: App,
  parameters: { readonly [name: string]: string } = {},
): Promise<Begun> {
  const verifier = oidc.randomPKCECodeVerifier();
  const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
  const url = oidc.buildAuthorizationUrl(config, {
    redirect_uri: callback,
    scope: "openid profile email",
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...{ state, nonce },
    ...parameters,
  });
  return { url, verifier, state, nonce };
}

/** Fetches the tokens for where the browser came back to. */
export async function fetchTokens({ config }: App, begun: Begun, back: string) {
  return await oidc.authorizationCodeGrant(config, new URL(back), {
    pkceCodeVerifier: begun.verifier,
    expectedState: begun.state,
    expectedNonce: begun.nonce,
    idTokenExpected: true,
  });
}

/** Logs a person in to an application, in a browser; answers the tokens. */
export async function logIn(
  browser: Browser,
  app: App,
  { userName, password }: Person,
  parameters: { readonly [name: string]: string } = {},
) {
  const begun = await begin(app, parameters);
  await browser.open(begun.url.href);
  const back = await browser.send({ userName, password });
  return await fetchTokens(app, begun, back.url);
}
