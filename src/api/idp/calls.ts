import type { HandlerContext } from "@connectrpc/connect";
import type { IDPQuery as InstanceIDPQuery } from "../../../gen/iam/admin/v1/idp_search_pb.js";
import type { IDPQuery } from "../../../gen/iam/management/v1/idp_search_pb.js";
import type { ListQuery } from "../../../gen/iam/v1/search_pb.js";
import {
  type IDPState,
  idp,
  linksTo,
  parentsFor,
  secretOfIDP,
  servesOrganization,
} from "../../domain/idp.ts";
import {
  addIDP,
  type IDPDecision,
  type LinkedIDP,
  type Reach,
  removeIDP,
  type Settings,
  switchIDP,
  type Update,
} from "../../domain/idp-change.ts";
import type { IDPConfig, Template } from "../../domain/idp-config.ts";
import { type UserState, user } from "../../domain/user/state/user.ts";
import { readCounted, withoutRemoved } from "../../execute/owner.ts";
import { type Found, ownerOfAll } from "../../execute/read-object.ts";
import type { Filter } from "../../store/query.ts";
import { callOf, ownerPermissionOf, permissionOf, refuse } from "../call.ts";
import { decideWhole, type Masked } from "../changing.ts";
import { createdDetails } from "../details.ts";
import { assertKnownQuery, listPage, matchAll, matchIds, matchOne, matchText } from "../listing.ts";
import { perform, type Service } from "../service.ts";
import { servedBy } from "./show.ts";

/**
 * The providers that calls are about: all of the instance, those of one organization, or those that
 * the caller may change where they lie.
 */
export type Level = "instance" | "organization" | "anywhere";

/** A provider that is to be created: what is set of its template, and its secret as it is. */
interface New {
  readonly config: Omit<IDPConfig, "serves">;
  readonly template: Template;
  readonly settings: Settings;
  readonly clientSecret?: string;
}

/** How an update says what it changes. */
export interface Updating<Request> {
  /** What the fields of the request say of a provider as it is; nothing of another template. */
  show(state: IDPState): object | undefined;
  read(whole: Request): Pick<Update, "config" | "settings">;
  decide(states: LinkedIDP, reach: Reach, update: Update): IDPDecision;
}

/** What calls do with providers at one level. */
export function providerCalls(service: Service, level: Level) {
  const { newId, keyring, store } = service;

  /** Seals a client secret for its provider; an empty one is none. */
  const seal = (id: string, secret: string) =>
    secret === "" ? {} : { clientSecret: keyring.seal(secret, secretOfIDP(id)) };

  function reachOf(context: HandlerContext, caller: UserState | undefined): Reach {
    if (level === "instance") return "ALL";
    if (level === "organization") return { organization: callOf(context).organization };
    const rights = {
      permission: permissionOf(context),
      ownerPermission: ownerPermissionOf(context),
    };
    return { memberships: caller?.memberships ?? [], ...rights };
  }

  /** Changes a provider, which the number of users who are linked to it may hinder. */
  async function change(
    id: string,
    context: HandlerContext,
    decide: (states: LinkedIDP, reach: Reach) => IDPDecision,
  ) {
    return await perform(service, context, {
      writes: { idp: { noun: idp, id } },
      relies: { caller: { noun: user, id: callOf(context).caller.userId } },
      groups: { linked: { noun: user, ...linksTo(id) } },
      decide: (states) => decide(states, reachOf(context, states.caller)),
    });
  }

  return {
    async add(context: HandlerContext, { config, template, settings, clientSecret = "" }: New) {
      const id = newId();
      const serves = level === "organization" ? "ORGANIZATION" : "INSTANCE";
      const isOfAll = serves === "INSTANCE";
      const owner = isOfAll ? await ownerOfAll(store) : callOf(context).organization;
      const setup = { template, settings, ...seal(id, clientSecret) };
      return await perform(service, context, {
        writes: { idp: { noun: idp, id, owner, isNew: true } },
        decide: () => addIDP({ ...config, serves }, setup),
        // Calls without options have another name for the id.
        answer: (written) => ({ id, idpId: id, details: createdDetails(written) }),
      });
    },

    /** Replaces what an update says, or what its mask names. An empty secret stays. */
    update<Request extends Masked & { readonly clientSecret?: string }>(
      request: Request,
      context: HandlerContext,
      id: string,
      { show, read, decide }: Updating<NoInfer<Request>>,
    ) {
      const secret = seal(id, request.clientSecret ?? "");
      return change(id, context, (states, reach) =>
        decideWhole(request, context, states.idp && show(states.idp), (whole) =>
          decide(states, reach, { ...read(whole), ...secret }),
        ),
      );
    },

    /** Takes a provider out of use or brings it back. */
    switch: (id: string, context: HandlerContext, isInactive: boolean) =>
      change(id, context, (states, reach) => switchIDP(states.idp, reach, isInactive)),

    remove: (id: string, context: HandlerContext) => change(id, context, removeIDP),
  };
}

/** What calls read of the providers at one level. */
export function providerReads(service: Service, level: Level) {
  const { store } = service;
  const organizationOf = (context: HandlerContext) =>
    level === "organization" ? callOf(context).organization : undefined;

  return {
    /** Reads a provider that the organization is served by, or any. */
    async find(id: string, context: HandlerContext): Promise<Found<IDPState>> {
      const found = await readCounted(store, idp, id);
      const organization = organizationOf(context);
      const isSeen = organization === undefined || servesOrganization(found?.state, organization);
      return found === undefined || !isSeen ? refuse("IDP_NOT_FOUND") : found;
    },

    /** Reads a page of them. */
    async list(context: HandlerContext, { query, queries, sortBy }: Asked) {
      const organization = organizationOf(context);
      const list = {
        ...(organization === undefined ? {} : { parents: parentsFor(organization) }),
        where: matchAll(queries.map(readQuery)),
        ...(sortBy === undefined ? {} : { sortBy }),
      };
      const { details, objects } = await listPage(service, context, idp, list, query);
      return { details, found: await withoutRemoved(store, objects) };
    },
  };
}

/** A page that is asked for. */
export interface Asked {
  readonly query?: ListQuery | undefined;
  readonly queries: readonly Pick<InstanceIDPQuery | IDPQuery, "query">[];
  /** The field of the rows to sort by; left out, they are in the order of creation. */
  readonly sortBy?: string;
}

function readQuery({ query }: Pick<InstanceIDPQuery | IDPQuery, "query">): Filter {
  switch (query.case) {
    case "idpIdQuery":
      return matchIds(idp, [query.value.id]);
    case "idpNameQuery":
      return matchText("name", query.value.name, query.value.method);
    case "ownerTypeQuery":
      return matchOne("serves", servedBy(query.value.ownerType));
    default:
      return assertKnownQuery();
  }
}
