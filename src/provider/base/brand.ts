import { user } from "../../domain/user/state/user.ts";
import { findPolicies } from "../../execute/policies.ts";
import { findOrganizationName, readObject } from "../../execute/read-object.ts";
import { type FindBrand, instanceBrand, type Whose } from "../../pages/brand.ts";
import { type Store, StoreUnavailable } from "../../store/store.ts";

type Reads = Pick<Store, "load">;

/** Makes the function that finds the brand of a page: see `FindBrand`. */
export function createFindBrand(store: Reads): FindBrand {
  return async (whose) => {
    try {
      return await findBrand(store, whose);
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    }
  };
}

async function findBrand(store: Reads, whose: Whose | undefined) {
  const organization = whose && (await organizationOf(store, whose));
  const { label, privacy } = await findPolicies(store, organization);
  const isDefault = label.isDefault && privacy.isDefault;
  const brand = { label, privacy, organization: isDefault ? undefined : organization };
  if (organization === undefined || label.isDefault) {
    return { ...brand, owner: instanceBrand, name: "" };
  }
  const name = await findOrganizationName(store, organization);
  return { ...brand, owner: organization, name };
}

async function organizationOf(store: Reads, whose: Whose): Promise<string | undefined> {
  if ("organization" in whose) return whose.organization;
  return (await readObject(store, user, whose.userId))?.state.organization;
}
