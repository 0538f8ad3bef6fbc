import type { GrantState } from "../domain/grant.ts";
import { idOf, makesClaim } from "../domain/noun.ts";
import { projectGrant } from "../domain/project-grant.ts";
import { type RoleEvent, type RoleState, role, roleName, rolesIn } from "../domain/role.ts";
import type { Store } from "../store/store.ts";
import type { StreamRef } from "./command.ts";
import { readObject } from "./read-object.ts";

type RoleStore = Pick<Store, "find" | "load">;

/** The roles of a project with these keys, by their ids, and what a command has to load. */
export async function rolesWith(store: RoleStore, projectId: string, keys: readonly string[]) {
  const unique = [...new Set(keys)];
  const roleIds = await Promise.all(unique.map((key) => findRole(store, projectId, key)));
  const refs: { [name: `role ${string}`]: StreamRef<RoleState, RoleEvent> } = {};
  for (const id of roleIds) if (id !== undefined) refs[roleName(id)] = { noun: role, id };
  return { roleIds, refs };
}

/** The id of the role of a project that has the key now; undefined for none. */
export async function findRole(
  store: RoleStore,
  projectId: string,
  key: string,
): Promise<string | undefined> {
  const claim = { ...rolesIn(projectId), value: key };
  const stream = await store.find(claim);
  const found = stream && (await readObject(store, role, idOf(role, stream)));
  return found && makesClaim(role, found.state, claim) ? found.id : undefined;
}

/** The project grant that a grant rests on, as a command has to load it. */
export function refsBy({ projectGrantId: id }: Pick<GrantState, "projectGrantId"> = {}) {
  return id === undefined ? {} : { projectGrant: { noun: projectGrant, id } };
}
