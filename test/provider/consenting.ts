import { expect } from "@jest/globals";
import { apiScope } from "../../src/provider/token/scopes.ts";
import type { Browser } from "./browser.ts";
import { type App, begin, fetchTokens, type Parties, type Person } from "./relying.ts";

/** What a login asks for that is to call the API of the service. */
export const api = { scope: `openid ${apiScope}` };
/** The same for when the person is away. */
export const offline = { scope: `openid offline_access ${apiScope}` };
export const jwt = { accessTokenType: "OIDC_TOKEN_TYPE_JWT" };

/** What the page says that asks the person. */
export const question = "<h1>Allow access</h1>";

/** Gives a user roles of the instance. */
export const grant = (
  { call }: Parties,
  { userId }: Pick<Person, "userId">,
  roles: readonly string[],
) => call("POST", "/admin/v1/members", { userId, roles });

/** A person who owns the instance. */
export async function givenOwner(parties: Parties): Promise<Person> {
  const person = await parties.givenPerson();
  await grant(parties, person, ["IAM_OWNER"]);
  return person;
}

/** Begins a login, and logs in one who is named; the page that comes is the one that asks. */
export async function ask(
  browser: Browser,
  app: App,
  person: Person | undefined,
  parameters: { readonly [name: string]: string } = api,
) {
  const begun = await begin(app, parameters);
  await browser.open(begun.url.href);
  if (person !== undefined) await browser.send({ ...person }, "password");
  return begun;
}

/** The tokens of an application that the person has let act. */
export async function allowed(browser: Browser, app: App, person: Person, parameters = api) {
  const begun = await ask(browser, app, person, parameters);
  expect(browser.page.text).toContain(question);
  const back = await browser.send({}, "allow");
  return await fetchTokens(app, begun, back.url);
}

/** Calls a method of REST with a token. */
export async function callWith({ server }: Parties, token: string, path: string, body = {}) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(server.url + path, init);
  const answer = (await response.json()) as { readonly [name: string]: unknown };
  return { status: response.status, headers: response.headers, answer };
}
