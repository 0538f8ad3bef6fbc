import { foldName } from "../../domain/name.ts";
import { idOf, isStreamOf } from "../../domain/noun.ts";
import { claimsOfAddress, hasAddress } from "../../domain/user/state/address.ts";
import { user } from "../../domain/user/state/user.ts";
import { type FoundUser, findUser, type Rows } from "../base/rows.ts";

/**
 * The person whom a login to an application of an organization names: by the user name, or by an
 * e-mail address that is verified. Of several it is the one who was there first, if that one has
 * the login as both; else one of that organization, and of those the one who was there first. So
 * nobody keeps others from their login by taking a name or an address.
 */
export async function findPerson(
  rows: Rows,
  login: string,
  organization: string,
): Promise<FoundUser | undefined> {
  const { store } = rows;
  const named = await store.find({ kind: "user.name", scope: "", value: foldName(login) });
  if (!login.includes("@")) return await findIn(rows, named);
  const claims = claimsOfAddress(login, organization);
  const held = await Promise.all(claims.map((some) => store.holders(some, 1)));
  const streams = new Set(held.flatMap(({ streams }) => streams));
  const [byName, ...byAddress] = await Promise.all(
    [named, ...streams].map((one) => findIn(rows, one)),
  );
  // A claim says whose row is to be looked at, and that says who has the address.
  const theirs = byAddress.filter((one) => one !== undefined && hasAddress(one.state, login));
  const sorted = [byName, ...theirs]
    .filter((one) => one !== undefined)
    .toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
  const [first] = sorted;
  const hasBoth = first?.userId === byName?.userId && first && hasAddress(first.state, login);
  return hasBoth ? first : (sorted.find(isOf(organization)) ?? first);
}

async function findIn(rows: Rows, stream: string | undefined): Promise<FoundUser | undefined> {
  if (stream === undefined || !isStreamOf(user, stream)) return undefined;
  return await findUser(rows, idOf(user, stream));
}

/** Who can log in at all to an application of an organization, as one of its own. */
function isOf(organization: string): (found: FoundUser) => boolean {
  return ({ state }) => !cannotLogIn(state) && state.organization === organization;
}

/** Sorts those first who can log in at all, then the oldest. */
function rank({ state, userId }: FoundUser): string {
  // Ids sort as they were made.
  return `${Number(cannotLogIn(state))} ${userId}`;
}

function cannotLogIn({ human, isInactive }: FoundUser["state"]): boolean {
  return human === undefined || isInactive === true;
}
