import { create } from "@bufbuild/protobuf";
import { OrgFieldName, type OrgQuery, OrgSchema, OrgState } from "../../gen/iam/org/v1/org_pb.js";
import { addOrg, org, type OrgState as State } from "../domain/org.ts";
import type { Found } from "../execute/read-object.ts";
import type { Filter } from "../store/query.ts";
import { actorOf } from "./call.ts";
import { createdDetails, readDetails } from "./details.ts";
import type { Handlers } from "./handlers.ts";
import {
  assertKnownQuery,
  listPage,
  matchAll,
  matchIds,
  matchIf,
  matchNothing,
  matchText,
} from "./listing.ts";
import { requireAnswer, type Service } from "./service.ts";

/** The handlers on organizations. */
export function orgHandlers(service: Service) {
  const { execute, newId } = service;
  return {
    async listOrgs({ query, queries, sortingColumn }, context) {
      const sorted = sortingColumn === OrgFieldName.NAME ? { sortBy: "name" } : {};
      const list = { parents: [""], where: matchAll(queries.map(readQuery)), ...sorted };
      const { details, objects } = await listPage(service, context, org, list, query);
      return { details, sortingColumn, result: objects.map(showOrg) };
    },

    async addOrg({ name }, context) {
      const id = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { org: { noun: org, id, owner: id, isNew: true } },
        decide: () => addOrg({ name }),
        answer: (written) => ({ id, details: createdDetails(written) }),
      });
      return requireAnswer(outcome);
    },
  } satisfies Handlers;
}

function showOrg({ id, stored, state: { name } }: Found<State>) {
  // Nothing takes an organization out of use yet.
  return create(OrgSchema, { id, details: readDetails(stored), state: OrgState.ACTIVE, name });
}

function readQuery({ query }: OrgQuery): Filter {
  switch (query.case) {
    case "idQuery":
      return matchIds(org, [query.value.id]);
    case "nameQuery":
      return matchText("name", query.value.name, query.value.method);
    case "stateQuery":
      return matchIf(query.value.state === OrgState.ACTIVE);
    case "domainQuery":
      // There are no domains yet.
      return matchNothing;
    default:
      return assertKnownQuery();
  }
}
