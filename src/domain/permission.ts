/** Roles, what each of them may do, and where. */

/** Held for the whole instance only: no role of an organization or a project has them. */
const instancePermissions = [
  "iam.read",
  "iam.idp.read",
  "iam.idp.write",
  "iam.member.read",
  "iam.member.write",
  "iam.member.delete",
  "iam.policy.read",
  "iam.policy.write",
  "org.create",
  "events.read",
] as const;

const projectPermissions = [
  "project.app.read",
  "project.app.write",
  "project.app.delete",
  "project.role.read",
  "project.role.write",
  "project.role.delete",
  "project.grant.read",
  "project.grant.write",
  "project.grant.delete",
  "project.member.read",
] as const;

const organizationPermissions = [
  ...projectPermissions,
  "org.read",
  "org.write",
  "org.delete",
  "project.create",
  "project.read",
  "project.write",
  "project.delete",
  "project.member.write",
  "project.member.delete",
  "org.idp.read",
  "org.idp.write",
  "org.member.read",
  "org.member.write",
  "org.member.delete",
  "org.action.read",
  "org.action.write",
  "org.action.delete",
  "org.flow.read",
  "org.flow.write",
  "org.flow.delete",
  "policy.read",
  "policy.write",
  "policy.delete",
  "user.read",
  "user.write",
  "user.delete",
  "user.erase",
  "user.credential.write",
  "user.session.read",
  "user.session.write",
  "user.membership.read",
  "user.grant.read",
  "user.grant.write",
  "user.grant.delete",
  "group.read",
  "group.write",
  "group.delete",
  "org.event.watch",
] as const;

const allPermissions = [...instancePermissions, ...organizationPermissions] as const;

/** The name of a permission. */
export type Permission = (typeof allPermissions)[number];

/** Whether there is a permission of this name. */
export function isPermission(name: string): name is Permission {
  return (allPermissions as readonly string[]).includes(name);
}

type Level = Scope["level"];

/**
 * What viewers of an organization may look at: not from where people are logged in. Who may read
 * the log of the instance sees that in its events.
 */
const viewedOfOrganization = [
  "org.read",
  "project.app.read",
  "project.read",
  "project.role.read",
  "project.grant.read",
  "project.member.read",
  "org.idp.read",
  "org.member.read",
  "org.action.read",
  "org.flow.read",
  "policy.read",
  "user.read",
  "user.membership.read",
  "user.grant.read",
  "group.read",
] as const;

/**
 * Each role, the level it is granted at, and the permissions it gives there, one by one: no role
 * gets a new permission by its name.
 */
export const roles = {
  IAM_OWNER: { level: "instance", permissions: allPermissions },
  IAM_OWNER_VIEWER: {
    level: "instance",
    permissions: [
      "iam.read",
      "iam.idp.read",
      "iam.member.read",
      "iam.policy.read",
      "events.read",
      ...viewedOfOrganization,
    ],
  },
  ORG_OWNER: { level: "organization", permissions: organizationPermissions },
  ORG_OWNER_VIEWER: { level: "organization", permissions: viewedOfOrganization },
  ORG_USER_MANAGER: {
    level: "organization",
    permissions: [
      "user.read",
      "user.write",
      "user.delete",
      "user.credential.write",
      "user.session.read",
      "user.session.write",
      "user.membership.read",
    ],
  },
  ORG_USER_PERMISSION_EDITOR: {
    level: "organization",
    permissions: [
      "project.read",
      "project.role.read",
      "user.read",
      "user.grant.read",
      "user.grant.write",
      "user.grant.delete",
    ],
  },
  ORG_SETTINGS_MANAGER: { level: "organization", permissions: ["org.idp.read", "org.idp.write"] },
  PROJECT_OWNER: { level: "project", permissions: projectPermissions },
} as const satisfies {
  readonly [role: string]: { readonly level: Level; readonly permissions: readonly Permission[] };
};

/** The name of a role. */
export type Role = keyof typeof roles;

