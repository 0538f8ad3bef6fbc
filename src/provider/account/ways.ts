import { waysBy } from "../../domain/policy/obey.ts";
import type { HeldWays, WaysIn } from "../../domain/user/own/ways-in.ts";
import { findUsableAmong } from "../../execute/providers.ts";
import { findAccountPolicy } from "../base/policy.ts";
import type { FoundUser } from "../base/rows.ts";
import type { Own } from "./part.ts";

/** What lets a person in; nothing where the state is of no human. */
export function heldBy({ state: { human } }: FoundUser): HeldWays {
  return human ?? { passkeys: [], externalIDPs: [] };
}

/** By what the person may log in, to the account page too. */
export async function findWays({ site, found }: Own): Promise<WaysIn> {
  const { organization } = found.state;
  const ids = [...new Set(heldBy(found).externalIDPs.map(({ idpId }) => idpId))];
  const policy = await findAccountPolicy(site, found);
  const usable = await findUsableAmong(site, organization, ids);
  return waysBy(
    policy,
    usable.map(({ id }) => id),
  );
}
