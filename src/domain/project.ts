import { accept, type Decision, invalid, reject } from "./decision.ts";
import { foldName, nameViolations } from "./name.ts";
import { existing, type Nothing, type Noun, unknownEvent } from "./noun.ts";
import { refusalOfStatus, type Status, withStatus } from "./status.ts";

/** A project: the frame in which an organization's applications live. */
export type ProjectEvent =
  | { readonly type: "project.added"; readonly payload: ProjectInput }
  | {
      readonly type: "project.deactivated" | "project.reactivated" | "project.removed";
      readonly payload: Nothing;
    };

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

export interface ProjectState extends ProjectInput, Status {
  /** The organization it belongs to. */
  readonly organization: string;
}

export const project: Noun<ProjectState, ProjectEvent> = {
  kind: "project",
  secrets: [],
  evolve(state, event) {
    switch (event.type) {
      case "project.added":
        return { ...event.payload, organization: event.owner };
      case "project.deactivated":
        return withStatus(existing(state), true);
      case "project.reactivated":
        return withStatus(existing(state), false);
      case "project.removed":
        return undefined;
      default:
        return unknownEvent(event);
    }
  },
  claims: ({ name, organization }) => [
    { kind: "project.name", scope: organization, value: foldName(name) },
  ],
  row: ({ name, organization }) => ({ parent: organization, fields: { name } }),
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

/** The most applications that can be removed together with their project. */
export const removedAppsMax = 999;

/** Removes the project with its applications, of which so many are there. */
export function removeProject(
  { project: state, apps }: { readonly project: ProjectState | undefined; readonly apps: number },
  { organization }: { readonly organization: string },
): Decision<{ project?: readonly ProjectEvent[]; apps?: readonly AppRemoved[] }> {
  if (!isIn(state, organization)) return projectNotFound();
  if (apps > removedAppsMax) {
    const message = `The project has ${apps} applications: remove all but ${removedAppsMax} first.`;
    return reject("LIMIT_REACHED", message);
  }
  return accept({
    project: [{ type: "project.removed", payload: {} }],
    apps: [{ type: "project.application.removed", payload: {} }],
  });
}

/** An application's event, which its project causes too. */
export type AppRemoved = {
  readonly type: "project.application.removed";
  readonly payload: Nothing;
};

export function switchProject(
  state: ProjectState | undefined,
  { organization, isInactive }: { readonly organization: string; readonly isInactive: boolean },
): Decision<{ project?: readonly ProjectEvent[] }> {
  if (!isIn(state, organization)) return projectNotFound();
  const type = isInactive ? "project.deactivated" : "project.reactivated";
  return refusalOfStatus(state, isInactive) ?? accept({ project: [{ type, payload: {} }] });
}

/** Whether the project exists in the organization; another organization's does not exist to it. */
export function isIn(state: ProjectState | undefined, organization: string): state is ProjectState {
  return state !== undefined && state.organization === organization;
}

export function projectNotFound(): Decision<Record<never, never>> {
  return reject("PROJECT_NOT_FOUND", "The organization has no project with this id.");
}
