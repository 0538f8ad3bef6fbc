import { createPublicKey, verify } from "node:crypto";
import * as oidc from "openid-client";
import { type Browser, formOf, type Page } from "./browser.ts";
import { type App, callback, type Parties, type Person } from "./relying.ts";

/** Who takes part in the modules of a profile, and how answers come back. */
export interface Profile {
  readonly parties: Parties;
  /** An application that proves itself by the header, and one that does so in the body. */
  readonly app: App;
  readonly posting: App;
  readonly person: Person;
  readonly mode: "query" | "form_post";
}

/** What an application is told in the end. */
export interface Back {
  readonly told: URLSearchParams;
  /** The same as a client library takes it. */
  response(): URL | Request;
}

/** What an application asks for. */
export type Asked = { readonly [name: string]: string };
type Options = { readonly by?: App; readonly browser?: Browser };

/** Sends a browser with what is asked for, logs the person in if need be; answers where it ends. */
export function createAsking({ parties, app, person, mode }: Profile) {
  function urlOf(asked: Asked, by = app): URL {
    const common = { redirect_uri: callback, scope: "openid", state: "abc" };
    const all = { ...common, ...(mode === "query" ? {} : { response_mode: mode }), ...asked };
    const url = oidc.buildAuthorizationUrl(by.config, all);
    for (const [name, value] of [...url.searchParams]) {
      if (value === "") url.searchParams.delete(name);
    }
    return url;
  }

  async function through(browser: Browser): Promise<Back> {
    const { userName, password } = person;
    if (browser.page.text.includes('name="password"')) await browser.send({ userName, password });
    if (browser.page.text.includes('value="proceed"')) await browser.send({}, "proceed");
    return backOf(browser.page);
  }

  async function ask(asked: Asked, { by = app, browser = parties.browser() }: Options = {}) {
    await browser.open(urlOf(asked, by).href);
    return await through(browser);
  }

  async function tokensOf(asked: Asked, options: Options = {}) {
    const back = await ask(asked, options);
    const { nonce } = asked;
    const { by = app } = options;
    return await oidc.authorizationCodeGrant(by.config, back.response(), {
      expectedState: "abc",
      ...(nonce === undefined ? {} : { expectedNonce: nonce }),
    });
  }
  return { urlOf, through, ask, tokensOf };
}

/** Who asks for logins, and what comes of it. */
export type Asking = ReturnType<typeof createAsking>;

function backOf({ url, text }: Page): Back {
  if (!text.includes(`action="${callback}"`)) {
    return { told: new URL(url).searchParams, response: () => new URL(url) };
  }
  const told = new URLSearchParams(formOf({ text }).fields);
  return { told, response: () => new Request(callback, { method: "POST", body: told }) };
}

/** Whether one of the keys that the service publishes has signed the JWT as its header says. */
export async function isSigned(parties: Parties, jwt: string): Promise<boolean> {
  const [head = "", body = "", signature = ""] = jwt.split(".");
  const { kid } = JSON.parse(Buffer.from(head, "base64url").toString());
  const { keys } = (await (await fetch(`${parties.server.url}/oauth/v2/keys`)).json()) as {
    readonly keys: readonly { readonly kid: string }[];
  };
  const jwk = keys.find((key) => key.kid === kid);
  if (jwk === undefined) return false;
  const key = createPublicKey({ key: { ...jwk }, format: "jwk" });
  const bytes = Buffer.from(signature, "base64url");
  return verify("sha256", Buffer.from(`${head}.${body}`), key, bytes);
}
