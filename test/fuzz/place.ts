import type { JsonObject } from "@bufbuild/protobuf";
import { makeSignedIn, type SignedIn } from "./signed-in.ts";

/** What there is to ask about, with tokens of those who may do all, little and nothing any more. */
export interface FuzzPlace {
  readonly owner: string;
  /** The token of one who may read users of the organization. */
  readonly weak: string;
  /** A token that was removed. */
  readonly removed: string;
  readonly organization: string;
  readonly project: string;
  readonly app: string;
  readonly apiApp: string;
  readonly action: string;
  readonly idp: string;
  readonly machine: string;
  readonly tokenId: string;
  /** A person with a phone, and with a link to register a passkey. */
  readonly human: string;
  readonly codeId: string;
  readonly code: string;
  /** An application that a person is logged in to, and an API that may ask about its tokens. */
  readonly client: SignedIn;
  readonly api: Pick<SignedIn, "id" | "secret">;
  /** What was there before, from which things are taken away. */
  readonly before?: FuzzPlace;
}

/**
 * Makes a place by calls of an owner, with names that end in the given text. Requests use places
 * up, which is why there is another one for each thousand of them.
 */
export async function makePlace(url: string, owner: string, ending: string): Promise<FuzzPlace> {
  const make = (path: string, message: object) => post(url + path, owner, message);
  const name = `fuzz ${ending}`;
  const management = "/management/v1";
  const users = `${management}/users`;

  const project = textOf(await make(`${management}/projects`, { name }), "id");
  const apps = `${management}/projects/${project}/apps`;
  const oidc = { name, redirectUris: ["https://app.example.com/callback"] };
  const app = textOf(await make(`${apps}/oidc`, oidc), "appId");
  const madeApi = await make(`${apps}/api`, { name: `${name} api` });
  const apiApp = textOf(madeApi, "appId");
  const api = { id: textOf(madeApi, "clientId"), secret: textOf(madeApi, "clientSecret") };
  const client = await makeSignedIn(url, project, make);
  const action = textOf(await make(`${management}/actions`, { name, script: "let a = 1" }), "id");
  const provider = { name, issuer: "https://idp.example.com", clientId: "iam", clientSecret: "s" };
  const idp = textOf(await make(`${management}/idps/oidc`, provider), "idpId");

  const machine = textOf(await make(`${users}/machine`, { userName: name, name }), "userId");
  const token = () => make(`${users}/${machine}/pats`, {});
  const [weak, removed] = [await token(), await token()];
  const tokenId = textOf(removed, "tokenId");
  await post(`${url}${users}/${machine}/pats/${tokenId}`, owner, undefined, { method: "DELETE" });
  const members = `${management}/orgs/me/members`;
  const member = await make(members, { userId: machine, roles: ["ORG_USER_MANAGER"] });
  const human = await make(`${users}/human/_import`, {
    userName: `human ${ending}`,
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com" },
    phone: { phone: "+41446681800" },
    requestPasswordlessRegistration: true,
  });
  const { link } = human.passwordlessRegistration as { readonly link: string };
  const { searchParams } = new URL(link);
  return {
    owner,
    weak: textOf(weak, "token"),
    removed: textOf(removed, "token"),
    organization: textOf(member.details as JsonObject, "resourceOwner"),
    ...{ project, app, apiApp, action, idp, machine, client, api },
    tokenId: textOf(weak, "tokenId"),
    human: textOf(human, "userId"),
    codeId: searchParams.get("codeID") ?? "",
    code: searchParams.get("code") ?? "",
  };
}

/** Sends a message as JSON; answers the other one. Rejects where it is refused. */
export async function post(
  url: string,
  token: string,
  message: object | undefined,
  { method = "POST", headers = {} }: Pick<RequestInit, "method" | "headers"> = {},
): Promise<JsonObject> {
  const authorization = `Bearer ${token}`;
  const response = await fetch(url, {
    method,
    headers: { authorization, "content-type": "application/json", ...headers },
    ...(message === undefined ? {} : { body: JSON.stringify(message) }),
  });
  if (!response.ok) throw new Error(`${url} was refused: ${await response.text()}`);
  return (await response.json()) as JsonObject;
}

export function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  if (typeof value !== "string") throw new Error(`an answer has no ${name}`);
  return value;
}
