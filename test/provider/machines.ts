import { createPrivateKey, type KeyObject } from "node:crypto";
import { expect } from "@jest/globals";
import { SignJWT } from "jose";
import { v7 } from "uuid";
import { apiScope } from "../../src/provider/token/scopes.ts";
import { givenAsker, post, statusOfUserinfo, type Told } from "./asking.ts";
import type { Parties } from "./relying.ts";

/** The file that AddMachineKey answers. */
export interface KeyFile {
  readonly type: string;
  readonly keyId: string;
  readonly key: string;
  readonly userId: string;
}

/** A machine with a key. */
export interface Signer {
  readonly userId: string;
  readonly path: string;
  readonly file: KeyFile;
}

/** Makes a machine that owns its organization, and gives it a key. */
export async function givenSigner(
  parties: Parties,
  { accessTokenType = "ACCESS_TOKEN_TYPE_BEARER", ending = {} } = {},
): Promise<Signer> {
  const machine = { userName: v7(), name: "A robot", accessTokenType };
  const { userId } = await parties.call("POST", "/management/v1/users/machine", machine);
  const owner = { userId, roles: ["ORG_OWNER"] };
  await parties.call("POST", "/management/v1/orgs/me/members", owner);
  const path = `/management/v1/users/${String(userId)}`;
  return { userId: String(userId), path, file: await addKey(parties, path, ending) };
}

/** Gives a machine one more key. */
export async function addKey(parties: Parties, path: string, more: object = {}): Promise<KeyFile> {
  const { keyDetails } = await parties.call("POST", `${path}/keys`, more);
  return JSON.parse(Buffer.from(String(keyDetails), "base64").toString());
}

/** What a machine asserts, but for what is told. */
export interface Odd {
  readonly header?: object;
  readonly claims?: object;
  readonly key?: KeyObject;
}

/** Signs as libraries of service accounts do: for an hour, without an id. */
export async function assertionOf(
  { server }: Pick<Parties, "server">,
  { keyId, key, userId }: KeyFile,
  { header = {}, claims = {}, key: other = createPrivateKey(key) }: Odd = {},
): Promise<string> {
  const iat = Math.floor(Date.now() / 1_000);
  const all = { iss: userId, sub: userId, aud: server.url, iat, exp: iat + 3_600, ...claims };
  return await new SignJWT(all)
    .setProtectedHeader({ alg: "RS256", kid: keyId, ...header })
    .sign(other);
}

export const machineGrant = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Asks for tokens by an assertion. */
export async function askFor(
  parties: Pick<Parties, "server">,
  assertion: string,
  more: { readonly [name: string]: string } = {},
  headers: { readonly [name: string]: string } = {},
): Promise<Told> {
  const fields = { grant_type: machineGrant, assertion, ...more };
  return await post(parties, "/oauth/v2/token", fields, headers);
}

/** What is answered to any assertion that is none. */
export const refusedGrant = {
  status: 400,
  body: { error: "invalid_grant", error_description: "grant request is invalid" },
} as const;

/** The access token that a machine gets by its key. */
export async function machineToken(
  parties: Parties,
  file: KeyFile,
  scope = `openid ${apiScope}`,
): Promise<string> {
  const { body } = await askFor(parties, await assertionOf(parties, file), { scope });
  return String(body.access_token);
}

/** The status with which the API answers a call by a token. */
export async function projectStatus({ server }: Parties, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const url = `${server.url}/management/v1/projects`;
  return (await fetch(url, { method: "POST", headers, body: `{"name": "${v7()}"}` })).status;
}

/** Whether a token is one for all who may be asked: introspection, userinfo and the API. */
export async function isGoodToken(parties: Parties, token: string): Promise<boolean> {
  const isActive = await (await givenAsker(parties))(token);
  const told = [await statusOfUserinfo(parties, token), await projectStatus(parties, token)];
  expect(told).toEqual(isActive === true ? [200, 200] : [401, 401]);
  return isActive === true;
}
