import type { ActionState } from "./action.ts";
import { reject } from "./decision.ts";
import { type Dependant, type Removal, removeWithDependants } from "./dependants.ts";
import type { InstanceState } from "./instance.ts";
import { mustExist } from "./noun.ts";
import { type OrgTaking, refuseTaking } from "./org.ts";
import { isIn, type ProjectState } from "./project.ts";
import { type ProjectGrantInProject, refuseProjectGrant } from "./project-grant.ts";
import { type RoleFrame, type RoleInProject, refuseRole } from "./role.ts";

/** What ends with it, by the names of streams. */
interface Further {
  readonly [name: string]: unknown;
}

/** Removes an action, and takes it out of its flows in the same append. */
export function removeAction(
  states: Further & { readonly action: ActionState | undefined },
  dependants: readonly Dependant[],
  { organization, actionId: id }: { readonly organization: string; readonly actionId: string },
): Removal {
  if (states.action?.organization !== organization) return reject("ACTION_NOT_FOUND");
  return removeWithDependants(states, dependants, { kind: "action", id });
}

/** Removes a project, and with it what ends in the same append. */
export function removeProject(
  states: Further & { readonly project: ProjectState | undefined },
  dependants: readonly Dependant[],
  { organization, projectId: id }: RoleFrame,
): Removal {
  if (!isIn(states.project, organization)) return reject("PROJECT_NOT_FOUND");
  return removeWithDependants(states, dependants, { kind: "project", id });
}

/** Removes a role from its project, and from what names it in the same append. */
export function removeRole(
  states: Further & RoleInProject,
  dependants: readonly Dependant[],
  { roleId: id, ...frame }: RoleFrame & { readonly roleId: string },
): Removal {
  return (
    refuseRole(states, frame) ?? removeWithDependants(states, dependants, { kind: "role", id })
  );
}

/** Removes a project grant, and with it what users hold by it that ends in the same append. */
export function removeProjectGrant(
  states: Further & ProjectGrantInProject,
  dependants: readonly Dependant[],
  { grantId: id, ...frame }: RoleFrame & { readonly grantId: string },
): Removal {
  const removed = { kind: "projectGrant", id } as const;
  return refuseProjectGrant(states, frame) ?? removeWithDependants(states, dependants, removed);
}

/** Removes an organization, and with it what ends in the same append. */
export function removeOrg(
  states: Further & OrgTaking & { readonly instance: InstanceState | undefined },
  dependants: readonly Dependant[],
  { organization: id }: { readonly organization: string },
): Removal {
  if (mustExist(states.instance).organization === id) return reject("INSTANCE_ORGANIZATION");
  // Who calls again is told so, where the role of the caller did not go with it.
  if (states.org === undefined) return reject("NOTHING_CHANGED");
  return refuseTaking(states) ?? removeWithDependants(states, dependants, { kind: "org", id });
}
