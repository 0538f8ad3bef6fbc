import { org } from "../../domain/org.ts";
import { readObject } from "../../execute/read-object.ts";
import type { Destination } from "../base/destination.ts";
import type { ProviderParts } from "../base/parts.ts";
import { organizationIn } from "../token/scopes.ts";

/**
 * The organization that the pages of a login are of, until somebody has proven who they are: the one
 * that the scope names, else that of the application; undefined for the instance, which the account
 * page belongs to. One that is not in use counts as not named.
 */
export async function findPageOrganization(
  { store }: Pick<ProviderParts, "store">,
  scope: unknown,
  { name, organization }: Pick<Destination, "name" | "organization">,
): Promise<string | undefined> {
  const named = organizationIn(String(scope));
  const found = named === undefined ? undefined : await readObject(store, org, named);
  const isInUse = found !== undefined && !found.state.isInactive;
  return isInUse ? found.id : name === undefined ? undefined : organization;
}
