import { streamOf } from "../../domain/noun.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { findPolicies } from "../../execute/policies.ts";
import { findOrganizationName } from "../../execute/read-object.ts";
import { type FindBrand, instanceBrand, type Whose } from "../../pages/brand.ts";
import type { Objects } from "../../store/objects.ts";
import { StoreUnavailable } from "../../store/store.ts";

/** Makes the function that finds the brand of a page: see `FindBrand`. */
export function createFindBrand({ current }: Pick<Objects, "current">): FindBrand {
  return async (whose) => {
    try {
      return await findBrand(current, whose);
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    }
  };
}

async function findBrand(read: Objects["load"], whose: Whose | undefined) {
  const organization = whose && (await organizationOf(read, whose));
  const { label, privacy } = await findPolicies(read, organization);
  const isDefault = label.isDefault && privacy.isDefault;
  const brand = { label, privacy, organization: isDefault ? undefined : organization };
  if (organization === undefined || label.isDefault) {
    return { ...brand, owner: instanceBrand, name: "" };
  }
  const name = await findOrganizationName(read, organization);
  return { ...brand, owner: organization, name };
}

async function organizationOf(read: Objects["load"], whose: Whose): Promise<string | undefined> {
  if ("organization" in whose) return whose.organization;
  const [found] = await read([streamOf(user, whose.userId)]);
  return (found?.state as UserState | undefined)?.organization;
}
