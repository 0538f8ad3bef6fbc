import type { JsonObject } from "@bufbuild/protobuf";
import { watchLimits } from "../../src/api/watch.ts";
import { type FuzzPlace, makePlace, post, textOf } from "../fuzz/place.ts";

/** What abusers have. */
export interface AbusePlace {
  readonly port: number;
  /** Things of the first organization, with a token with few rights. */
  readonly fuzz: FuzzPlace;
  /** The token of who owns another organization, and may do all there. */
  readonly tenant: string;
  /** Those of others who own it, too: so many that their watches are all that there may be. */
  readonly owners: readonly string[];
  readonly organization: string;
  /** A project of that organization, whose applications fill the largest page. */
  readonly project: string;
}

/** Applications, each of so many redirect URIs of as many characters as they may have. */
const largest = { apps: 20, uris: 100, characters: 2_000 };

export async function makeAbusePlace(url: string, owner: string): Promise<AbusePlace> {
  const management = `${url}/management/v1`;
  const organization = textOf(await post(`${management}/orgs`, owner, { name: "tenant" }), "id");
  const there = { "x-service-orgid": organization };
  const make = (path: string, message: object): Promise<JsonObject> =>
    post(management + path, owner, message, { headers: there });
  const makeOwner = async (userName: string) => {
    const userId = textOf(await make("/users/machine", { userName, name: "t" }), "userId");
    await make("/orgs/me/members", { userId, roles: ["ORG_OWNER"] });
    return textOf(await make(`/users/${userId}/pats`, {}), "token");
  };
  const tenant = await makeOwner("tenant");
  const owners: string[] = [];
  for (let nth = 0; nth < watchLimits.watches / watchLimits.watchesOfUser; nth += 1) {
    owners.push(await makeOwner(`owner ${nth}`));
  }
  const project = textOf(await make("/projects", { name: "large" }), "id");
  const uri = (nth: number) => `https://app.example.com/${nth}/`.padEnd(largest.characters, "x");
  const redirectUris = Array.from({ length: largest.uris }, (_, nth) => uri(nth));
  for (let nth = 0; nth < largest.apps; nth += 1) {
    await make(`/projects/${project}/apps/oidc`, { name: `large ${nth}`, redirectUris });
  }
  const fuzz = await makePlace(url, owner, "abuse");
  return { port: Number(new URL(url).port), fuzz, tenant, owners, organization, project };
}
