import { type Browser, ofOwnPage } from "./browser.ts";
import { type App, begin, type Parties } from "./relying.ts";

/** What an endpoint answers a form with. */
export interface Told {
  readonly status: number;
  readonly body: { readonly [name: string]: unknown };
}

/** Posts a form to a path of the service. */
export async function post(
  { server }: Pick<Parties, "server">,
  path: string,
  fields: { readonly [name: string]: string },
  headers: { readonly [name: string]: string } = {},
): Promise<Told> {
  const body = new URLSearchParams(fields);
  const response = await fetch(server.url + path, { method: "POST", body, headers });
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text === "" ? "{}" : text) as Told["body"] };
}

/** The header by which an application proves itself. */
export function basic(clientId: string, clientSecret: string): { readonly authorization: string } {
  const pair = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return { authorization: `Basic ${pair}` };
}

/** The status with which userinfo answers a token. */
export async function statusOfUserinfo({ server }: Parties, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${server.url}/oidc/v1/userinfo`, { headers })).status;
}

/** Makes an API application of a project; answers what tells whether a token is active for it. */
export async function givenAsker(parties: Parties, project = parties.server.project) {
  const path = `/management/v1/projects/${project}/apps/api`;
  const made = await parties.call("POST", path, {
    ...{ name: crypto.randomUUID(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
  });
  const headers = basic(String(made.clientId), String(made.clientSecret));
  return async (token: string) =>
    (await post(parties, "/oauth/v2/introspect", { token }, headers)).body.active;
}

/** Whether who asks for a login without a word is led back to the application with a code. */
export async function isLetIn(browser: Browser, app: App): Promise<boolean> {
  const { url } = await browser.open((await begin(app, { prompt: "none" })).url.href);
  return url.includes("code=");
}

/** What a browser sends along with a form of the service: its cookies, and where it is from. */
export function cookiesOf({ cookies }: Browser): { readonly [name: string]: string } {
  const cookie = [...cookies.values()].map(({ name, value }) => `${name}=${value}`).join("; ");
  return { ...ofOwnPage, cookie };
}
