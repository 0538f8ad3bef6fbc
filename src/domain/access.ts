import type { AppState } from "./app/app.ts";
import { type GrantState, rolesOf } from "./grant.ts";
import type { GroupState } from "./group.ts";
import type { ProjectState } from "./project.ts";
import { isGranted, type ProjectGrantState } from "./project-grant.ts";
import type { RoleState } from "./role.ts";
import { findConsent } from "./user/login/consent.ts";
import { findProof, type MachineProof } from "./user/state/machine-entry.ts";
import { handOf, type Via, viaOf } from "./user/state/made.ts";
import { isTerminated, sessionOf } from "./user/state/session.ts";
import type { UserState } from "./user/state/user.ts";

/** An access token for the API of this service, as it was issued: by what it stands and falls. */
export type Access = PersonAccess | MachineAccess;

/** One by which an application acts for a person. */
export interface PersonAccess extends Limited {
  readonly kind: "application";
  readonly clientId: string;
  readonly appId: string;
  readonly projectId: string;
  /** What the person let the application do when it was issued. */
  readonly consentId: string;
  /** The session that it came from. */
  readonly sessionId: string;
  /** Whether it ends with that. */
  readonly needsSession: boolean;
  /** A role that the person holds, where the project asks for one: by it the token is shown. */
  readonly held?: HeldRole;
  /** That by which the organization of the person has the project, where it is another's. */
  readonly projectGrantId?: string;
}

/** A role that somebody holds by a grant. */
export interface HeldRole {
  readonly grantId: string;
  readonly roleId: string;
  /** The group of which the grant is; left out where it is the user's. */
  readonly groupId?: string;
}

/** One that a machine has for itself. */
export interface MachineAccess extends Limited {
  readonly kind: "machine";
  readonly proof: MachineProof;
}

interface Limited {
  /** Unix milliseconds. */
  readonly expiresMs: number;
}

/** What an access token is judged on. */
export interface Accessing {
  readonly caller: UserState | undefined;
  /** Those of the token, where an application has it. */
  readonly app?: AppState | undefined;
  readonly project?: ProjectState | undefined;
  /** Those of the role that the token is shown by, where it is by one. */
  readonly grant?: GrantState | undefined;
  readonly group?: GroupState | undefined;
  readonly role?: RoleState | undefined;
  /** That by which the organization has the project, where the token names one. */
  readonly projectGrant?: ProjectGrantState | undefined;
}

/** What a project says of who may use its applications. */
export interface Frame
  extends Pick<ProjectState, "organization" | "hasProjectCheck" | "projectRoleCheck"> {
  /** Empty for what is of no project. */
  readonly projectId: string;
}

/** By what a user has to do with a project: what that asks for is known. */
export interface Standing {
  readonly holdsRole: boolean;
  /** Whether the organization of the user was granted the project. */
  readonly isGranted: boolean;
}

/** Whether a user may have to do with the applications of a project. */
export function mayUse(
  user: UserState,
  frame: Omit<Frame, "projectId">,
  { holdsRole, isGranted }: Standing,
): boolean {
  if (user.isInactive || (frame.projectRoleCheck && !holdsRole)) return false;
  return !frame.hasProjectCheck || user.organization === frame.organization || isGranted;
}

/**
 * Whether the token is valid: nothing of what it came from has ended. That it was not revoked by
 * itself is not known here.
 */
export function isGood(access: Access, states: Accessing, nowMs: number): boolean {
  const { caller, app, project } = states;
  if (caller === undefined || caller.isInactive || access.expiresMs <= nowMs) return false;
  if (access.kind === "machine") return findProof(caller, access.proof, nowMs) !== undefined;
  const { clientId, consentId, projectId, sessionId, needsSession } = access;
  if (app === undefined || app.isInactive || app.config?.kind !== "oidc") return false;
  if (app.config.clientId !== clientId || app.projectId !== projectId) return false;
  if (project === undefined || project.isInactive) return false;
  const { organization } = caller;
  const standing = {
    holdsRole: isHeld(access, states),
    isGranted: isGranted(states.projectGrant, { projectId, organization }),
  };
  if (!mayUse(caller, project, standing)) return false;
  if (isTerminated(caller, sessionId)) return false;
  if (needsSession && sessionOf(caller, sessionId, nowMs) === undefined) return false;
  return findConsent(caller, clientId)?.consentId === consentId;
}

/** Whether the role that the token is shown by is still held. */
function isHeld(
  { projectId, held, projectGrantId }: PersonAccess,
  { caller, grant, role, ...rest }: Accessing,
): boolean {
  if (held === undefined || !grant?.roleIds.includes(held.roleId)) return false;
  if (grant.projectId !== projectId) return false;
  // One that was made again is another.
  if (grant.projectGrantId !== undefined && grant.projectGrantId !== projectGrantId) return false;
  const shown = { ...grant, roleIds: [held.roleId] };
  const { group, project, projectGrant } = rest;
  const on = { user: caller, group, project, projectGrant, roles: [role] };
  return rolesOf({ grant: shown, ...on }).length > 0;
}

/** Who besides the user has a hand in what is done by the token: see `Via`. */
export function handsIn(access: Access, userId: string, state: UserState, nowMs: number): Via {
  if (access.kind === "machine") {
    const made = findProof(state, access.proof, nowMs);
    return made === undefined ? {} : viaOf(userId, made);
  }
  const { clientId, sessionId } = access;
  const hands = [findConsent(state, clientId), sessionOf(state, sessionId, nowMs)];
  return viaOf(userId, { maker: handOf(clientId), via: hands.flatMap((one) => one?.via ?? []) });
}
