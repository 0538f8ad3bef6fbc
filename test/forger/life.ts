import { createHash } from "node:crypto";
import { sqliteLimits } from "../../src/store/sqlite/limits.ts";
import { images } from "../domain/image/images.ts";
import { openBrowser } from "../provider/browser.ts";

/** What there is to forge, and what one who forges has: no key and no role. */
export interface Life {
  readonly admin: string;
  /** A machine without a role, with a token and a client secret. */
  readonly low: { readonly id: string; readonly token: string; readonly access: string };
  /** A machine that owns the instance, and what a stolen row says of its client secret. */
  readonly robot: { readonly id: string; readonly access: string };
  /** An owner who had a token on the day before. */
  readonly gone: { readonly id: string; readonly token: string; readonly tokenId: string };
  /** The id of a person who was there on the day before, and was erased since. */
  readonly erased: string;
  readonly app: { readonly clientId: string };
  /** The path of the logo of the instance. */
  readonly image: string;
  /** A person who owns the instance, and one without a role, each logged in. */
  readonly owner: Person;
  readonly person: Person;
  /** A refresh token of the person without a role, which was used. */
  readonly spent: string;
  /** Ids of projects, by the name of each, which is the idempotency key of its call as well. */
  readonly answered: { readonly once: string; readonly twice: string };
}

interface Person {
  readonly id: string;
  readonly userName: string;
  readonly access: string;
  readonly refresh: string;
  readonly session: string;
}

export const callback = "https://app.example.com/callback";
export const password = "correct horse battery";
const scope = "openid profile offline_access";
export const apiScope = "openid urn:iam:org:project:id:iam:aud";

export interface Told {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: it has the members that who asks knows of.
  readonly body: any;
}

/** Calls a method of REST. */
export async function call(
  url: string,
  token: string,
  verb: string,
  path: string,
  body?: object,
  others: { readonly [header: string]: string } = {},
): Promise<Told> {
  const headers = {
    ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...others,
  };
  const more = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url + path, { method: verb, headers, ...more });
  return { status: response.status, body: await response.json().catch(() => ({})) };
}

/** Adds a project by a call that has its name as idempotency key; answers the id. */
export async function addOnce(url: string, token: string, name: string): Promise<string> {
  const path = "/management/v1/projects";
  const { body } = await call(url, token, "POST", path, { name }, { "idempotency-key": name });
  return String(body.id);
}

/** Posts a form to the token endpoint. */
export async function askForToken(url: string, fields: object): Promise<Told> {
  const body = new URLSearchParams({ ...fields } as Record<string, string>);
  const response = await fetch(`${url}/oauth/v2/token`, { method: "POST", body });
  return { status: response.status, body: await response.json() };
}

/** A login that somebody begins, with what binds its code. */
export function beginLogin(url: string, clientId: string, more: object = {}) {
  const verifier = "v".repeat(43);
  const query = new URLSearchParams({
    ...{ client_id: clientId, redirect_uri: callback, response_type: "code", scope },
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    ...{ code_challenge_method: "S256", prompt: "consent", state: "s", ...more },
  });
  const redeem = (code: string) =>
    askForToken(url, {
      ...{ grant_type: "authorization_code", client_id: clientId, redirect_uri: callback },
      ...{ code, code_verifier: verifier },
    });
  return { path: `/oauth/v2/authorize?${query}`, redeem };
}

/** Tokens of one who logs in with a name, and the cookie of the session. */
async function logIn(url: string, clientId: string, userName: string) {
  const browser = openBrowser(url);
  const { path, redeem } = beginLogin(url, clientId);
  await browser.open(path);
  let page = await browser.send({ userName, password });
  if (!page.url.startsWith(callback)) page = await browser.send({}, "proceed");
  const { body } = await redeem(new URL(page.url).searchParams.get("code") ?? "");
  const session = browser.cookies.get("iam.session")?.value ?? "";
  return { access: String(body.access_token), refresh: String(body.refresh_token), session };
}

