import { accept, type Decision, reject } from "./decision.ts";
import { foldName, rejectName } from "./name.ts";
import { type Nothing, type Noun, saysSame } from "./noun.ts";
import { evolvePlain, refuseSameStatus, type Status } from "./status.ts";

/** A project: the frame in which an organization's applications live. */
export type ProjectEvent =
  | { readonly type: "project.added" | "project.changed"; readonly payload: ProjectInput }
  | {
      readonly type: "project.deactivated" | "project.reactivated" | "project.removed";
      readonly payload: Nothing;
    };

/** A project as a caller describes it. */
export interface ProjectInput {
  readonly name: string;
  readonly projectRoleAssertion: boolean;
  readonly projectRoleCheck: boolean;
  readonly hasProjectCheck: boolean;
  readonly privateLabelingSetting: PrivateLabelingSetting;
}

/** Whose branding the login shows: unspecified leaves the choice to the caller's context. */
export type PrivateLabelingSetting =
  | "UNSPECIFIED"
  | "ENFORCE_PROJECT_RESOURCE_OWNER_POLICY"
  | "ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY";

/** A project as its events leave it. */
export interface ProjectState extends ProjectInput, Status {
  /** The organization it belongs to. */
  readonly organization: string;
}

/** The noun of projects. */
export const project: Noun<ProjectState, ProjectEvent> = {
  kind: "project",
  events: {
    "project.added": "A project was created",
    "project.changed": "Its name and settings were replaced",
    "project.deactivated": "It was deactivated",
    "project.reactivated": "It was reactivated",
    "project.removed":
      "It was removed, and nothing that belongs to it counts any more: applications, roles, grants",
  },
  secrets: [],
  evolve: evolvePlain,
  claimRefusals: { "project.name": rejectName("project of this organization") },
  claims: ({ name, organization }) => [
    { kind: "project.name", scope: organization, value: foldName(name) },
  ],
  row: ({ name, organization }) => ({ parent: organization, fields: { name } }),
};

/** Creates a project. */
export function addProject(input: ProjectInput): Decision<{ project?: readonly ProjectEvent[] }> {
  return accept({ project: [{ type: "project.added", payload: input }] });
}

/** Replaces the name and settings of a project, which stays active or inactive. */
export function updateProject(
  state: ProjectState | undefined,
  { organization }: { readonly organization: string },
  input: ProjectInput,
): Decision<{ project?: readonly ProjectEvent[] }> {
  if (!isIn(state, organization)) return reject("PROJECT_NOT_FOUND");
  if (saysSame(state, input)) return reject("NOTHING_CHANGED");
  return accept({ project: [{ type: "project.changed", payload: input }] });
}

/** The events of a project that the first start creates. */
export function setUpProject(name: string): readonly ProjectEvent[] {
  return [
    {
      type: "project.added",
      payload: {
        name,
        projectRoleAssertion: false,
        projectRoleCheck: false,
        hasProjectCheck: false,
        privateLabelingSetting: "UNSPECIFIED",
      },
    },
  ];
}

/** The event that removes an application, alone or together with its project. */
export type AppRemoved = {
  readonly type: "project.application.removed";
  readonly payload: Nothing;
};

/** Takes a project out of use or brings it back. */
export function switchProject(
  state: ProjectState | undefined,
  { organization, isInactive }: { readonly organization: string; readonly isInactive: boolean },
): Decision<{ project?: readonly ProjectEvent[] }> {
  if (!isIn(state, organization)) return reject("PROJECT_NOT_FOUND");
  const type = isInactive ? "project.deactivated" : "project.reactivated";
  return refuseSameStatus(state, isInactive) ?? accept({ project: [{ type, payload: {} }] });
}

/** Whether the organization has the project: projects of others do not exist to it. */
export function isIn(state: ProjectState | undefined, organization: string): state is ProjectState {
  return state !== undefined && state.organization === organization;
}
