import { type Frame, mayUse } from "../../domain/user/access.ts";
import { type HeldRoles, readRoles } from "../../execute/grants.ts";
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

/** Whether a user may have to do with the applications of a project now. */
export async function mayUseNow(
  rows: Rows,
  { userId, state }: FoundUser,
  frame: Frame,
): Promise<boolean> {
  // What is not asked for is not read.
  const asksForRole = frame.projectRoleCheck && !state.isInactive;
  const held = asksForRole ? await findRoles(rows, userId, frame.projectId) : [];
  return mayUse(state, frame, held.length > 0);
}

/** Whether the person may log in to the applications of the project. */
export async function mayLogIn(rows: Rows, found: FoundUser, frame: Frame): Promise<boolean> {
  return found.state.human !== undefined && (await mayUseNow(rows, found, frame));
}