/** Whether there is a role of this name. */
export function isRole(name: string): name is Role {
  return Object.hasOwn(roles, name);
}

/** The roles that are granted at a level. */
export function rolesOf(level: Level): readonly Role[] {
  return Object.keys(roles)
    .filter(isRole)
    .filter((role) => roles[role].level === level);
}

/** A scope in which roles are held. A project names its organization, whose roles reach into it. */
export type Scope =
  | { readonly level: "instance" }
  | { readonly level: "organization"; readonly organization: string }
  | { readonly level: "project"; readonly organization: string; readonly project: string };

/** The id of the organization or the project of a scope; empty for the instance. */
export function idOfScope(scope: Scope): string {
  if (scope.level === "instance") return "";
  return scope.level === "organization" ? scope.organization : scope.project;
}

/** The roles that a user holds in a scope. */
export interface Membership {
  readonly scope: Scope;
  readonly roles: readonly Role[];
}

/** Whether the memberships give the permission in the scope, there or from a wider one. */
export function holds(
  memberships: readonly Membership[],
  permission: Permission,
  scope: Scope,
): boolean {
  return memberships.some(
    (membership) => reaches(membership.scope, scope) && gives(membership, permission),
  );
}

/**
 * What the memberships permit, each permission once: by its name where it is held in the
 * organization, and followed by a colon and the id of the place where it is held there alone.
 */
export function permissionsOf(
  memberships: readonly Membership[],
  organization: string,
): readonly string[] {
  const home: Scope = { level: "organization", organization };
  const own = allPermissions.filter((permission) => holds(memberships, permission, home));
  const elsewhere = memberships.flatMap((membership) =>
    reaches(membership.scope, home)
      ? []
      : allPermissions
          .filter((permission) => gives(membership, permission) && !own.includes(permission))
          .map((permission) => `${permission}:${idOfScope(membership.scope)}`),
  );
  return [...own, ...elsewhere];
}

/** Whether the permission is held in the organization or in any project of it. */
export function holdsSomewhere(
  memberships: readonly Membership[],
  permission: Permission,
  organization: string,
): boolean {
  return memberships.some(
    ({ scope, ...membership }) =>
      (scope.level === "instance" || scope.organization === organization) &&
      gives(membership, permission),
  );
}

/** Whether the permission is held in any scope at all. */
export function holdsAnywhere(memberships: readonly Membership[], permission: Permission): boolean {
  return memberships.some((membership) => gives(membership, permission));
}

/** Whether every permission of the role in the scope is held there: who grants it must. */
export function holdsRole(memberships: readonly Membership[], role: Role, scope: Scope): boolean {
  const permissions: readonly Permission[] = roles[role].permissions;
  return permissions.every((permission) => holds(memberships, permission, scope));
}

/** Whether every permission that the others give is held too: who acts on their holder must. */
export function holdsAll(
  memberships: readonly Membership[],
  others: readonly Membership[],
): boolean {
  return others.every(({ scope, roles: theirs }) =>
    theirs.every((role) => holdsRole(memberships, role, scope)),
  );
}

/** Whether a scope is the organization or lies in it. */
export function isWithin(scope: Scope, organization: string): boolean {
  return scope.level !== "instance" && scope.organization === organization;
}

/** Whether two scopes are the same. */
export function sameScope(a: Scope, b: Scope): boolean {
  return reaches(a, b) && reaches(b, a);
}

function gives(membership: Pick<Membership, "roles">, permission: Permission): boolean {
  return membership.roles.some((role) =>
    (roles[role].permissions as readonly Permission[]).includes(permission),
  );
}

function reaches(from: Scope, to: Scope): boolean {
  if (from.level === "instance") return true;
  if (to.level === "instance" || from.organization !== to.organization) return false;
  if (from.level === "organization") return true;
  return to.level === "project" && from.project === to.project;
}

/** Whether holders of the permission may look at something, and change nothing. */
export function isForReading(permission: Permission): boolean {
  return permission.endsWith(".read") || permission.endsWith(".watch");
}
