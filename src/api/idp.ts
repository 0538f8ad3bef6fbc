import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  AddJWTIDPRequest,
  UpdateIDPOIDCConfigRequest,
} from "../../gen/iam/admin/v1/idp_pb.js";
import type { IDPQuery as InstanceIDPQuery } from "../../gen/iam/admin/v1/idp_search_pb.js";
import {
  IDPFieldName,
  IDPOwnerType,
  IDPSchema,
  IDPState,
  IDPStylingType,
  OIDCMappingField,
} from "../../gen/iam/idp/v1/idp_pb.js";
import type { AddOrgOIDCIDPRequest } from "../../gen/iam/management/v1/idp_pb.js";
import type { IDPQuery } from "../../gen/iam/management/v1/idp_search_pb.js";
import {
  addJWTIDP,
  addOrgOIDCIDP,
  idp,
  linksTo,
  type OIDCSettings,
  parentsFor,
  removeIDP,
  removeOrgIDP,
  type Serves,
  type IDPState as State,
  servesOrganization,
  updateOIDCConfig,
} from "../domain/idp.ts";
import { streamOf } from "../domain/noun.ts";
import { user } from "../domain/user/user.ts";
import { readCounted, withoutRemoved } from "../execute/owner.ts";
import type { Found } from "../execute/read-object.ts";
import type { Filter } from "../store/query.ts";
import { actorOf, callOf, ownerPermissionOf, permissionOf, refuse } from "./call.ts";
import { decideWhole } from "./changing.ts";
import { changedDetails, createdDetails, readDetails } from "./details.ts";
import { enumNames } from "./enum.ts";
import type { Handlers } from "./handlers.ts";
import { assertKnownQuery, listPage, matchAll, matchIds, matchOne, matchText } from "./listing.ts";
import { requireAnswer, type Service } from "./service.ts";

/** The handlers that create and change identity providers. */
export function idpHandlers({ execute, newId, keyring }: Service) {
  const seal = (id: string, secret: string) =>
    keyring.seal(secret, { stream: streamOf(idp, id), field: "clientSecret" });

  return {
    async addJWTIDP(request, context) {
      const { organization } = callOf(context);
      const { jwtEndpoint, issuer, keysEndpoint, headerName } = request;
      const idpId = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { idp: { noun: idp, id: idpId, owner: organization, isNew: true } },
        decide: () =>
          addJWTIDP(readConfig(request), { jwtEndpoint, issuer, keysEndpoint, headerName }),
        answer: (written) => ({ idpId, details: createdDetails(written) }),
      });
      return requireAnswer(outcome);
    },

    async addOrgOIDCIDP(request, context) {
      const { organization } = callOf(context);
      const idpId = newId();
      const clientSecret = seal(idpId, request.clientSecret);
      const outcome = await execute({
        ...actorOf(context),
        writes: { idp: { noun: idp, id: idpId, owner: organization, isNew: true } },
        decide: () =>
          addOrgOIDCIDP(readConfig(request), { ...readSettings(request), clientSecret }),
        answer: (written) => ({ idpId, details: createdDetails(written) }),
      });
      return requireAnswer(outcome);
    },

    async updateIDPOIDCConfig(request, context) {
      const { caller } = callOf(context);
      const { idpId, clientSecret } = request;
      const secret = clientSecret === "" ? undefined : seal(idpId, clientSecret);
      const permissions = {
        permission: permissionOf(context),
        ownerPermission: ownerPermissionOf(context),
      };
      const outcome = await execute({
        ...actorOf(context),
        writes: { idp: { noun: idp, id: idpId } },
        relies: { caller: { noun: user, id: caller.userId } },
        decide: ({ idp: before, caller: as }) => {
          const rights = { memberships: as?.memberships ?? [], ...permissions };
          const current = before?.oidc && showOIDC(before.oidc);
          return decideWhole(request, context, current, (whole) =>
            updateOIDCConfig(before, readSettings(whole), secret, rights),
          );
        },
        answer: (written) => ({ details: changedDetails(written) }),
      });
      return requireAnswer(outcome);
    },

    async removeIDP({ idpId }, context) {
      const outcome = await execute({
        ...removing(idpId, context),
        decide: removeIDP,
        answer: (written) => ({ details: changedDetails(written) }),
      });
      return requireAnswer(outcome);
    },

    async removeOrgIDP({ idpId }, context) {
      const { organization } = callOf(context);
      const outcome = await execute({
        ...removing(idpId, context),
        decide: (states) => removeOrgIDP(states, { organization }),
        answer: () => ({}),
      });
      return requireAnswer(outcome);
    },
  } satisfies Handlers;
}

