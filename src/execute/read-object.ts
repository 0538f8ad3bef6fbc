import { type InstanceState, instance, instanceId } from "../domain/instance.ts";
import { type Noun, streamOf } from "../domain/noun.ts";
import { type OrgState, org } from "../domain/org.ts";
import type { NewEvent } from "../event.ts";
import type { Objects } from "../store/objects.ts";
import type { Store, StoredObject } from "../store/store.ts";

/** An object that was read. */
export interface Found<State> {
  readonly id: string;
  readonly stored: StoredObject;
  readonly state: State;
}

/** Reads the object with an id; undefined where there is none, or none any more. */
export async function readObject<State, Event extends NewEvent>(
  store: Pick<Store, "load">,
  noun: Noun<State, Event>,
  id: string,
): Promise<Found<State> | undefined> {
  const [stored] = await store.load([streamOf(noun, id)]);
  return stored?.state === undefined
    ? undefined
    : { id, stored, state: JSON.parse(stored.state) as State };
}

/** Reads the instance that the log is of; undefined before the first start has set it up. */
export async function readInstance(store: Pick<Store, "load">): Promise<InstanceState | undefined> {
  return (await readObject(store, instance, instanceId))?.state;
}

/** Who owns what serves all organizations: that of the instance, which is never removed. */
export async function ownerOfAll(store: Pick<Store, "load">): Promise<string> {
  return (await readInstance(store))?.organization ?? "";
}

/** The name of an organization; empty where there is none with the id. */
export async function findOrganizationName(read: Objects["load"], id: string): Promise<string> {
  const [found] = await read([streamOf(org, id)]);
  return (found?.state as OrgState | undefined)?.name ?? "";
}
