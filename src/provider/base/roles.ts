import { type Frame, mayUse } from "../../domain/access.ts";
import { isGranted } from "../../domain/project-grant.ts";
import type { ToldGrant } from "../../domain/user/claims.ts";
import {
  type FoundProjectGrant,
  type HeldRoles,
  readGrants,
  readProjectGrant,
  readRoles,
} from "../../execute/grants.ts";
import { readCounting } from "../../execute/owner.ts";
import type { FoundUser, Rows } from "./rows.ts";

/** The roles that a user holds of a project, by each grant, as this request has read them first. */
export async function findRoles(
  { store, objects, unit }: Rows,
  userId: string,
  projectId: string,
): Promise<readonly HeldRoles[]> {
  const read = (streams: readonly string[]) => readCounting(objects, objects.current, streams);
  return await unit.once(`roles ${userId} ${projectId}`, () =>
    readRoles(store, read, { userId, projectId }),
  );
}

/** The grants by which a user holds roles, in the same way. */
export async function findGrants(
  { store, objects, unit }: Rows,
  userId: string,
): Promise<readonly ToldGrant[]> {
  const read = (streams: readonly string[]) => readCounting(objects, objects.current, streams);
  return await unit.once(`grants ${userId}`, () => readGrants(store, read, userId));
}

/** A project, and the organization that it belongs to. */
type Owned = Pick<Frame, "projectId" | "organization">;

/** The grant of a project to an organization in the same way; its owner has none. */
export async function findProjectGrant(
  { store, objects, unit }: Rows,
  organization: string,
  { projectId, organization: owner }: Owned,
): Promise<FoundProjectGrant | undefined> {
  if (organization === owner) return undefined;
  const read = (streams: readonly string[]) => readCounting(objects, objects.current, streams);
  return await unit.once(`project grant ${organization} ${projectId}`, () =>
    readProjectGrant(store, read, { projectId, organization }),
  );
}

/** Whether an organization has a project now: its own, or one that it was granted. */
export async function hasProject(
  rows: Rows,
  organization: string,
  { projectId, organization: owner }: Owned,
): Promise<boolean> {
  if (organization === owner) return true;
  const granted = await findProjectGrant(rows, organization, { projectId, organization: owner });
  return isGranted(granted?.state, { projectId, organization });
}

/** Whether a user may have to do with the applications of a project now. */
export async function mayUseNow(rows: Rows, found: FoundUser, frame: Frame): Promise<boolean> {
  const { userId, state } = found;
  // What is not asked for is not read.
  const asksForRole = frame.projectRoleCheck && !state.isInactive;
  const held = asksForRole ? await findRoles(rows, userId, frame.projectId) : [];
  const asksForProject = frame.hasProjectCheck && !state.isInactive;
  return mayUse(state, frame, {
    holdsRole: held.length > 0,
    isGranted: asksForProject && (await hasProject(rows, state.organization, frame)),
  });
}

/** Whether the person may log in to the applications of the project. */
export async function mayLogIn(rows: Rows, found: FoundUser, frame: Frame): Promise<boolean> {
  return found.state.human !== undefined && (await mayUseNow(rows, found, frame));
}
