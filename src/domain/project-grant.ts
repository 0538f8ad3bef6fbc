import type { ClaimGroup } from "../event.ts";
import { accept, type Decision, type Refusal, reject, rejectionFor } from "./decision.ts";
import { mustExist, type Nothing, type Noun } from "./noun.ts";
import type { OrgState } from "./org.ts";
import { isIn, type ProjectState } from "./project.ts";
import { knownRoles, type NamedRoles, type RoleFrame } from "./role.ts";
import { evolvePlain, refuseSameStatus, type Status } from "./status.ts";

/** A project that another organization may grant roles of to its own users. */
export type ProjectGrantEvent =
  | { readonly type: "project.grant.added"; readonly payload: GrantedProject }
  | { readonly type: "project.grant.changed"; readonly payload: Pick<GrantedProject, "roleIds"> }
  | {
      readonly type:
        | "project.grant.deactivated"
        | "project.grant.reactivated"
        | "project.grant.removed";
      readonly payload: Nothing;
    };

/** Which organization may grant which roles of which project. */
export interface GrantedProject {
  readonly projectId: string;
  readonly grantedOrgId: string;
  /** The ids of roles; without any its users may still log in where the project asks for that. */
  readonly roleIds: readonly string[];
}

/** A project grant as its events leave it. */
export interface ProjectGrantState extends GrantedProject, Status {
  /** The organization that the project belongs to. */
  readonly organization: string;
}

/** The bounds on project grants. */
export const projectGrantLimits = {
  rolesOfProjectGrant: 200,
  grantsOfProject: 10_000,
  /** Far fewer than a search of the other looks through, which cannot refuse any. */
  projectsToOrganization: 100,
} as const;

/**
 * The noun of project grants, of which an organization has one for a project at most. Each has an
 * id of its own, by which grants of users name it: one that is made again gives nobody anything.
 */
export const projectGrant: Noun<ProjectGrantState, ProjectGrantEvent> = {
  kind: "projectGrant",
  events: {
    "project.grant.added": "Roles of a project were granted to another organization",
    "project.grant.changed": "The roles were replaced, or one of them was removed",
    "project.grant.deactivated":
      "It was deactivated: users of the organization hold none of its roles meanwhile",
    "project.grant.reactivated": "It was reactivated",
    "project.grant.removed":
      "It was removed, alone or with the project or the organization; what it granted to users " +
      "there no longer counts",
  },
  secrets: [],
  evolve: evolvePlain,
  claimRefusals: {
    "projectGrant.project": rejectionFor("PROJECT_GRANT_EXISTS"),
    "projectGrant.organization": rejectionFor("PROJECT_GRANT_EXISTS"),
    "projectGrant.role": rejectionFor("PROJECT_GRANT_EXISTS"),
    "projectGrant.between": rejectionFor("PROJECT_GRANT_EXISTS"),
  },
  claims: ({ projectId, grantedOrgId, roleIds, organization }) => [
    { ...projectGrantsOf(projectId), value: grantedOrgId },
    { ...projectGrantsTo(grantedOrgId), value: projectId },
    { ...projectGrantsBetween(organization, grantedOrgId), value: projectId },
    ...roleIds.map((id) => ({ ...projectGrantsWith(id), value: grantedOrgId })),
  ],
  row: ({ projectId, grantedOrgId, organization }) => ({
    parent: grantedOrgId,
    fields: { projectId, organization },
  }),
};

/** The claims of which each grant of a project holds one: its organization. */
export function projectGrantsOf(projectId: string): ClaimGroup {
  return { kind: "projectGrant.project", scope: projectId };
}

/** The claims of which each project grant to an organization holds one: its project. */
export function projectGrantsTo(organization: string): ClaimGroup {
  return { kind: "projectGrant.organization", scope: organization };
}

/** The claims of which each project grant of one organization to another holds one: its project. */
export function projectGrantsBetween(organization: string, grantedOrgId: string): ClaimGroup {
  return { kind: "projectGrant.between", scope: `${organization} ${grantedOrgId}` };
}

/** The claims of which each project grant with a role holds one: its organization. */
export function projectGrantsWith(roleId: string): ClaimGroup {
  return { kind: "projectGrant.role", scope: roleId };
}

