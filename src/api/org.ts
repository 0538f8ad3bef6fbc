import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  ListOrgsRequest,
  ListOrgsResponseSchema,
} from "../../gen/iam/admin/v1/org_search_pb.js";
import type { AddOrgRequest, AddOrgResponseSchema } from "../../gen/iam/management/v1/org_pb.js";
import {
  type Org,
  OrgFieldName,
  type OrgQuery,
  OrgSchema,
  OrgState,
} from "../../gen/iam/org/v1/org_pb.js";
import { streamOf } from "../domain/noun.ts";
import { addOrg, org, type OrgState as State } from "../domain/org.ts";
import type { Filter } from "../store/query.ts";
import { actorOf } from "./call.ts";
import { createdDetails, readDetails } from "./details.ts";
import {
  allOf,
  everythingIf,
  type Found,
  listPage,
  nothing,
  textFilter,
  unknownQuery,
} from "./listing.ts";
import { type Service, written } from "./service.ts";

/** The handlers on organizations. */
export function orgHandlers(service: Service) {
  const { execute, newId } = service;
  return {
    async listOrgs({
      query,
      queries,
      sortingColumn,
    }: ListOrgsRequest): Promise<MessageInitShape<typeof ListOrgsResponseSchema>> {
      const sorted = sortingColumn === OrgFieldName.NAME ? { sortBy: "name" } : {};
      const list = { parents: [""], where: allOf(queries.map(filterOf)), ...sorted };
      const { details, objects } = await listPage(service, org, list, query);
      return { details, sortingColumn, result: objects.map(orgOf) };
    },

    async addOrg(
      { name }: AddOrgRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddOrgResponseSchema>> {
      const id = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { org: { noun: org, id, owner: id } },
        relies: {},
        decide: () => addOrg({ name }),
      });
      return { id, details: createdDetails(written(outcome)) };
    },
  };
}

function orgOf({ id, stored, state: { name } }: Found<State>): Org {
  // Nothing takes an organization out of use yet.
  return create(OrgSchema, { id, details: readDetails(stored), state: OrgState.ACTIVE, name });
}

function filterOf({ query }: OrgQuery): Filter {
  switch (query.case) {
    case "idQuery":
      return { kind: "streams", streams: [streamOf(org, query.value.id)] };
    case "nameQuery":
      return textFilter("name", query.value.name, query.value.method);
    case "stateQuery":
      return everythingIf(query.value.state === OrgState.ACTIVE);
    case "domainQuery":
      // There are no domains yet.
      return nothing;
    default:
      throw unknownQuery();
  }
}
