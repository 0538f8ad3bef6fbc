import { create } from "@bufbuild/protobuf";
import {
  type GrantedProject,
  GrantedProjectSchema,
  type ProjectGrantQuery,
  ProjectGrantState,
} from "../../gen/iam/project/v1/project_grant_pb.js";
import type { ProjectQuery } from "../../gen/iam/project/v1/project_pb.js";
import { grantsBy } from "../domain/grant.ts";
import { type Noun, streamOf } from "../domain/noun.ts";
import { org } from "../domain/org.ts";
import { project } from "../domain/project.ts";
import {
  projectGrant,
  projectGrantsOf,
  projectGrantsWith,
  type ProjectGrantState as State,
} from "../domain/project-grant.ts";
import { role } from "../domain/role.ts";
import type { NewEvent } from "../event.ts";
import { readOf } from "../execute/owner.ts";
import type { Found } from "../execute/read-object.ts";
import type { Filter } from "../store/query.ts";
import { callOf } from "./call.ts";
import { readDetails } from "./details.ts";
import type { Handlers } from "./handlers.ts";
import {
  assertKnownQuery,
  listPage,
  matchAll,
  matchHolders,
  matchIds,
  matchIf,
  matchOne,
  matchText,
} from "./listing.ts";
import { requireProject } from "./project.ts";
import type { Service } from "./service.ts";
import { createFind, type Find, findGranted, idsOf } from "./user/grant-query.ts";

/** The handlers that list projects that are granted: to whom, and what one was granted. */
export function projectGrantReadHandlers(service: Service) {
  const { store } = service;

  return {
    async listProjectGrants({ projectId, query, queries }, context) {
      await requireProject(service, projectId, context);
      const find = createFind(service, context);
      const filters: Filter[] = [matchHolders(projectGrantsOf(projectId))];
      // One after the other: each may take long.
      for (const one of queries) filters.push(await readQuery(one, projectId, find));
      const list = { where: matchAll(filters) };
      const { details, objects } = await listPage(service, context, projectGrant, list, query);
      return { details, result: await show(store, objects) };
    },

    async listGrantedProjects({ query, queries }, context) {
      const { organization } = callOf(context);
      const find = createFind(service, context);
      const filters: Filter[] = [];
      for (const one of queries) filters.push(await readGrantedQuery(one, organization, find));
      const list = { parents: [organization], where: matchAll(filters) };
      const { details, objects } = await listPage(service, context, projectGrant, list, query);
      return { details, result: await show(store, objects) };
    },
  } satisfies Handlers;
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
      const found = idsOf(await find(role, { parents: [projectId], where }));
      return matchHolders(...found.map(projectGrantsWith));
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
): Promise<GrantedProject[]> {
  const streams = found.flatMap(({ state: { projectId, roleIds, grantedOrgId, organization } }) => [
    streamOf(project, projectId),
    ...roleIds.map((id) => streamOf(role, id)),
    ...[streamOf(org, grantedOrgId), streamOf(org, organization)],
  ]);
  const read = await readOf(store)([...new Set(streams)]);
  const states = new Map(read.map(({ stream, state }) => [stream, state]));
  const stateOf = <Of>({ kind }: Noun<Of, NewEvent>, id: string) =>
    states.get(streamOf({ kind }, id)) as Of | undefined;
  const shown: GrantedProject[] = [];
  for (const { id, stored, state } of found) {
    const { projectId, roleIds, grantedOrgId, organization, isInactive } = state;
    const its = stateOf(project, projectId);
    const to = stateOf(org, grantedOrgId);
    if (its === undefined || to === undefined) continue;
    const { total } = await store.holders(grantsBy(id), 1);
    const granted = create(GrantedProjectSchema, {
      ...{ grantId: id, details: readDetails(stored), projectId, projectName: its.name },
      ...{ grantedOrgId, grantedOrgName: to.name, projectOwnerId: organization },
      projectOwnerName: stateOf(org, organization)?.name ?? "",
      grantedRoleKeys: roleIds.flatMap((roleId) => stateOf(role, roleId)?.key ?? []),
      state: isInactive ? ProjectGrantState.INACTIVE : ProjectGrantState.ACTIVE,
      users: BigInt(total),
    });
    shown.push(granted);
  }
  return shown;
}
