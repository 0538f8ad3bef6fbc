import { v7 } from "uuid";
import { type ActionEvent, action } from "../../src/domain/action.ts";
import { type AppEvent, app } from "../../src/domain/app/app.ts";
import type { Membership } from "../../src/domain/permission.ts";
import { type ProjectEvent, project, setUpProject } from "../../src/domain/project.ts";
import { user } from "../../src/domain/user/user.ts";
import type { Outcome } from "../../src/execute/execute.ts";
import { givenJWTProvider, givenOIDCProvider } from "../cases/idps.ts";
import { oidcDefaults } from "../cases/stored.ts";
import { givenProject, givenUser, type TestServer } from "../harness/server.ts";
import type { RequestIds } from "./request.ts";
import type { AccessWorld } from "./world.ts";

/** Where what an accepted call acts on lies: ids, and which of the world's providers it is like. */
export interface SubjectPlace {
  /** Of what is written. */
  readonly organization: string;
  /** Of the call. */
  readonly target: string;
  readonly project: string;
  readonly isServing: boolean;
}

/**
 * What an accepted call acts on, which no other call has to do with: in the state that the method
 * needs. Nothing for methods that make something, or only read.
 */
export async function subjectFor(
  { server, givenPerson }: AccessWorld,
  method: string,
  { organization, target, project: projectId, isServing }: SubjectPlace,
): Promise<RequestIds> {
  const member = async (memberships: readonly Membership[] = []) => {
    const { userId, tokenId } = await givenUser(server, organization, memberships);
    return { user: userId, token: tokenId };
  };
  switch (method) {
    case "AddIAMMember":
    case "AddOrgMember":
    case "AddProjectMember":
    case "AddPersonalAccessToken":
    case "RemovePersonalAccessToken":
    case "DeactivateUser":
    case "RemoveUser":
      return member();
    case "ReactivateUser": {
      const ids = await member();
      await deactivateUser(server, ids.user);
      return ids;
    }
    case "SetPhone":
    case "ResendPhoneCode":
    case "VerifyPhone":
    case "RemovePhone":
      return { user: (await givenPerson(organization)).userId };
    case "RemoveIAMMember":
      return member([{ scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] }]);
    case "RemoveOrgMember": {
      const scope = { level: "organization", organization: target } as const;
      return member([{ scope, roles: ["ORG_USER_MANAGER"] }]);
    }
    case "RemoveProjectMember": {
      const scope = { level: "project", organization: target, project: projectId } as const;
      return member([{ scope, roles: ["PROJECT_OWNER"] }]);
    }
    case "DeactivateProject":
    case "RemoveProject":
      return { project: await givenProject(server, organization) };
    case "ReactivateProject":
      return { project: await givenInactiveProject(server, organization) };
    case "DeactivateApp":
    case "RemoveApp":
    case "RegenerateOIDCClientSecret":
      return { app: await givenApp(server, organization, oidcApp(projectId)) };
    case "RegenerateAPIClientSecret":
      return { app: await givenApp(server, organization, apiApp(projectId)) };
    case "ReactivateApp": {
      const events = [...oidcApp(projectId), deactivated("project.application.deactivated")];
      return { app: await givenApp(server, organization, events) };
    }
    case "RemoveIDP":
    case "RemoveOrgIDP":
      return {
        idp: await (isServing
          ? givenJWTProvider(server, organization)
          : givenOIDCProvider(server, organization, { clientSecret: "secret" })),
      };
    case "DeactivateAction":
    case "DeleteAction":
      return { action: await givenAction(server, organization) };
    case "ReactivateAction":
      return {
        action: await givenAction(server, organization, [deactivated("action.deactivated")]),
      };
    default:
      return {};
  }
}

/** An application of the project, made without a call. */
export async function givenApp(
  { execute }: TestServer,
  owner: string,
  events: readonly AppEvent[],
): Promise<string> {
  const id = v7();
  const outcome = await execute({
    actor: "test",
    writes: { app: { noun: app, id, owner } },
    relies: {},
    decide: () => ({ events: { app: events } }),
  });
  return accepted(outcome, id);
}

/** An OIDC application whose clients have a secret. */
export function oidcApp(projectId: string): readonly AppEvent[] {
  const client = { clientId: v7(), clientSecretHash: "00" };
  return [
    { type: "project.application.added", payload: { projectId, name: v7() } },
    { type: "project.application.config.oidc.added", payload: { ...client, ...oidcDefaults } },
  ];
}

/** An action of the organization, made without a call. */
export async function givenAction(
  { execute }: TestServer,
  owner: string,
  more: readonly ActionEvent[] = [],
): Promise<string> {
  const id = v7();
  const payload = { name: id, script: "1", timeoutNanos: 1, allowedToFail: false };
  const events: readonly ActionEvent[] = [{ type: "action.added", payload }, ...more];
  const outcome = await execute({
    actor: "test",
    writes: { action: { noun: action, id, owner } },
    relies: {},
    decide: () => ({ events: { action: events } }),
  });
  return accepted(outcome, id);
}

async function givenInactiveProject({ execute }: TestServer, owner: string): Promise<string> {
  const id = v7();
  const events: readonly ProjectEvent[] = [...setUpProject(id), deactivated("project.deactivated")];
  const outcome = await execute({
    actor: "test",
    writes: { project: { noun: project, id, owner } },
    relies: {},
    decide: () => ({ events: { project: events } }),
  });
  return accepted(outcome, id);
}

async function deactivateUser({ execute }: TestServer, id: string): Promise<void> {
  const outcome = await execute({
    actor: "test",
    writes: { user: { noun: user, id } },
    relies: {},
    decide: () => ({ events: { user: [deactivated("user.deactivated")] } }),
  });
  accepted(outcome, id);
}

function apiApp(projectId: string): readonly AppEvent[] {
  const client = { clientId: v7(), clientSecretHash: "00", authMethod: "BASIC" } as const;
  return [
    { type: "project.application.added", payload: { projectId, name: v7() } },
    { type: "project.application.config.api.added", payload: client },
  ];
}

function deactivated<Type extends string>(type: Type) {
  return { type, payload: {} };
}

function accepted({ kind }: Outcome, id: string): string {
  if (kind !== "done") throw new Error(`what a call was to act on was not accepted: ${kind}`);
  return id;
}
