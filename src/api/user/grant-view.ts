import { create } from "@bufbuild/protobuf";
import { UserGrantSchema, UserGrantState } from "../../../gen/iam/user/v1/grant_pb.js";
import { Type } from "../../../gen/iam/user/v1/user_pb.js";
import type { GrantState } from "../../domain/grant.ts";
import { streamOf } from "../../domain/noun.ts";
import { type OrgState, org } from "../../domain/org.ts";
import type { UserState } from "../../domain/user/state/user.ts";
import { type WeighedGrant, weighGrants } from "../../execute/grants.ts";
import { readOf } from "../../execute/owner.ts";
import type { Found } from "../../execute/read-object.ts";
import type { Store } from "../../store/store.ts";
import { readDetails } from "../details.ts";
import { enumNames } from "../enum.ts";

/** The kinds of users in grants. */
export const userTypes = enumNames(Type, "");

/**
 * Grants as they are shown, with what they rest on; those that rest on something gone are not. Of
 * their roles these keys are shown; left out, those of all that are there.
 */
export async function showGrants(
  store: Pick<Store, "load">,
  found: readonly Found<GrantState>[],
  keysOf: (weighed: WeighedGrant) => readonly string[] = ({ keys }) => keys,
) {
  const read = readOf(store);
  const weighed = await weighGrants(
    read,
    found.map(({ state }) => state),
  );
  const ids = new Set(weighed.map(({ state }) => state.organization));
  const owners = await read([...ids].map((id) => streamOf(org, id)));
  const names = new Map(
    owners.map((one) => [one.stream, (one.state as OrgState | undefined)?.name]),
  );
  return found.flatMap((one, index) => {
    const rest = weighed[index];
    if (rest?.user === undefined || rest.project === undefined) return [];
    if (one.state.projectGrantId !== undefined && rest.projectGrant === undefined) return [];
    const orgName = names.get(streamOf(org, one.state.organization)) ?? "";
    return [
      showGrant(
        one,
        { keys: keysOf(rest), user: rest.user, projectName: rest.project.name },
        orgName,
      ),
    ];
  });
}

function showGrant(
  { id, stored, state }: Found<GrantState>,
  { user, projectName, keys }: NamedGrant,
  orgName: string,
) {
  const { organization, projectId, isInactive, projectGrantId = "" } = state;
  const { userId = "", userType = "UNSPECIFIED" } = state;
  const { userName } = user;
  return create(UserGrantSchema, {
    ...{ id, details: readDetails(stored), roleKeys: [...keys], userId, userName, projectId },
    ...{ projectName, projectGrantId, preferredLoginName: userName, ...namesOf(user) },
    state: isInactive ? UserGrantState.INACTIVE : UserGrantState.ACTIVE,
    userType: userTypes.show(userType),
    ...{ orgId: organization, orgName, grantedOrgId: organization, grantedOrgName: orgName },
  });
}

type NamedGrant = Pick<WeighedGrant, "keys"> & {
  readonly user: UserState;
  readonly projectName: string;
};

/** The names and the address of a user, as members and grants show them. */
export function namesOf({ human, machine }: UserState) {
  if (human === undefined) return { displayName: machine?.name ?? "" };
  const { firstName, lastName, displayName, email } = human;
  return { firstName, lastName, displayName, email };
}
