import { accept, type Decision, invalid, reject } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { type Noun, unknownEvent } from "./noun.ts";

/** A project: the frame in which an organization's applications live. */
export type ProjectEvent = { readonly type: "project.added"; readonly payload: ProjectInput };

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

export interface ProjectState extends ProjectInput {
  /** The organization it belongs to. */
  readonly organization: string;
}

export const project: Noun<ProjectState, ProjectEvent> = {
  kind: "project",
  evolve(_state, event) {
    switch (event.type) {
      case "project.added":
        return { ...event.payload, organization: event.owner };
      default:
        return unknownEvent(event.type);
    }
  },
  claims: ({ name, organization }) => [
    { kind: "project.name", scope: organization, value: foldName(name) },
  ],
  row: ({ name }) => ({ parent: "", fields: { name } }),
};

export function addProject(input: ProjectInput): Decision<{ project?: readonly ProjectEvent[] }> {
  const violations = nameViolations("name", input.name);
  if (violations.length > 0) return invalid(violations);
  return accept({ project: [{ type: "project.added", payload: input }] });
}

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

/** Whether the project exists in the organization; another organization's does not exist to it. */
export function isIn(state: ProjectState | undefined, organization: string): state is ProjectState {
  return state !== undefined && state.organization === organization;
}

export function projectNotFound(): Decision<Record<never, never>> {
  return reject("PROJECT_NOT_FOUND", "The organization has no project with this id.");
}
