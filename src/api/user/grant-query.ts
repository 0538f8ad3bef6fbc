import type { HandlerContext } from "@connectrpc/connect";
import type { UserGrantQuery } from "../../../gen/iam/user/v1/grant_pb.js";
import { idOf, type Noun } from "../../domain/noun.ts";
import { org } from "../../domain/org.ts";
import { project } from "../../domain/project.ts";
import { role } from "../../domain/role.ts";
import { user } from "../../domain/user/user.ts";
import type { NewEvent } from "../../event.ts";
import type { Filter, ListQuery } from "../../store/query.ts";
import { callOf, refuse } from "../call.ts";
import {
  askerOf,
  assertKnownQuery,
  matchAll,
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
  const find: Find = async (noun, list) => {
    const limit = grantQueryLimits.joined;
    const all = { ...list, kind: noun.kind, offset: 0, limit, asker: askerOf(context) };
    const page = (await store.list(all)) ?? refuse("SEARCH_TOO_LONG");
    if (page.total > limit || page.isCut) {
      const many = `A condition finds ${page.total} objects, and may find ${limit}`;
      return refuse("SEARCH_TOO_LONG", `${many}: use a narrower one.`);
    }
    return page.objects.map(({ stream }) => idOf(noun, stream));
  };
  const filters: Filter[] = [];
  // One after the other: each may take long.
  for (const { query } of queries) {
    filters.push(readOwn(query) ?? (await readJoined(query, organization, find)));
  }
  return matchAll(filters);
}

/** Finds the ids of those that match, under the parents, or wherever they are. */
type Find = (
  noun: Noun<unknown, NewEvent>,
  list: Pick<ListQuery, "parents" | "where">,
) => Promise<readonly string[]>;

type Query = UserGrantQuery["query"];

/** A condition on grants by themselves; undefined for any other. */
function readOwn(query: Query): Filter | undefined {
  switch (query.case) {
    case "projectIdQuery":
      return matchOne("projectId", [query.value.projectId]);
    case "userIdQuery":
      return matchOne("userId", [query.value.userId]);
    case "userTypeQuery":
      return matchOne("userType", [userTypes.read(query.value.type)]);
    case "withGrantedQuery":
      return matchAll([]);
    case "projectGrantIdQuery":
    case "orgDomainQuery":
      // No project is granted to another organization, and there are no domains.
      return matchNothing;
    default:
      return undefined;
  }
}

/** A condition on what grants rest on. */
async function readJoined(query: Query, organization: string, find: Find): Promise<Filter> {
  const parents = [organization];
  const ofUsers = async (field: string, value: string, { method }: Compared) =>
    matchOne("userId", await find(user, { parents, where: matchText(field, value, method) }));
  switch (query.case) {
    case "roleKeyQuery": {
      const { roleKey, method } = query.value;
      const own = matchOne("organization", parents);
      const where = matchAll([own, matchText("key", roleKey, method)]);
      return { kind: "holds", claims: "grant.role", scopes: await find(role, { where }) };
    }
    case "projectNameQuery": {
      const { projectName, method } = query.value;
      const where = matchText("name", projectName, method);
      return matchOne("projectId", await find(project, { parents, where }));
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

/** How texts are compared. */
interface Compared {
  readonly method: Parameters<typeof matchText>[2];
}
