import { create } from "@bufbuild/protobuf";
import {
  GrantedProjectSchema,
  type ProjectGrantQuery,
  ProjectGrantState,
} from "../../gen/iam/project/v1/project_grant_pb.js";
import type { ProjectQuery } from "../../gen/iam/project/v1/project_pb.js";
import { grantsBy } from "../domain/grant.ts";
import { streamOf } from "../domain/noun.ts";
import { type OrgState, org } from "../domain/org.ts";
import { isIn, type ProjectState, project } from "../domain/project.ts";
import { projectGrant, type ProjectGrantState as State } from "../domain/project-grant.ts";
import { type RoleState, role } from "../domain/role.ts";
import { type Found, readObject } from "../execute/read-object.ts";
import type { Filter } from "../store/query.ts";
import { callOf, refuse } from "./call.ts";
import { readDetails } from "./details.ts";
import type { Handlers } from "./handlers.ts";
import {
  assertKnownQuery,
  listPage,
  matchAll,
  matchIds,
  matchIf,
  matchOne,
  matchText,
} from "./listing.ts";
import type { Service } from "./service.ts";
import { createFind, type Find, findGranted, idsOf } from "./user/grant-query.ts";
import { readOf } from "./user/grant-view.ts";

/** The handlers that list projects that are granted: to whom, and what one was granted. */
export function projectGrantReadHandlers(service: Service) {
  const { store } = service;

  return {
    async listProjectGrants({ projectId, query, queries }, context) {
      const found = await readObject(store, project, projectId);
      if (!isIn(found?.state, callOf(context).organization)) refuse("PROJECT_NOT_FOUND");
      const find = createFind(service, context);
      const filters: Filter[] = [holding("project", [projectId])];
      // One after the other: each may take long.
      for (const one of queries) filters.push(await readQuery(one, projectId, find));
      const list = { where: matchAll(filters) };
      const { details, objects } = await listPage(service, context, projectGrant, list, query);
      return { details, result: [...(await show(store, objects))] };
    },

    async listGrantedProjects({ query, queries }, context) {
      const { organization } = callOf(context);
      const find = createFind(service, context);
      const filters: Filter[] = [];
      for (const one of queries) filters.push(await readGrantedQuery(one, organization, find));
      const list = { parents: [organization], where: matchAll(filters) };
      const { details, objects } = await listPage(service, context, projectGrant, list, query);
      return { details, result: [...(await show(store, objects))] };
    },
  } satisfies Handlers;
}

/** The filter that matches the grants of these projects, or those with these roles. */
function holding(what: "project" | "role", scopes: readonly string[]): Filter {
  return { kind: "holds", claims: `projectGrant.${what}`, scopes };
}

/** A condition on the grants of a project. */
async function readQuery(
  { query }: ProjectGrantQuery,
  projectId: string,
  find: Find,
): Promise<Filter> {
  switch (query.case) {
    case "projectNameQuery":
      return matchIf((await findNamed(find, [projectId], query.value)).length > 0);
    case "roleKeyQuery": {
      const where = matchText("key", query.value.roleKey, query.value.method);
      return holding("role", idsOf(await find(role, { parents: [projectId], where })));
    }
    default:
      return assertKnownQuery();
  }
}

/** A condition on the projects that an organization was granted. */
async function readGrantedQuery(
  { query }: ProjectQuery,
  organization: string,
  find: Find,
): Promise<Filter> {
  switch (query.case) {
    case "nameQuery": {
      const granted = await findGranted(find, organization);
      return matchOne("projectId", await findNamed(find, granted, query.value));
    }
    case "projectResourceOwnerQuery":
      return matchOne("organization", [query.value.resourceOwner]);
    default:
      return assertKnownQuery();
  }
}

/** The ids of those of the projects that have such a name. */
async function findNamed(
  find: Find,
  ids: readonly string[],
  { name, method }: { readonly name: string; readonly method: Parameters<typeof matchText>[2] },
): Promise<readonly string[]> {
  const where = matchAll([matchIds(project, ids), matchText("name", name, method)]);
  return idsOf(await find(project, { where }));
}

/** Project grants as they are shown; those that rest on something gone are not. */
async function show(
  store: Pick<Service["store"], "load" | "holders">,
  found: readonly Found<State>[],
) {
  const streamsOf = ({ projectId, roleIds, grantedOrgId, organization }: State) => ({
    project: streamOf(project, projectId),
    roles: roleIds.map((id) => streamOf(role, id)),
    ...{ to: streamOf(org, grantedOrgId), owner: streamOf(org, organization) },
  });
  const places = found.map(({ state }) => streamsOf(state));
  const streams = places.flatMap((one) => [one.project, ...one.roles, one.to, one.owner]);
  const read = await readOf(store)([...new Set(streams)]);
  const states = new Map(read.map(({ stream, state }) => [stream, state]));
  const users = await Promise.all(found.map(({ id }) => store.holders(grantsBy(id), 1)));
  return found.flatMap(({ id, stored, state }, index) => {
    const { roles, ...place } = streamsOf(state);
    const its = states.get(place.project) as ProjectState | undefined;
    const to = states.get(place.to) as OrgState | undefined;
    if (its === undefined || to === undefined) return [];
    const { projectId, grantedOrgId, organization, isInactive } = state;
    return create(GrantedProjectSchema, {
      ...{ grantId: id, details: readDetails(stored), projectId, projectName: its.name },
      ...{ grantedOrgId, grantedOrgName: to.name, projectOwnerId: organization },
      projectOwnerName: (states.get(place.owner) as OrgState | undefined)?.name ?? "",
      grantedRoleKeys: roles.flatMap((one) => {
        return (states.get(one) as RoleState | undefined)?.key ?? [];
      }),
      state: isInactive ? ProjectGrantState.INACTIVE : ProjectGrantState.ACTIVE,
      users: BigInt(users[index]?.total ?? 0),
    });
  });
}
