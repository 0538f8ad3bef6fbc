import type { ClaimGroup } from "../event.ts";
import {
  accept,
  type Decision,
  type Refusal,
  reject,
  rejectionFor,
  type Violation,
} from "./decision.ts";
import type { Nothing, Noun } from "./noun.ts";
import { isIn, type ProjectState } from "./project.ts";
import { evolvePlain } from "./status.ts";

/** A role of a project: what its applications let those do who hold it. */
export type RoleEvent =
  | {
      readonly type: "project.role.added";
      readonly payload: NewRole & { readonly projectId: string };
    }
  | { readonly type: "project.role.changed"; readonly payload: RoleLook }
  | { readonly type: "project.role.removed"; readonly payload: Nothing };

/** How people are shown a role. */
export interface RoleLook {
  readonly displayName: string;
  /** What people sort roles by; empty for none. */
  readonly group: string;
}

/** A role as a caller describes it. Tokens name it by its key, which it has for good. */
export interface NewRole extends RoleLook {
  readonly key: string;
}

/** A role as its events leave it. */
export interface RoleState extends NewRole {
  readonly projectId: string;
  /** The organization that the project belongs to. */
  readonly organization: string;
}

/** The bounds on roles. */
export const roleLimits = { rolesOfProject: 500 } as const;

/**
 * The noun of roles. Each has an id of its own, by which grants name it: a key that is made again
 * gives nobody anything.
 */
export const role: Noun<RoleState, RoleEvent> = {
  kind: "role",
  events: {
    "project.role.added": "A role was created in a project",
    "project.role.changed": "Its display name and group were replaced",
    "project.role.removed":
      "It was removed, alone or with its project, and nobody holds it any more",
  },
  secrets: [],
  evolve: evolvePlain,
  claimRefusals: { "role.key": rejectionFor("PROJECT_ROLE_EXISTS") },
  claims: ({ projectId, key }) => [{ ...rolesIn(projectId), value: key }],
  row: ({ projectId, key, displayName, organization }) => ({
    parent: projectId,
    fields: { key, displayName, organization },
  }),
};

/** The claims of which each role of a project holds one: its key. */
export function rolesIn(projectId: string): ClaimGroup {
  return { kind: "role.key", scope: projectId };
}

/** A decision on a role. */
type RoleDecision = Decision<{ role?: readonly RoleEvent[] }>;

/** The organization and the project that a call names. */
export interface RoleFrame {
  readonly organization: string;
  readonly projectId: string;
}

/** Creates roles, where the project has room for all of them: the number of its roles is `held`. */
export function addRoles(
  { project, held }: { readonly project: ProjectState | undefined; readonly held: number },
  { organization, projectId }: RoleFrame,
  added: readonly NewRole[],
): Decision<{ roles?: readonly (readonly RoleEvent[])[] }> {
  if (!isIn(project, organization)) return reject("PROJECT_NOT_FOUND");
  const { rolesOfProject: most } = roleLimits;
  if (held + added.length > most) {
    return reject("LIMIT_REACHED", `The project has ${held} roles, and may have ${most}.`);
  }
  return accept({
    roles: added.map((one) => [{ type: "project.role.added", payload: { projectId, ...one } }]),
  });
}

/** A role, and the project in which it is looked for. */
export interface RoleInProject {
  readonly project: ProjectState | undefined;
  readonly role: RoleState | undefined;
}

/** Replaces the display name and the group of a role. */
export function updateRole(
  states: RoleInProject,
  frame: RoleFrame,
  { displayName, group }: RoleLook,
): RoleDecision {
  const refused = refuseRole(states, frame);
  if (refused !== undefined) return refused;
  const { role: state } = states;
  if (state?.displayName === displayName && state.group === group) return reject("NOTHING_CHANGED");
  return accept({ role: [{ type: "project.role.changed", payload: { displayName, group } }] });
}

/** The refusal where the project is not in the organization, or the role not in the project. */
export function refuseRole(
  { project, role: state }: RoleInProject,
  { organization, projectId }: RoleFrame,
): Refusal | undefined {
  if (!isIn(project, organization)) return reject("PROJECT_NOT_FOUND");
  return state?.projectId === projectId ? undefined : reject("PROJECT_ROLE_NOT_FOUND");
}

/** The roles that a request names, each by the name that `roleName` gives. */
export interface NamedRoles {
  readonly [name: `role ${string}`]: RoleState | undefined;
}

/** The name under which decisions are given a role. */
export function roleName(id: string): `role ${string}` {
  return `role ${id}`;
}

/** The ids of the roles, each once; undefined where one is not a role of the project. */
export function knownRoles(
  states: NamedRoles,
  given: { readonly projectId: string; readonly roleIds: readonly (string | undefined)[] },
): readonly string[] | undefined {
  const known = given.roleIds.filter((id) => id !== undefined);
  const areThere = known.every((id) => states[roleName(id)]?.projectId === given.projectId);
  return areThere && known.length === given.roleIds.length ? [...new Set(known)] : undefined;
}

/** The broken rule of keys that a request has more than once. */
export function repeatedKeys(roles: readonly Pick<NewRole, "key">[]): readonly Violation[] {
  const keys = roles.map(({ key }) => key);
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index
      ? []
      : [{ field: `roles[${index}].key`, description: "must not be given twice" }],
  );
}
