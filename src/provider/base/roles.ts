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

/** The grant of a project to the organization of a user in the same way; its owner has none. */
export async function findProjectGrant(
  { store, objects, unit }: Rows,
  { state: { organization } }: FoundUser,
  { projectId, organization: owner }: Pick<Frame, "projectId" | "organization">,
): Promise<FoundProjectGrant | undefined> {
  if (organization === owner) return undefined;
  const read = (streams: readonly string[]) => readCounting(objects, objects.current, streams);
  return await unit.once(`project grant ${organization} ${projectId}`, () =>
    readProjectGrant(store, read, { projectId, organization }),
  );
}

/** Whether a user may have to do with the applications of a project now. */
export async function mayUseNow(rows: Rows, found: FoundUser, frame: Frame): Promise<boolean> {
  const { userId, state } = found;
  const { projectId } = frame;
  // What is not asked for is not read.
  const asksForRole = frame.projectRoleCheck && !state.isInactive;
  const held = asksForRole ? await findRoles(rows, userId, projectId) : [];
  const asksForProject = frame.hasProjectCheck && !state.isInactive;
  const granted = asksForProject ? await findProjectGrant(rows, found, frame) : undefined;
  const { organization } = state;
  return mayUse(state, frame, {
    holdsRole: held.length > 0,
    isGranted: isGranted(granted?.state, { projectId, organization }),
  });
}

/** Whether the person may log in to the applications of the project. */
export async function mayLogIn(rows: Rows, found: FoundUser, frame: Frame): Promise<boolean> {
  return found.state.human !== undefined && (await mayUseNow(rows, found, frame));
}
