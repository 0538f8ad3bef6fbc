import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  GetIDPByIDRequest,
  GetIDPByIDResponseSchema,
  IDPQuery as InstanceIDPQuery,
  ListIDPsRequest,
  ListIDPsResponseSchema,
} from "../../../gen/iam/admin/v1/idp_search_pb.js";
import {
  type IDP,
  IDPFieldName,
  IDPOwnerType,
  IDPSchema,
  IDPState,
  IDPStylingType,
  OIDCMappingField,
} from "../../../gen/iam/idp/v1/idp_pb.js";
import type {
  GetOrgIDPByIDRequest,
  GetOrgIDPByIDResponseSchema,
  IDPQuery,
  ListOrgIDPsRequest,
  ListOrgIDPsResponseSchema,
} from "../../../gen/iam/management/v1/idp_search_pb.js";
import {
  idp,
  idpNotFound,
  type OIDCSettings,
  placesFor,
  type Serves,
  type IDPState as State,
  servesOrganization,
} from "../../domain/idp.ts";
import { streamOf } from "../../domain/noun.ts";
import type { Filter } from "../../store/query.ts";
import { callOf, refusalOf } from "../call.ts";
import { readDetails } from "../details.ts";
import {
  allOf,
  type Found,
  findObject,
  listPage,
  oneOf,
  textFilter,
  unknownQuery,
} from "../listing.ts";
import type { Service } from "../service.ts";

/** The handlers that read identity providers. */
export function idpReadHandlers(service: Service) {
  return {
    async getIDPByID({
      id,
    }: GetIDPByIDRequest): Promise<MessageInitShape<typeof GetIDPByIDResponseSchema>> {
      const found = await findObject(service, idp, id);
      if (found === undefined) throw refusalOf(idpNotFound());
      return { idp: idpOf(found) };
    },

    async listIDPs({
      query,
      queries,
      sortingColumn,
    }: ListIDPsRequest): Promise<MessageInitShape<typeof ListIDPsResponseSchema>> {
      const list = { where: allOf(queries.map(filterOf)), ...sorted(sortingColumn) };
      const { details, objects } = await listPage(service, idp, list, query);
      return { details, sortingColumn, result: objects.map(idpOf) };
    },

    async getOrgIDPByID(
      { id }: GetOrgIDPByIDRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof GetOrgIDPByIDResponseSchema>> {
      const found = await findObject(service, idp, id);
      if (found === undefined || !servesOrganization(found.state, callOf(context).organization)) {
        throw refusalOf(idpNotFound());
      }
      return { idp: idpOf(found) };
    },

    async listOrgIDPs(
      { query, queries, sortingColumn }: ListOrgIDPsRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof ListOrgIDPsResponseSchema>> {
      const list = {
        parents: placesFor(callOf(context).organization),
        where: allOf(queries.map(filterOf)),
        ...sorted(sortingColumn),
      };
      const { details, objects } = await listPage(service, idp, list, query);
      return { details, sortingColumn, result: objects.map(idpOf) };
    },
  };
}

function idpOf({ id, stored, state }: Found<State>): IDP {
  return create(IDPSchema, {
    id,
    details: readDetails(stored),
    // Nothing takes a provider out of use yet.
    state: IDPState.IDP_STATE_ACTIVE,
    name: state.name,
    stylingType: IDPStylingType[`STYLING_TYPE_${state.stylingType}`],
    owner: owners[state.serves],
    autoRegister: state.autoRegister,
    config: configOf(state),
  });
}

function configOf({ oidc, jwt }: State) {
  if (jwt !== undefined) return { case: "jwtConfig", value: jwt } as const;
  if (oidc !== undefined) return { case: "oidcConfig", value: oidcConfigOf(oidc) } as const;
  return { case: undefined } as const;
}

function oidcConfigOf({ clientId, issuer, scopes, ...mappings }: OIDCSettings) {
  return {
    clientId,
    issuer,
    scopes: [...scopes],
    displayNameMapping: OIDCMappingField[`OIDC_MAPPING_FIELD_${mappings.displayNameMapping}`],
    usernameMapping: OIDCMappingField[`OIDC_MAPPING_FIELD_${mappings.usernameMapping}`],
  };
}

function filterOf({ query }: InstanceIDPQuery | IDPQuery): Filter {
  switch (query.case) {
    case "idpIdQuery":
      return { kind: "streams", streams: [streamOf(idp, query.value.id)] };
    case "idpNameQuery":
      return textFilter("name", query.value.name, query.value.method);
    case "ownerTypeQuery": {
      const { ownerType } = query.value;
      const served = Object.entries(owners).filter(([, owner]) => owner === ownerType);
      return oneOf(
        "serves",
        served.map(([serves]) => serves),
      );
    }
    default:
      throw unknownQuery();
  }
}

function sorted(column: IDPFieldName) {
  return column === IDPFieldName.IDP_FIELD_NAME_NAME ? { sortBy: "name" } : {};
}

const owners: { readonly [serves in Serves]: IDPOwnerType } = {
  INSTANCE: IDPOwnerType.IDP_OWNER_TYPE_SYSTEM,
  ORGANIZATION: IDPOwnerType.IDP_OWNER_TYPE_ORG,
};
