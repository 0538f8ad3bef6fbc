import { type OrgEvent, org } from "../../src/domain/org.ts";
import type { Membership } from "../../src/domain/permission.ts";
import { label } from "../../src/domain/policy/label.ts";
import { login } from "../../src/domain/policy/login.ts";
import { privacy } from "../../src/domain/policy/privacy.ts";
import { metadata } from "../../src/domain/user/metadata.ts";
import { createClearing } from "../../src/start/clear.ts";
import { givenOrganization, givenProject, givenUser, type TestServer } from "../harness/server.ts";
import { givenFlow } from "./flows.ts";
import { apiConfig, givenActionOf, givenAppOf, recorded } from "./given.ts";
import { givenGrant, givenRole } from "./grants.ts";
import { givenGroup, givenGroupGrant, joined } from "./groups.ts";
import { givenIDP } from "./humans.ts";
import { givenHuman } from "./users.ts";

/** Records an event of the organization, without a call. */
export async function recordedOrg(server: TestServer, id: string, event: OrgEvent): Promise<void> {
  await recorded(server, org, id, [event], id);
}

/** The headers by which a call acts on the organization. */
export const on = (organization: string) => ({ "x-service-orgid": organization });

/** The token of a user of the organization who owns it. */
export async function ownerOf(server: TestServer, organization: string): Promise<string> {
  return (await givenUser(server, organization, [ownerIn(organization)])).token;
}

/** The roles of an owner of the organization. */
export function ownerIn(organization: string): Membership {
  return { scope: { level: "organization", organization }, roles: ["ORG_OWNER"] };
}

/** An organization with one thing of each kind, and with a member from elsewhere. */
export async function givenWholeOrg(server: TestServer, name: string) {
  const id = await givenOrganization(server, name);
  const project = await givenProject(server, id);
  const app = await givenAppOf(server, id, { projectId: project }, apiConfig());
  const role = await givenRole(server, id, project);
  const action = await givenActionOf(server, id);
  await givenFlow(server, id, { 4: [action] });
  const idp = await givenIDP(server, id, "ORGANIZATION");
  await givenPolicies(server, id);
  const person = await givenHuman(server, id, { userName: `person ${name}` });
  await givenKey(server, id, person);
  const granted = { userId: person, projectId: project, roleIds: [role] };
  const grant = await givenGrant(server, id, granted);
  const group = await givenGroup(server, id);
  await joined(server, id, person, group);
  const reaching = { groupId: group, projectId: project, roleIds: [role] };
  const groupGrant = await givenGroupGrant(server, id, reaching);
  const { userId: member } = await givenUser(server, server.admin.organization, [
    ownerIn(id),
    { scope: { level: "project", organization: id, project }, roles: ["PROJECT_OWNER"] },
  ]);
  const all = { id, project, app, role, grant, group, groupGrant, action, idp, person, member };
  return { ...all, token: await ownerOf(server, id) };
}

/** A policy of each kind. */
async function givenPolicies(server: TestServer, id: string): Promise<void> {
  const { images: _images, ...colours } = label.defaults;
  const added = { type: "policy.label.added", payload: colours } as const;
  await recorded(server, label.noun, id, [added], id);
  const ofLogin = { type: "policy.login.added", payload: login.defaults } as const;
  await recorded(server, login.noun, id, [ofLogin], id);
  const links = { type: "policy.privacy.added", payload: privacy.defaults } as const;
  await recorded(server, privacy.noun, id, [links], id);
}

/** A key of the metadata of a user. */
export function givenKey(
  server: TestServer,
  owner: string,
  userId: string,
  key = "plan",
): Promise<string> {
  const payload = { userId, key, value: "" };
  return recorded(server, metadata, owner, [{ type: "user.metadata.set", payload }]);
}

/** One turn of what ends the rest of removed organizations. */
export async function clear(
  server: Pick<TestServer, "store" | "execute">,
  limits: Parameters<typeof createClearing>[0]["limits"] = {},
): Promise<void> {
  await createClearing({ ...server, limits })();
}
