import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import type {
  AddJWTIDPRequest,
  AddJWTIDPResponseSchema,
  UpdateIDPOIDCConfigRequest,
  UpdateIDPOIDCConfigResponseSchema,
} from "../../../gen/iam/admin/v1/idp_pb.js";
import { IDPStylingType, OIDCMappingField } from "../../../gen/iam/idp/v1/idp_pb.js";
import type {
  AddOrgOIDCIDPRequest,
  AddOrgOIDCIDPResponseSchema,
} from "../../../gen/iam/management/v1/idp_pb.js";
import {
  addJWTIDP,
  addOrgOIDCIDP,
  idp,
  type MappingField,
  type OIDCSettings,
  type StylingType,
  updateOIDCConfig,
} from "../../domain/idp.ts";
import { streamOf } from "../../domain/noun.ts";
import { user } from "../../domain/user/user.ts";
import { actorOf, callOf } from "../call.ts";
import { changedDetails, createdDetails } from "../details.ts";
import { type Service, written } from "../service.ts";

/** The handlers on identity providers. */
export function idpHandlers({ execute, newId, keyring }: Service) {
  const sealed = (id: string, secret: string) =>
    keyring.seal(secret, { stream: streamOf(idp, id), field: "clientSecret" });

  return {
    async addJWTIDP(
      request: AddJWTIDPRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddJWTIDPResponseSchema>> {
      const { organization } = callOf(context);
      const { jwtEndpoint, issuer, keysEndpoint, headerName } = request;
      const idpId = newId();
      const outcome = await execute({
        ...actorOf(context),
        writes: { idp: { noun: idp, id: idpId, owner: organization } },
        relies: {},
        decide: () =>
          addJWTIDP(configOf(request), { jwtEndpoint, issuer, keysEndpoint, headerName }),
      });
      return { idpId, details: createdDetails(written(outcome)) };
    },

    async addOrgOIDCIDP(
      request: AddOrgOIDCIDPRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof AddOrgOIDCIDPResponseSchema>> {
      const { organization } = callOf(context);
      const idpId = newId();
      const clientSecret = sealed(idpId, request.clientSecret);
      const outcome = await execute({
        ...actorOf(context),
        writes: { idp: { noun: idp, id: idpId, owner: organization } },
        relies: {},
        decide: () => addOrgOIDCIDP(configOf(request), { ...oidcSettings(request), clientSecret }),
      });
      return { idpId, details: createdDetails(written(outcome)) };
    },

    async updateIDPOIDCConfig(
      request: UpdateIDPOIDCConfigRequest,
      context: HandlerContext,
    ): Promise<MessageInitShape<typeof UpdateIDPOIDCConfigResponseSchema>> {
      const { caller } = callOf(context);
      const { idpId, clientSecret } = request;
      const secret = clientSecret === "" ? undefined : sealed(idpId, clientSecret);
      const outcome = await execute({
        ...actorOf(context),
        writes: { idp: { noun: idp, id: idpId } },
        relies: { caller: { noun: user, id: caller.userId } },
        decide: (states) =>
          updateOIDCConfig(
            states.idp,
            oidcSettings(request),
            secret,
            states.caller?.memberships ?? [],
          ),
      });
      return { details: changedDetails(written(outcome)) };
    },
  };
}

function configOf(request: AddJWTIDPRequest | AddOrgOIDCIDPRequest) {
  const { name, stylingType, autoRegister } = request;
  return { name, stylingType: stylingTypes[stylingType], autoRegister };
}

function oidcSettings(request: AddOrgOIDCIDPRequest | UpdateIDPOIDCConfigRequest): OIDCSettings {
  return {
    issuer: request.issuer,
    clientId: request.clientId,
    scopes: request.scopes,
    displayNameMapping: mappingFields[request.displayNameMapping],
    usernameMapping: mappingFields[request.usernameMapping],
  };
}

const stylingTypes: { readonly [type in IDPStylingType]: StylingType } = {
  [IDPStylingType.STYLING_TYPE_UNSPECIFIED]: "UNSPECIFIED",
  [IDPStylingType.STYLING_TYPE_GOOGLE]: "GOOGLE",
};

const mappingFields: { readonly [field in OIDCMappingField]: MappingField } = {
  [OIDCMappingField.OIDC_MAPPING_FIELD_UNSPECIFIED]: "UNSPECIFIED",
  [OIDCMappingField.OIDC_MAPPING_FIELD_PREFERRED_USERNAME]: "PREFERRED_USERNAME",
  [OIDCMappingField.OIDC_MAPPING_FIELD_EMAIL]: "EMAIL",
};
