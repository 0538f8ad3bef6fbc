import { foldName } from "../../domain/name.ts";
import { idOf, isStreamOf } from "../../domain/noun.ts";
import { addressGroups, hasAddress } from "../../domain/user/address.ts";
import { user } from "../../domain/user/user.ts";
import { type FoundUser, findUser, type Rows } from "../rows.ts";

/**
 * The person whom a login to an application of an organization names: by the user name, or by an
 * e-mail address that is verified. Of several it is one of that organization, and of those the one
 * who was there first. So nobody keeps others from their login by taking a name or an address.
 */
export async function findPerson(
  rows: Rows,
  login: string,
  organization: string,
): Promise<FoundUser | undefined> {
  const { store } = rows;
  const named = await store.find({ kind: "user.name", scope: "", value: foldName(login) });
  if (!login.includes("@")) return await findIn(rows, named);
  const groups = addressGroups(login, organization);
  const held = await Promise.all(groups.map((group) => store.holders(group, 1)));
  const streams = new Set(held.flatMap(({ streams }) => streams));
  const [byName, ...byAddress] = await Promise.all(
    [named, ...streams].map((one) => findIn(rows, one)),
  );
  // A claim says whose row is to be looked at, and that says who has the address.
  const theirs = byAddress.filter((one) => one !== undefined && hasAddress(one.state, login));
  return [byName, ...theirs]
    .filter((one) => one !== undefined)
    .toSorted((one, other) => (rank(one, organization) < rank(other, organization) ? -1 : 1))
    .at(0);
}

async function findIn(rows: Rows, stream: string | undefined): Promise<FoundUser | undefined> {
  if (stream === undefined || !isStreamOf(user, stream)) return undefined;
  return await findUser(rows, idOf(user, stream));
}

/** Sorts those first who can log in at all, then those of the organization, then the oldest. */
function rank({ state, userId }: FoundUser, organization: string): string {
  const cannot = state.human === undefined || state.isInactive === true;
  // Ids sort as they were made.
  return `${Number(cannot)} ${Number(state.organization !== organization)} ${userId}`;
}
