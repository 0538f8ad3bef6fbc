import { randomBytes } from "node:crypto";
import { Client } from "undici";
import { basicOf, callback, type Parties, type Proof, password, paths } from "./parties.ts";

/** A browser and the application behind it, which share one connection to the server. */
export interface Relying {
  /** Logs a person in with a browser that nobody knows; answers the code. */
  logIn(name: string, scope: string): Promise<string>;
  /** Tokens for a code or a refresh token. */
  fetchTokens(grant: { readonly [name: string]: string }): Promise<Tokens>;
  userinfo(token: string): Promise<void>;
  close(): Promise<void>;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly cookies: readonly string[];
  readonly text: string;
}

/** Opens the connection of one application. */
export function openRelying({ port }: Pick<Parties, "port">, app: Proof): Relying {
  const origin = `http://127.0.0.1:${port}`;
  const client = new Client(origin);

  async function send(path: string, headers: object, form?: object): Promise<Answer> {
    const method = form === undefined ? "GET" : "POST";
    const body = form === undefined ? null : new URLSearchParams({ ...form }).toString();
    const type = form && {
      "content-type": "application/x-www-form-urlencoded",
      // As browsers do of a form of the service's own page.
      "sec-fetch-site": "same-origin",
    };
    const answer = await client.request({ path, method, headers: { ...headers, ...type }, body });
    const { location, "set-cookie": cookies = [] } = answer.headers;
    return {
      status: answer.statusCode,
      location: location === undefined ? undefined : String(location),
      cookies: [cookies].flat(),
      text: await answer.body.text(),
    };
  }

  /** Sends what a browser sends, until a page is shown or it is sent to the application. */
  async function browse(cookies: Map<string, string>, path: string, form?: object) {
    let [at, sent] = [path, form];
    for (;;) {
      const cookie = [...cookies.values()].join("; ");
      const answer = await send(at, cookie === "" ? {} : { cookie }, sent);
      for (const line of answer.cookies) keep(cookies, line);
      if (answer.location === undefined) return { at, text: answer.text, status: answer.status };
      const next = new URL(answer.location, origin + at);
      if (next.hostname !== "127.0.0.1") return { at: next.href, text: "", status: answer.status };
      [at, sent] = [next.pathname + next.search, undefined];
    }
  }

  return {
    async logIn(name, scope) {
      const cookies = new Map<string, string>();
      const query = new URLSearchParams({
        ...{ client_id: app.id, response_type: "code", redirect_uri: callback, scope },
        ...{ state: randomBytes(16).toString("base64url"), ...offline(scope) },
      });
      const page = await browse(cookies, `${paths.authorization}?${query}`);
      const [form = "", action = ""] =
        /<form [^>]*action="([^"]*)".*?<\/form>/s.exec(page.text) ?? [];
      const next = new URL(action, origin + page.at);
      const filled = { ...hiddenIn(form), userName: name, password };
      const back = await browse(cookies, next.pathname, filled);
      const code = URL.parse(back.at)?.searchParams.get("code");
      if (!code) throw new Error(`no login: ${back.status} ${back.at} ${back.text}`);
      return code;
    },
    async fetchTokens(grant) {
      const form = { redirect_uri: callback, ...grant };
      const { status, text } = await send(paths.token, { authorization: basicOf(app) }, form);
      if (status !== 200) throw new Error(`no tokens: ${status} ${text}`);
      return JSON.parse(text) as Tokens;
    },
    async userinfo(token) {
      const { status, text } = await send(paths.userinfo, { authorization: `Bearer ${token}` });
      if (status !== 200) throw new Error(`no userinfo: ${status} ${text}`);
    },
    close: () => client.close(),
  };
}

/** Who acts in a person's absence has to ask the person each time. */
function offline(scope: string) {
  return scope.includes("offline_access") ? { prompt: "consent" } : {};
}

function keep(cookies: Map<string, string>, line: string): void {
  const [pair = ""] = line.split(";", 1);
  const [name = ""] = pair.split("=", 1);
  if (/expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name);
  else cookies.set(name, pair);
}

function hiddenIn(form: string): { readonly [name: string]: string } {
  const hidden = form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g);
  return Object.fromEntries([...hidden].map(([, name, value]) => [name, value]));
}
