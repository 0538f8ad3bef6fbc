import { streamOf } from "../domain/noun.ts";
import { type OrgState, org } from "../domain/org.ts";
import type { Store } from "../store/store.ts";

/** The name of an organization; empty where there is none with the id. */
export async function findOrganizationName(
  store: Pick<Store, "load">,
  id: string,
): Promise<string> {
  const [stored] = await store.load([streamOf(org, id)]);
  return stored?.state === undefined ? "" : (JSON.parse(stored.state) as OrgState).name;
}
