import type { NewEvent } from "../event.ts";
import { accept, type Decision, reject } from "./decision.ts";
import { type Dependant, endDependants } from "./dependants.ts";
import { isIn, type ProjectEvent, type ProjectState } from "./project.ts";
import {
  type ProjectGrantEvent,
  type ProjectGrantInProject,
  refuseProjectGrant,
} from "./project-grant.ts";
import { type RoleEvent, type RoleFrame, type RoleInProject, refuseRole } from "./role.ts";

/** A decision by which something ends with what rests on it. */
type EndingDecision = Decision<{ readonly [name: string]: readonly NewEvent[] }>;

/** What ends with it, by the names of streams. */
interface Further {
  readonly [name: string]: unknown;
}

/** Removes a project, and with it what ends in the same append. */
export function removeProject(
  states: Further & { readonly project: ProjectState | undefined },
  dependants: readonly Dependant[],
  { organization, projectId }: RoleFrame,
): EndingDecision {
  if (!isIn(states.project, organization)) return reject("PROJECT_NOT_FOUND");
  const project: ProjectEvent = { type: "project.removed", payload: {} };
  const removed = { kind: "project", id: projectId } as const;
  return accept({ project: [project], ...endDependants(states, dependants, removed) });
}

/** Removes a role from its project, and from what names it in the same append. */
export function removeRole(
  states: Further & RoleInProject,
  dependants: readonly Dependant[],
  { roleId, ...frame }: RoleFrame & { readonly roleId: string },
): EndingDecision {
  const refused = refuseRole(states, frame);
  if (refused !== undefined) return refused;
  const role: RoleEvent = { type: "project.role.removed", payload: {} };
  const removed = { kind: "role", id: roleId } as const;
  return accept({ role: [role], ...endDependants(states, dependants, removed) });
}

/** Removes a project grant, and with it what users hold by it that ends in the same append. */
export function removeProjectGrant(
  states: Further & ProjectGrantInProject,
  dependants: readonly Dependant[],
  { grantId, ...frame }: RoleFrame & { readonly grantId: string },
): EndingDecision {
  const refused = refuseProjectGrant(states, frame);
  if (refused !== undefined) return refused;
  const projectGrant: ProjectGrantEvent = { type: "project.grant.removed", payload: {} };
  const removed = { kind: "projectGrant", id: grantId } as const;
  return accept({ projectGrant: [projectGrant], ...endDependants(states, dependants, removed) });
}