/** Lives up to the day before on a service that has just begun; answers what goes on then. */
export async function livedBefore(url: string, admin: string): Promise<() => Promise<Life>> {
  const as = (verb: string, path: string, body?: object) => call(url, admin, verb, path, body);
  const users = "/management/v1/users";
  const machine = async (userName: string) =>
    String((await as("POST", `${users}/machine`, { userName, name: userName })).body.userId);
  const raise = (userId: string) =>
    as("POST", "/admin/v1/members", { userId, roles: ["IAM_OWNER"] });
  const tokenOf = async (id: string) => (await as("POST", `${users}/${id}/pats`, {})).body;
  const secretOf = async (id: string) => {
    const { body } = await as("PUT", `${users}/${id}/secret`, {});
    const asked = { grant_type: "client_credentials", scope: apiScope };
    const { clientId: client_id, clientSecret: client_secret } = body;
    return String(
      (await askForToken(url, { ...asked, client_id, client_secret })).body.access_token,
    );
  };
  const person = async (userName: string) =>
    String(
      (
        await as("POST", `${users}/human/_import`, {
          ...{ userName, password, profile: { firstName: "Ada", lastName: "Lovelace" } },
          email: { email: `${userName}@example.com`, isEmailVerified: true },
        })
      ).body.userId,
    );
  await age(url, admin);
  const { id: projectId } = (await as("POST", "/management/v1/projects", { name: "Before" })).body;
  const goneId = await machine("gone");
  await raise(goneId);
  const { token, tokenId } = await tokenOf(goneId);
  const gone = { id: goneId, token: String(token), tokenId: String(tokenId) };
  const erased = await person("erased");
  return async () => {
    await as("DELETE", `${users}/${gone.id}/pats/${gone.tokenId}`);
    await as("POST", `${users}/${erased}/_erase`, {});
    for (const name of ["Secret", "After"]) await as("POST", "/management/v1/projects", { name });
    const logo = await as("POST", "/management/v1/assets", {
      ...{ kind: "ASSET_KIND_LOGO", theme: "ASSET_THEME_LIGHT", data: images.png, instance: true },
    });
    const once = await addOnce(url, admin, "once");
    const twice = await addOnce(url, admin, "twice");
    const made = await as("POST", `/management/v1/projects/${projectId}/apps/oidc`, {
      ...{ name: "App", redirectUris: [callback], authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE" },
      responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
      grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE", "OIDC_GRANT_TYPE_REFRESH_TOKEN"],
    });
    const clientId = String(made.body.clientId);
    const [lowId, robotId] = [await machine("low"), await machine("robot")];
    const low = {
      ...{ id: lowId, token: String((await tokenOf(lowId)).token), access: await secretOf(lowId) },
    };
    await raise(robotId);
    const robot = { id: robotId, access: await secretOf(robotId) };
    const ids = [await person("owner"), await person("person")] as const;
    await raise(ids[0]);
    const owner = { id: ids[0], userName: "owner", ...(await logIn(url, clientId, "owner")) };
    const before = await logIn(url, clientId, "person");
    const asked = { grant_type: "refresh_token", client_id: clientId };
    const { body } = await askForToken(url, { ...asked, refresh_token: before.refresh });
    const now = { access: String(body.access_token), refresh: String(body.refresh_token) };
    const lowPerson = { id: ids[1], userName: "person", session: before.session, ...now };
    return {
      ...{ admin, low, robot, gone, erased, app: { clientId }, owner, person: lowPerson },
      ...{ spent: before.refresh, answered: { once, twice } },
      image: new URL(String(logo.body.url)).pathname,
    };
  };
}

/** Adds so many projects that a start no longer checks the events before them one by one. */
async function age(url: string, admin: string): Promise<void> {
  const path = "/management/v1/projects";
  const names = Array.from({ length: sqliteLimits.checkedEvents }, (_, i) => `Old ${i}`);
  while (names.length > 0) {
    const some = names.splice(-50);
    await Promise.all(some.map((name) => call(url, admin, "POST", path, { name })));
  }
}
