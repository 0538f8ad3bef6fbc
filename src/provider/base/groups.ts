import { type GroupState, group } from "../../domain/group.ts";
import { idOf, streamOf } from "../../domain/noun.ts";
import { readCounting } from "../../execute/owner.ts";
import { findUserOnce, type Rows } from "./rows.ts";

/** A group as its row has it now. */
export interface FoundGroup {
  readonly id: string;
  readonly state: GroupState;
}

/** The groups that a user is a member of. */
export async function findGroups(rows: Rows, userId: string): Promise<readonly FoundGroup[]> {
  const found = await findUserOnce(rows, userId);
  const streams = (found?.state.groups ?? []).map((id) => streamOf(group, id));
  if (streams.length === 0) return [];
  const stored = await readCounting(rows.objects, rows.objects.current, streams);
  return stored.flatMap(({ stream, state }) =>
    state === undefined ? [] : [{ id: idOf(group, stream), state: state as GroupState }],
  );
}