/** The handlers that read identity providers. */
export function idpReadHandlers(service: Service) {
  return {
    async getIDPByID({ id }) {
      const found = await readCounted(service.store, idp, id);
      if (found === undefined) refuse("IDP_NOT_FOUND");
      return { idp: showIDP(found) };
    },

    async listIDPs({ query, queries, sortingColumn }, context) {
      const list = { where: matchAll(queries.map(readQuery)), ...columns[sortingColumn] };
      const { details, objects } = await listPage(service, context, idp, list, query);
      const counting = await withoutRemoved(service.store, objects);
      return { details, sortingColumn, result: counting.map(showIDP) };
    },

    async getOrgIDPByID({ id }, context) {
      const found = await readCounted(service.store, idp, id);
      if (found === undefined || !servesOrganization(found.state, callOf(context).organization)) {
        refuse("IDP_NOT_FOUND");
      }
      return { idp: showIDP(found) };
    },

    async listOrgIDPs({ query, queries, sortingColumn }, context) {
      const list = {
        parents: parentsFor(callOf(context).organization),
        where: matchAll(queries.map(readQuery)),
        ...columns[sortingColumn],
      };
      const { details, objects } = await listPage(service, context, idp, list, query);
      const counting = await withoutRemoved(service.store, objects);
      return { details, sortingColumn, result: counting.map(showIDP) };
    },
  } satisfies Handlers;
}

/** The command on a provider and the users who are linked to it: there must be none of them. */
function removing(id: string, context: HandlerContext) {
  return {
    ...actorOf(context),
    writes: { idp: { noun: idp, id } },
    groups: { linked: { noun: user, ...linksTo(id) } },
  };
}

function readConfig({ name, stylingType, autoRegister }: AddJWTIDPRequest | AddOrgOIDCIDPRequest) {
  return { name, stylingType: stylingTypes.read(stylingType), autoRegister };
}

function readSettings(request: AddOrgOIDCIDPRequest | UpdateIDPOIDCConfigRequest): OIDCSettings {
  const { issuer, clientId, scopes, displayNameMapping, usernameMapping } = request;
  return {
    ...{ issuer, clientId, scopes },
    displayNameMapping: mappingFields.read(displayNameMapping),
    usernameMapping: mappingFields.read(usernameMapping),
  };
}

function readQuery({ query }: InstanceIDPQuery | IDPQuery): Filter {
  switch (query.case) {
    case "idpIdQuery":
      return matchIds(idp, [query.value.id]);
    case "idpNameQuery":
      return matchText("name", query.value.name, query.value.method);
    case "ownerTypeQuery": {
      const { ownerType } = query.value;
      const served = Object.entries(owners).filter(([, owner]) => owner === ownerType);
      return matchOne(
        "serves",
        served.map(([serves]) => serves),
      );
    }
    default:
      return assertKnownQuery();
  }
}

function showIDP({ id, stored, state }: Found<State>) {
  return create(IDPSchema, {
    id,
    details: readDetails(stored),
    // Nothing takes a provider out of use yet.
    state: IDPState.IDP_STATE_ACTIVE,
    name: state.name,
    stylingType: stylingTypes.show(state.stylingType),
    owner: owners[state.serves],
    autoRegister: state.autoRegister,
    config: showConfig(state),
  });
}

function showConfig({ oidc, jwt }: State) {
  if (jwt !== undefined) return { case: "jwtConfig", value: jwt } as const;
  if (oidc === undefined) return { case: undefined } as const;
  return { case: "oidcConfig", value: showOIDC(oidc) } as const;
}

function showOIDC(settings: OIDCSettings) {
  const { clientId, issuer, scopes, displayNameMapping, usernameMapping } = settings;
  return {
    ...{ clientId, issuer, scopes: [...scopes] },
    displayNameMapping: mappingFields.show(displayNameMapping),
    usernameMapping: mappingFields.show(usernameMapping),
  };
}

const stylingTypes = enumNames(IDPStylingType, "STYLING_TYPE_");
const mappingFields = enumNames(OIDCMappingField, "OIDC_MAPPING_FIELD_");

const owners: { readonly [serves in Serves]: IDPOwnerType } = {
  INSTANCE: IDPOwnerType.IDP_OWNER_TYPE_SYSTEM,
  ORGANIZATION: IDPOwnerType.IDP_OWNER_TYPE_ORG,
};

/** The field of a row by which a column sorts; ids are in the order of creation. */
const columns: { readonly [column in IDPFieldName]: { readonly sortBy?: string } } = {
  [IDPFieldName.IDP_FIELD_NAME_UNSPECIFIED]: {},
  [IDPFieldName.IDP_FIELD_NAME_NAME]: { sortBy: "name" },
};
