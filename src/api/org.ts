import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { UpdateOrgRequestSchema } from "../../gen/iam/management/v1/org_change_pb.js";
import { AddOrgRequestSchema } from "../../gen/iam/management/v1/org_pb.js";
import { OrgFieldName, type OrgQuery, OrgSchema, OrgState } from "../../gen/iam/org/v1/org_pb.js";
import { instance, instanceId } from "../domain/instance.ts";
import {
  addOrg,
  deactivateOrg,
  org,
  reactivateOrg,
  type OrgState as State,
  updateOrg,
} from "../domain/org.ts";
import { removeOrg } from "../domain/removal.ts";
import { outranks } from "../domain/user/state/acting.ts";
import { holdersBeyond } from "../domain/user/state/beyond.ts";
import { activeOwners, type UserState, user } from "../domain/user/state/user.ts";
import { findDependants } from "../execute/dependants.ts";
import { type Found, readObject } from "../execute/read-object.ts";
import type { Filter } from "../store/query.ts";
import { callOf, refuse } from "./call.ts";
import { createdDetails, readDetails } from "./details.ts";
import { enumNames } from "./enum.ts";
import { name, rulesOf } from "./field-rule.ts";
import type { Handlers } from "./handlers.ts";
import {
  assertKnownQuery,
  listPage,
  matchAll,
  matchIds,
  matchNothing,
  matchOne,
  matchText,
} from "./listing.ts";
import { perform, type Service } from "./service.ts";

/** What the domain asks of the fields of organizations: see `fieldRules`. */
export const orgRules = [
  rulesOf(AddOrgRequestSchema, { name }),
  rulesOf(UpdateOrgRequestSchema, { name }),
];

/** The handlers on organizations. */
export function orgHandlers(service: Service) {
  const { newId } = service;
  return {
    async listOrgs({ query, queries, sortingColumn }, context) {
      const sorted = sortingColumn === OrgFieldName.NAME ? { sortBy: "name" } : {};
      const list = { parents: [""], where: matchAll(queries.map(readQuery)), ...sorted };
      const { details, objects } = await listPage(service, context, org, list, query);
      return { details, sortingColumn, result: objects.map(showOrg) };
    },

    async addOrg({ name }, context) {
      const id = newId();
      return await perform(service, context, {
        writes: { org: { noun: org, id, owner: id, isNew: true } },
        decide: () => addOrg({ name }),
        answer: (written) => ({ id, details: createdDetails(written) }),
      });
    },

    async getMyOrg(_request, context) {
      const found = await readObject(service.store, org, callOf(context).organization);
      return { org: showOrg(found ?? refuse("PERMISSION_DENIED")) };
    },

    updateOrg: ({ name }, context) =>
      perform(service, context, {
        writes: ownOrg(context),
        decide: (states) => updateOrg(states.org, { name }),
      }),

    deactivateOrg: (_request, context) =>
      perform(service, context, {
        writes: ownOrg(context),
        ...taking(context),
        decide: deactivateOrg,
      }),

    async removeOrg(_request, context) {
      const { organization } = callOf(context);
      const { dependants, ...found } = await findDependants(service.store, {
        kind: "org",
        id: organization,
      });
      const { relies, groups } = taking(context);
      return await perform(service, context, {
        writes: { ...ownOrg(context), ...found.writes },
        relies: { ...relies, instance: { noun: instance, id: instanceId } },
        groups: { ...groups, ...found.groups },
        decide: (states) => removeOrg(states, dependants, { organization }),
      });
    },

    reactivateOrg: (_request, context) =>
      perform(service, context, {
        writes: ownOrg(context),
        decide: (states) => reactivateOrg(states.org),
      }),
  } satisfies Handlers;
}

/** The organization that the call acts on, for a command that changes it. */
function ownOrg(context: HandlerContext) {
  return { org: { noun: org, id: callOf(context).organization } };
}

/** What is looked at where a call takes the organization that it acts on out of use. */
function taking(context: HandlerContext) {
  const { caller, organization } = callOf(context);
  const beyond = { noun: user, ...holdersBeyond(organization) };
  return {
    relies: { caller: { noun: user, id: caller.userId } },
    groups: {
      otherOwners: {
        ...{ noun: user, ...activeOwners },
        counts: ({ isInactive, ...one }: UserState) =>
          !isInactive && one.organization !== organization,
      },
      beyond,
      outranked: {
        ...beyond,
        counts: (one: UserState, states: { readonly caller?: UserState }) =>
          outranks(states.caller, one),
      },
    },
  };
}

function showOrg({ id, stored, state: { name, isInactive } }: Found<State>) {
  const state = isInactive ? OrgState.INACTIVE : OrgState.ACTIVE;
  return create(OrgSchema, { id, details: readDetails(stored), state, name });
}

const states = enumNames(OrgState, "");

function readQuery({ query }: OrgQuery): Filter {
  switch (query.case) {
    case "idQuery":
      return matchIds(org, [query.value.id]);
    case "nameQuery":
      return matchText("name", query.value.name, query.value.method);
    case "stateQuery":
      return matchOne("state", [states.read(query.value.state)]);
    case "domainQuery":
      // There are no domains yet.
      return matchNothing;
    default:
      return assertKnownQuery();
  }
}
