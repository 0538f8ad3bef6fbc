import { randomBytes } from "node:crypto";
import { Client } from "undici";
import { basicOf, callback, type Parties, type Proof, password, paths } from "./parties.ts";

/** A browser and the application behind it, which share one connection to the server. */
export interface Relying {
  /** Logs a person in with a browser that nobody knows; answers the code. */
  logIn(name: string, scope: string): Promise<string>;
  /** The same by the provider elsewhere. */
  logInElsewhere(name: string, scope: string): Promise<string>;
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
export function openRelying(
  { port, elsewhere }: Pick<Parties, "port" | "elsewhere">,
  app: Proof,
): Relying {
  const { send, browse, close } = openSite(port);
  const site = elsewhere && openSite(elsewhere.port);

  const askedBy = (scope: string, more: object = {}) => {
    const query = new URLSearchParams({
      ...{ client_id: app.id, response_type: "code", redirect_uri: callback, scope },
      ...{ state: randomBytes(16).toString("base64url"), ...offline(scope), ...more },
    });
    return `${paths.authorization}?${query}`;
  };

  return {
    async logIn(name, scope) {
      const cookies = new Map<string, string>();
      const page = await browse(cookies, askedBy(scope));
      const [form = "", action = ""] =
        /<form [^>]*action="([^"]*)".*?<\/form>/s.exec(page.text) ?? [];
      const next = new URL(action, page.at);
      const filled = { ...hiddenIn(form), userName: name, password };
      return codeIn(await browse(cookies, next.pathname, filled));
    },
    async logInElsewhere(name, scope) {
      if (!site || !elsewhere) throw new Error("there is no provider elsewhere");
      const cookies = new Map<string, string>();
      const sent = await browse(cookies, askedBy(scope, { idp_hint: elsewhere.idpId }));
      const there = new URL(sent.at);
      // As who one comes there is what a person would type.
      there.searchParams.set("login_hint", name);
      const { at, text } = await site.browse(new Map(), there.pathname + there.search);
      const back = new URL(at);
      if (back.port !== String(port)) throw new Error(`not led back: ${at} ${text}`);
      return codeIn(await browse(cookies, back.pathname + back.search));
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
    close: async () => {
      await Promise.all([close(), site?.close()]);
    },
  };
}

interface Shown {
  /** The whole address. */
  readonly at: string;
  readonly text: string;
  readonly status: number;
}

function codeIn({ at, status, text }: Shown): string {
  const code = URL.parse(at)?.searchParams.get("code");
  if (!code) throw new Error(`no login: ${status} ${at} ${text}`);
  return code;
}

/** Opens the connection to one server on this machine. */
function openSite(port: number) {
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

  /** Sends what a browser sends, until a page is shown or it is sent to another site. */
  async function browse(cookies: Map<string, string>, path: string, form?: object): Promise<Shown> {
    let [at, sent] = [path, form];
    for (;;) {
      const cookie = [...cookies.values()].join("; ");
      const answer = await send(at, cookie === "" ? {} : { cookie }, sent);
      for (const line of answer.cookies) keep(cookies, line);
      const { location, text, status } = answer;
      if (location === undefined) return { at: origin + at, text, status };
      const next = new URL(location, origin + at);
      // A public URL may leave out the port.
      const isHere = next.hostname === "127.0.0.1" && ["", String(port)].includes(next.port);
      if (!isHere) return { at: next.href, text: "", status };
      [at, sent] = [next.pathname + next.search, undefined];
    }
  }

  return { send, browse, close: () => client.close() };
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
