import type { JsonObject } from "@bufbuild/protobuf";
import { type Asserting, assertPasskey, ellipticPair, register } from "../cases/webauthn.ts";
import type { Browser, Page } from "./browser.ts";
import type { Parties, Person } from "./relying.ts";

/** A person with a passkey, and the device that has it. */
export interface Holder extends Person {
  readonly passkey: Asserting;
}

/** Creates a person who has registered a passkey, by a link that the holder of the token made. */
export async function givenHolder(
  parties: Parties,
  given: object = {},
  token = parties.server.admin.token,
): Promise<Holder> {
  const person = await parties.givenPerson(given);
  const { userId } = person;
  const path = `/management/v1/users/${userId}/passwordless/_link`;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const made = await fetch(parties.server.url + path, { method: "POST", headers, body: "{}" });
  const { link } = (await made.json()) as { readonly link: string };
  return { ...person, passkey: await registerAt(parties, person, link) };
}

/** Registers a passkey of a device, at a link for the person. */
export async function registerAt(
  parties: Parties,
  { userId }: Pick<Person, "userId">,
  link: string,
): Promise<Asserting> {
  const { searchParams } = new URL(link);
  const [codeId, code] = [searchParams.get("codeID"), searchParams.get("code")];
  const shown = { userId, codeId, code };
  const service = "/iam.account.v1.AccountService";
  const { options } = await parties.call("POST", `${service}/BeginPasskey`, shown);
  const { key, privateKey } = ellipticPair();
  const origin = parties.server.url;
  const { credential, credentialId } = register(options as JsonObject, { origin, key });
  await parties.call("POST", `${service}/FinishPasskey`, { ...shown, credential });
  const userHandle = Buffer.from(userId).toString("base64url");
  return { origin, credentialId, privateKey, userHandle };
}

/** What a page asks the browser for. */
export function optionsIn({ text }: Pick<Page, "text">): JsonObject {
  const [, options = ""] = /data-options="([^"]*)"/.exec(text) ?? [];
  return JSON.parse(options.replaceAll("&quot;", '"')) as JsonObject;
}

/** Shows a passkey on the page that asks for one, as a device does but for what is said. */
export function showPasskey(
  browser: Browser,
  passkey: Asserting,
  device: Partial<Asserting> = {},
): Promise<Page> {
  const shown = assertPasskey(optionsIn(browser.page), { ...passkey, ...device });
  return browser.send(shown, "assertion");
}
