import { randomUUID } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";

/** An application with what it has got for a person, and what the person's browser holds. */
export interface SignedIn {
  readonly id: string;
  readonly secret: string;
  /** A code that was not used yet, and tokens. */
  readonly code: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly idToken: string;
  /** The cookies of who is logged in, and those of a login that is open, with its id. */
  readonly session: string;
  readonly pending: string;
  readonly login: string;
}

export const callback = "https://app.example.com/callback";

type Make = (path: string, message: object) => Promise<JsonObject>;

/** Makes an application of the project and a person, and logs the person in. */
export async function makeSignedIn(url: string, project: string, make: Make): Promise<SignedIn> {
  const app = await make(`/management/v1/projects/${project}/apps/oidc`, {
    name: randomUUID(),
    redirectUris: [callback],
    postLogoutRedirectUris: ["https://app.example.com/bye"],
    responseTypes: ["OIDC_RESPONSE_TYPE_CODE", "OIDC_RESPONSE_TYPE_ID_TOKEN"],
    grantTypes: ["AUTHORIZATION_CODE", "IMPLICIT", "REFRESH_TOKEN"].map(
      (type) => `OIDC_GRANT_TYPE_${type}`,
    ),
  });
  const [id, secret] = [String(app.clientId), String(app.clientSecret)];
  const userName = randomUUID();
  const password = "correct horse battery";
  await make("/management/v1/users/human/_import", {
    userName,
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: `${userName}@example.com`, isEmailVerified: true },
    password,
  });
  const browser = openBrowser(url);
  const ask = (more: object) =>
    browser.go(
      `/oauth/v2/authorize?${new URLSearchParams({
        ...{ client_id: id, redirect_uri: callback, response_type: "code", scope: "openid" },
        ...more,
      })}`,
    );
  const page = await ask({ scope: "openid email offline_access", prompt: "consent" });
  const form = new URLSearchParams({ step: "password", userName, password });
  const back = await browser.go(await browser.go(page, form));
  const tokens = await tokensFor(url, { id, secret, code: codeIn(back) });
  const code = codeIn(await ask({ prompt: "none" }));
  const session = browser.cookies();
  const open = await ask({ prompt: "login" });
  return {
    ...{ id, secret, code, session, pending: browser.cookies() },
    login: open.split("/").at(-1) ?? "",
    accessToken: String(tokens.access_token),
    refreshToken: String(tokens.refresh_token),
    idToken: String(tokens.id_token),
  };
}

/** A browser that follows nothing by itself, and sends all of its cookies everywhere. */
function openBrowser(url: string) {
  const jar = new Map<string, string>();
  let at = url;
  let own = url;
  return {
    cookies: () => [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
    /** Answers where it is sent. */
    async go(to: string, body?: URLSearchParams): Promise<string> {
      const { pathname, search } = new URL(to, at);
      at = own + pathname + search;
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
      const sent = body === undefined ? {} : { method: "POST", body };
      const headers = { cookie, "sec-fetch-site": "same-origin" };
      const response = await fetch(at, { ...sent, redirect: "manual", headers });
      for (const line of response.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === "") jar.delete(name);
        else jar.set(name, value);
      }
      const location = response.headers.get("location");
      if (location === null) throw new Error(`${at}: ${await response.text()}`);
      const there = new URL(location, at);
      if (there.origin === own || there.pathname !== pathname) return location;
      // The same under the name by which applications know the service.
      own = there.origin;
      return await this.go(to, body);
    },
  };
}

function codeIn(back: string): string {
  const code = new URL(back).searchParams.get("code");
  if (code === null) throw new Error(`nobody was let in: ${back}`);
  return code;
}

async function tokensFor(
  url: string,
  { id, secret, code }: { readonly [name in "id" | "secret" | "code"]: string },
): Promise<JsonObject> {
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
  const body = { grant_type: "authorization_code", code, redirect_uri: callback };
  const response = await fetch(`${url}/oauth/v2/token`, {
    method: "POST",
    headers: { authorization },
    body: new URLSearchParams(body),
  });
  return (await response.json()) as JsonObject;
}
