import type { HandlerContext } from "@connectrpc/connect";
import type { UserGrantQuery } from "../../../gen/iam/user/v1/grant_pb.js";
import { grantsBy, grantsOf, grantsOn, grantsWith } from "../../domain/grant.ts";
import { idOf, type Noun } from "../../domain/noun.ts";
import { org } from "../../domain/org.ts";
import { project } from "../../domain/project.ts";
import { projectGrant } from "../../domain/project-grant.ts";
import { role } from "../../domain/role.ts";
import { user } from "../../domain/user/state/user.ts";
import type { NewEvent } from "../../event.ts";
import type { Filter, ListQuery } from "../../store/query.ts";
import { callOf, refuse } from "../call.ts";
import {
  askerOf,
  assertKnownQuery,
  matchAll,
  matchHolders,
  matchIds,
  matchIf,
  matchNothing,
  matchOne,
  matchText,
} from "../listing.ts";
import type { Service } from "../service.ts";
import { userTypes } from "./grant-view.ts";

/** The bounds on searches for grants. */
export const grantQueryLimits = {
  /** Users, projects or roles that one condition finds, whose grants are then looked for. */
  joined: 1_000,
  /** Searches for users, projects and roles that the conditions of one request may take. */
  searches: 20,
} as const;

/**
 * Reads the conditions of a request, which must all hold. What they say of users, projects and
 * roles is looked up first. Throws `Refused` where one finds too many.
 */
export async function readGrantQueries(
  { store }: Pick<Service, "store">,
  context: HandlerContext,
  queries: readonly UserGrantQuery[],
): Promise<Filter> {
  const { organization } = callOf(context);
  const find = createFind({ store }, context);
  const filters: Filter[] = [];
  // One after the other: each may take long.
  for (const { query } of queries) {
    filters.push(readOwn(query) ?? (await readJoined(query, organization, find)));
  }
  return matchAll(filters);
}

/** Finds those that match, under the parents, or wherever they are. */
export type Find = <State>(
  noun: Noun<State, NewEvent>,
  list: Pick<ListQuery, "parents" | "where">,
) => Promise<readonly { readonly id: string; readonly state: State }[]>;

/**
 * Makes what finds the objects that the conditions of a request name. It throws `Refused` for too
 * many, and where it was asked too often.
 */
export function createFind({ store }: Pick<Service, "store">, context: HandlerContext): Find {
  const { joined: limit, searches } = grantQueryLimits;
  let left: number = searches;
  return async (noun, list) => {
    if (left === 0) {
      const many = `The conditions take over ${searches} searches for users, projects or roles`;
      return refuse("SEARCH_TOO_LONG", `${many}: use fewer of them.`);
    }
    left -= 1;
    const all = { ...list, kind: noun.kind, offset: 0, limit, asker: askerOf(context) };
    const page = (await store.list(all)) ?? refuse("SEARCH_TOO_LONG");
    if (page.total > limit || page.isCut) {
      const many = `A condition finds ${page.total} objects, and may find ${limit}`;
      return refuse("SEARCH_TOO_LONG", `${many}: use a narrower one.`);
    }
    return page.objects.map(({ stream, state = "" }) => {
      return { id: idOf(noun, stream), state: JSON.parse(state) };
    });
  };
}

/** The ids of the projects that are granted to an organization. */
export async function findGranted(find: Find, organization: string): Promise<readonly string[]> {
  const found = await find(projectGrant, { parents: [organization] });
  return found.map(({ state }) => state.projectId);
}

type Query = UserGrantQuery["query"];

/** A condition on grants by themselves; undefined for any other. */
function readOwn(query: Query): Filter | undefined {
  switch (query.case) {
    case "projectIdQuery":
      return matchHolders(grantsOn(query.value.projectId));
    case "userIdQuery":
      return matchHolders(grantsOf(query.value.userId));
    case "userTypeQuery":
      return matchOne("userType", [userTypes.read(query.value.type)]);
    case "withGrantedQuery":
      return query.value.withGranted ? matchAll([]) : matchOne("projectGrantId", [""]);
    case "projectGrantIdQuery":
      return matchHolders(grantsBy(query.value.projectGrantId));
    case "orgDomainQuery":
      // There are no domains.
      return matchNothing;
    default:
      return undefined;
  }
}

/** A condition on what grants rest on. */
async function readJoined(query: Query, organization: string, find: Find): Promise<Filter> {
  const parents = [organization];
  const ofUsers = async (field: string, value: string, { method }: Compared) => {
    const found = await find(user, { parents, where: matchText(field, value, method) });
    return matchHolders(...idsOf(found).map(grantsOf));
  };
  switch (query.case) {
    case "roleKeyQuery": {
      const { roleKey, method } = query.value;
      const where = matchText("key", roleKey, method);
      const own = matchAll([matchOne("organization", parents), where]);
      const found = [
        ...(await find(role, { where: own })),
        ...(await find(role, { parents: await findGranted(find, organization), where })),
      ];
      return matchHolders(...idsOf(found).map(grantsWith));
    }
    case "projectNameQuery": {
      const { projectName, method } = query.value;
      const where = matchText("name", projectName, method);
      const granted = matchIds(project, await findGranted(find, organization));
      const found = [
        ...(await find(project, { parents, where })),
        ...(await find(project, { where: matchAll([granted, where]) })),
      ];
      return matchHolders(...idsOf(found).map(grantsOn));
    }
    case "orgNameQuery": {
      const { orgName, method } = query.value;
      const where = matchAll([matchIds(org, parents), matchText("name", orgName, method)]);
      return matchIf((await find(org, { where })).length > 0);
    }
    case "userNameQuery":
      return await ofUsers("userName", query.value.userName, query.value);
    case "firstNameQuery":
      return await ofUsers("firstName", query.value.firstName, query.value);
    case "lastNameQuery":
      return await ofUsers("lastName", query.value.lastName, query.value);
    case "emailQuery":
      return await ofUsers("email", query.value.email, query.value);
    case "displayNameQuery":
      return await ofUsers("displayName", query.value.displayName, query.value);
    default:
      return assertKnownQuery();
  }
}

/** The ids of what was found. */
export function idsOf(found: Awaited<ReturnType<Find>>): readonly string[] {
  return found.map(({ id }) => id);
}

/** How texts are compared. */
interface Compared {
  readonly method: Parameters<typeof matchText>[2];
}
