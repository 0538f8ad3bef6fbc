import { org } from "../domain/org.ts";
import type { Store } from "../store/store.ts";
import { readObject } from "./read-object.ts";

/** The name of an organization; empty where there is none with the id. */
export async function findOrganizationName(
  store: Pick<Store, "load">,
  id: string,
): Promise<string> {
  return (await readObject(store, org, id))?.state.name ?? "";
}
