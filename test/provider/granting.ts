import { v7 } from "uuid";
import type { Parties, Person } from "./relying.ts";

/** Projects with roles, and what people and machines hold of them. */

/** A project with roles of these keys. */
export async function givenProjectOf(
  { call }: Parties,
  keys: readonly string[],
  given: object = {},
): Promise<string> {
  const { id } = await call("POST", "/management/v1/projects", { name: v7(), ...given });
  await addRoles({ call }, String(id), keys);
  return String(id);
}

export async function addRoles(
  { call }: Pick<Parties, "call">,
  project: string,
  keys: readonly string[],
  owner?: string,
): Promise<void> {
  const roles = keys.map((key) => ({ key, displayName: key }));
  for (let at = 0; at < roles.length; at += 100) {
    const body = { roles: roles.slice(at, at + 100) };
    await call("POST", `/management/v1/projects/${project}/roles/_bulk`, body, owner);
  }
}

/** Grants roles; answers the path of the grant. */
export async function grantRoles(
  { call }: Parties,
  { userId }: Pick<Person, "userId">,
  projectId: string,
  roleKeys: readonly string[],
  owner?: string,
): Promise<string> {
  const path = `/management/v1/users/${userId}/grants`;
  const { userGrantId } = await call("POST", path, { projectId, roleKeys }, owner);
  return `${path}/${String(userGrantId)}`;
}

/** Grants a project with these roles to another organization; answers the id and path of that. */
export async function grantProject(
  { call }: Parties,
  project: string,
  { to, roleKeys, owner }: { to: string; roleKeys?: readonly string[]; owner?: string },
) {
  const grants = `/management/v1/projects/${project}/grants`;
  const { grantId } = await call("POST", grants, { grantedOrgId: to, roleKeys }, owner);
  return { id: String(grantId), path: `${grants}/${String(grantId)}` };
}

/** What a token says, or is said of it. */
export interface Said {
  readonly [claim: string]: unknown;
}

export const claimsIn = (token: string | undefined): Said =>
  JSON.parse(Buffer.from(String(token?.split(".")[1]), "base64url").toString()) as Said;

export async function userinfoOf({ server }: Parties, token: string): Promise<Said> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${server.url}/oidc/v1/userinfo`, { headers });
  return (await response.json()) as Said;
}

/** Makes what says of a token what an API application of the project is told. */
export async function givenAskerOf(parties: Parties, project: string) {
  const path = `/management/v1/projects/${project}/apps/api`;
  const { clientId, clientSecret } = await parties.call("POST", path, {
    ...{ name: v7(), authMethodType: "API_AUTH_METHOD_TYPE_BASIC" },
  });
  const pair = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  return async (token: string): Promise<Said> => {
    const response = await fetch(`${parties.server.url}/oauth/v2/introspect`, {
      method: "POST",
      headers: { authorization: `Basic ${pair}` },
      body: new URLSearchParams({ token }),
    });
    return (await response.json()) as Said;
  };
}

/** The claims of roles, as they are said by whatever says them. */
export function rolesSaid(said: Said): Said {
  return Object.fromEntries(
    Object.entries(said).filter(([name]) => /^urn:iam:org:project:.*roles/.test(name)),
  );
}

/** The claims of roles that name their project. */
export function rolesById({ "urn:iam:org:project:roles": _own, ...claims }: Said): Said {
  return claims;
}

/** The claims of an own project. */
export function ownRoles(project: string, organization: string, keys: readonly string[]): Said {
  const roles = Object.fromEntries(keys.map((key) => [key, { [organization]: "" }]));
  return { ...othersRoles(project, organization, keys), "urn:iam:org:project:roles": roles };
}

/** The claim of another project. */
export function othersRoles(project: string, organization: string, keys: readonly string[]): Said {
  const roles = Object.fromEntries(keys.map((key) => [key, { [organization]: "" }]));
  return { [`urn:iam:org:project:${project}:roles`]: roles };
}