/** Whether the organization has the project by the grant now. */
export function isGranted(
  state: ProjectGrantState | undefined,
  { projectId, organization }: RoleFrame,
): boolean {
  if (state === undefined || state.isInactive) return false;
  return state.projectId === projectId && state.grantedOrgId === organization;
}

/** A decision on a project grant. */
type ProjectGrantDecision = Decision<{ projectGrant?: readonly ProjectGrantEvent[] }>;

/** The roles that a project grant is to have: undefined for keys that the project lacks. */
export interface GivingRoles extends RoleFrame {
  readonly roleIds: readonly (string | undefined)[];
}

/**
 * What a project grant is decided on: `held` is the number of those that the project has, `between`
 * of those that its organization has made to the same other.
 */
export type GrantingProject = NamedRoles & {
  readonly project: ProjectState | undefined;
  readonly grantedOrg: OrgState | undefined;
  readonly held: number;
  readonly between: number;
};

/** Grants roles of a project to another organization, where there is room. */
export function addProjectGrant(
  states: GrantingProject,
  given: GivingRoles & Pick<GrantedProject, "grantedOrgId">,
): ProjectGrantDecision {
  const { organization, projectId, grantedOrgId } = given;
  if (!isIn(states.project, organization)) return reject("PROJECT_NOT_FOUND");
  if (states.grantedOrg === undefined || grantedOrgId === organization) {
    return reject("ORGANIZATION_NOT_FOUND");
  }
  const roleIds = knownRoles(states, given);
  if (roleIds === undefined) return reject("PROJECT_ROLE_NOT_FOUND");
  const { grantsOfProject: most } = projectGrantLimits;
  if (states.held >= most) {
    return reject("LIMIT_REACHED", `The project has ${most} grants: remove one first.`);
  }
  const { projectsToOrganization } = projectGrantLimits;
  if (states.between >= projectsToOrganization) {
    const granted = `${projectsToOrganization} projects are granted to the organization`;
    return reject("LIMIT_REACHED", `Already ${granted}: remove one of these grants first.`);
  }
  const payload = { projectId, grantedOrgId, roleIds };
  return accept({ projectGrant: [{ type: "project.grant.added", payload }] });
}

/** A project grant, and the project in which it is looked for. */
export interface ProjectGrantInProject {
  readonly project: ProjectState | undefined;
  readonly projectGrant: ProjectGrantState | undefined;
}

/** Replaces the roles of a project grant. */
export function updateProjectGrant(
  states: ProjectGrantInProject & NamedRoles,
  given: GivingRoles,
): ProjectGrantDecision {
  const refused = refuseProjectGrant(states, given);
  if (refused !== undefined) return refused;
  const roleIds = knownRoles(states, given);
  if (roleIds === undefined) return reject("PROJECT_ROLE_NOT_FOUND");
  const before = new Set(states.projectGrant?.roleIds);
  if (before.size === roleIds.length && roleIds.every((id) => before.has(id))) {
    return reject("NOTHING_CHANGED");
  }
  return accept({ projectGrant: [{ type: "project.grant.changed", payload: { roleIds } }] });
}

/** Takes a project grant out of use or brings it back. */
export function switchProjectGrant(
  states: ProjectGrantInProject,
  { isInactive, ...frame }: RoleFrame & { readonly isInactive: boolean },
): ProjectGrantDecision {
  const type = isInactive ? "project.grant.deactivated" : "project.grant.reactivated";
  return (
    refuseProjectGrant(states, frame) ??
    refuseSameStatus(mustExist(states.projectGrant), isInactive) ??
    accept({ projectGrant: [{ type, payload: {} }] })
  );
}

/** The refusal where the project is not in the organization, or the grant not of the project. */
export function refuseProjectGrant(
  { project, projectGrant: state }: ProjectGrantInProject,
  { organization, projectId }: RoleFrame,
): Refusal | undefined {
  if (!isIn(project, organization)) return reject("PROJECT_NOT_FOUND");
  return state?.projectId === projectId ? undefined : reject("PROJECT_GRANT_NOT_FOUND");
}

/** What a project grant becomes when one of its roles is removed. */
export function withdrawRole(
  { roleIds }: ProjectGrantState,
  roleId: string,
): readonly ProjectGrantEvent[] {
  const left = roleIds.filter((id) => id !== roleId);
  if (left.length === roleIds.length) return [];
  return [{ type: "project.grant.changed", payload: { roleIds: left } }];
}
