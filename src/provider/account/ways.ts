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
  const { allowPassword, allowPasskeys, allowExternal } = await findAccountPolicy(site, found);
  const usable = allowExternal ? await findUsableAmong(site, organization, ids) : [];
  const idpIds = usable.map(({ id }) => id);
  return { password: allowPassword, passkey: allowPasskeys, idpIds };
}
