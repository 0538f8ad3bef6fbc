/** Somebody who logs in: the browser, and the application behind it, one request at a time. */
export interface Person {
  readonly login: string;
  readonly password: string;
}

/** An application that people log in to, with its secret. */
export interface App {
  readonly clientId: string;
  readonly secret: string;
}

/** How far a login has come, by what was answered. */
export interface Login {
  /** The cookies of its browser, by name. */
  readonly cookies: Map<string, string>;
  /** The path that the browser goes to next. */
  at: string;
  /** The form of the page that it shows. */
  form: { readonly action: string; readonly fields: { readonly [name: string]: string } };
  code: string;
  refreshToken: string;
  /** All access tokens that were answered. */
  readonly accessTokens: string[];
  /** Codes and refresh tokens for which others were answered. */
  readonly spent: Grant[];
}

/** What gives tokens once. */
export type Grant =
  | { readonly grant_type: "authorization_code"; readonly code: string }
  | { readonly grant_type: "refresh_token"; readonly refresh_token: string };

/** The steps of a login, in their order; each one is a request. */
export const stepNames = [
  "authorize",
  "page",
  "password",
  "resume",
  "token",
  "refresh",
  "userinfo",
] as const;

export type StepName = (typeof stepNames)[number];

/** A step was answered otherwise than it should be. */
export class Unexpected extends Error {}

/** What does each of the steps at a service; it rejects with `Unexpected`, or where it is cut. */
export type Steps = { readonly [name in StepName]: (login: Login) => Promise<void> };

export const callback = "https://app.example.com/callback";

/** The login of a browser that keeps the cookies. */
export function beginLogin(cookies = new Map<string, string>()): Login {
  return {
    ...{ cookies, at: "", form: { action: "", fields: {} }, code: "", refreshToken: "" },
    ...{ accessTokens: [], spent: [] },
  };
}

/** Makes the steps of a person who logs in to the application. */
export function stepsAt(url: string, app: App, person: Person): Steps {
  return {
    authorize: async (login) => {
      const query = queryOf(app, { scope: "openid offline_access", prompt: "login consent" });
      login.at = leadsTo(await browse(url, login, `/oauth/v2/authorize?${query}`), "/ui/login/");
    },
    page: async (login) => {
      const { status, text } = await browse(url, login, login.at);
      login.form = formOf(text);
      if (status !== 200 || login.form.action === "") throw new Unexpected(`${status}: ${text}`);
    },
    password: async (login) => {
      const { action, fields } = login.form;
      const path = new URL(action, url + login.at).pathname;
      const filled = { ...fields, userName: person.login, password: person.password };
      login.at = leadsTo(await browse(url, login, path, filled), "/oauth/v2/authorize/");
    },
    resume: async (login) => {
      login.code = codeIn(await browse(url, login, login.at));
    },
    token: async (login) => {
      await exchange(login, { grant_type: "authorization_code", code: login.code });
    },
    refresh: async (login) => {
      await exchange(login, { grant_type: "refresh_token", refresh_token: login.refreshToken });
    },
    userinfo: async ({ accessTokens }) => await infoOf(url, accessTokens.at(-1) ?? ""),
  };

  async function exchange(login: Login, grant: Grant): Promise<void> {
    const tokens = await tokensFor(url, app, grant);
    login.accessTokens.push(String(tokens.access_token));
    login.refreshToken = String(tokens.refresh_token);
    login.spent.push(grant);
  }
}

/** Whether the session of a browser is still there: then no password is asked for. */
export async function isLoggedIn(url: string, app: App, login: Login): Promise<boolean> {
  const query = queryOf(app, { scope: "openid", prompt: "none" });
  const { location } = await browse(url, login, `/oauth/v2/authorize?${query}`);
  return URL.parse(location)?.searchParams.has("code") ?? false;
}

/** The tokens for something that is valid once. */
export async function tokensFor(url: string, app: App, grant: Grant) {
  const basic = Buffer.from(`${app.clientId}:${app.secret}`).toString("base64");
  const { status, text } = await send(`${url}/oauth/v2/token`, {
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ redirect_uri: callback, ...grant }),
  });
  if (status !== 200) throw new Unexpected(`${status}: ${text}`);
  return JSON.parse(text) as { readonly [name: string]: unknown };
}

/** Asks whom an access token is of. */
export async function infoOf(url: string, token: string): Promise<void> {
  const { status, text } = await send(`${url}/oidc/v1/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (status !== 200) throw new Unexpected(`${status}: ${text}`);
}

function queryOf({ clientId }: App, more: { readonly [name: string]: string }): URLSearchParams {
  const code = { client_id: clientId, response_type: "code", redirect_uri: callback };
  return new URLSearchParams({ ...code, ...more });
}

interface Answer {
  readonly status: number;
  /** Where it leads; empty where it leads nowhere. */
  readonly location: string;
  readonly cookies: readonly string[];
  readonly text: string;
}

async function send(
  url: string,
  { headers, body }: { readonly headers: Record<string, string>; readonly body?: URLSearchParams },
): Promise<Answer> {
  const init = body === undefined ? {} : { method: "POST", body };
  const response = await fetch(url, { ...init, headers, redirect: "manual" });
  return {
    status: response.status,
    location: response.headers.get("location") ?? "",
    cookies: response.headers.getSetCookie(),
    text: await response.text(),
  };
}

/** Sends what a browser sends, and keeps the cookies that come. */
async function browse(url: string, { cookies }: Login, path: string, form?: object) {
  const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
  const headers = { "sec-fetch-site": "same-origin", ...(cookie === "" ? {} : { cookie }) };
  const body = form && { body: new URLSearchParams({ ...form }) };
  const answer = await send(url + path, { headers, ...body });
  for (const line of answer.cookies) {
    const [pair = ""] = line.split(";", 1);
    const [name = "", value = ""] = pair.split(/=(.*)/s);
    if (/expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }
  return answer;
}

/** The path that an answer leads to, which begins so; the address before it is that of nobody. */
function leadsTo({ status, location, text }: Answer, start: string): string {
  const path = URL.parse(location, "http://127.0.0.1")?.pathname ?? "";
  if (path.startsWith(start)) return path;
  throw new Unexpected(`${status}: ${location} ${text}`);
}

function codeIn({ status, location, text }: Answer): string {
  const code = URL.parse(location)?.searchParams.get("code");
  if (code) return code;
  throw new Unexpected(`${status}: ${location} ${text}`);
}

function formOf(page: string): Login["form"] {
  const [form = "", action = ""] = /<form [^>]*action="([^"]*)".*?<\/form>/s.exec(page) ?? [];
  const hidden = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return {
    action,
    fields: Object.fromEntries([...hidden].map(([, name, value]) => [name, value])),
  };
}
