import type { World } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { givenProjectOf } from "./given.ts";
import { givenGrant, givenProjectGrant, givenRole } from "./grants.ts";
import { givenHuman } from "./users.ts";

/** A vendor whose projects Shop and Wiki two customers were granted, one with a person. */
export async function givenVendor({ server, unique }: World) {
  const vendor = await givenOrganization(server, `Vendor ${unique}`);
  const acme = await givenOrganization(server, `Acme ${unique}`);
  const beta = await givenOrganization(server, `Beta ${unique}`);
  const shop = await givenProjectOf(server, vendor, { name: "Shop" });
  const wiki = await givenProjectOf(server, vendor, { name: "Wiki" });
  const editor = await givenRole(server, vendor, shop, { key: "editor" });
  const reader = await givenRole(server, vendor, shop, { key: "reader" });
  const give = (projectId: string, grantedOrgId: string, roleIds: readonly string[]) =>
    givenProjectGrant(server, vendor, { projectId, grantedOrgId, roleIds });
  const grants = {
    "shop to acme": await give(shop, acme, [editor, reader]),
    "shop to beta": await give(shop, beta, [reader]),
    "wiki to acme": await give(wiki, acme, []),
  };
  const userId = await givenHuman(server, acme);
  const projectGrantId = grants["shop to acme"];
  const grant = { userId, projectId: shop, roleIds: [editor], projectGrantId };
  const grantId = await givenGrant(server, acme, grant);
  return { vendor, acme, beta, shop, grants, grantId, userId };
}

/** The ids of a vendor, and of what it has. */
export type Vendor = Awaited<ReturnType<typeof givenVendor>>;
