import type { HandlerContext } from "@connectrpc/connect";
import type { UpdateIDPRequest } from "../../../gen/iam/admin/v1/idp_change_pb.js";
import { IDPFieldName } from "../../../gen/iam/idp/v1/idp_pb.js";
import { updateIDP, updateOIDCConfig } from "../../domain/idp-change.ts";
import type { JWTProvider } from "../../domain/idp-config.ts";
import type { Handlers } from "../handlers.ts";
import type { Service } from "../service.ts";
import { type Asked, type Level, providerCalls, providerReads, type Updating } from "./calls.ts";
import { type OlderOIDC, readJWT, readOIDC, showOIDC, stylingTypes } from "./forms.ts";
import { showIDP } from "./show.ts";

type Calls = ReturnType<typeof callsAt>;

function callsAt(service: Service, level: Level) {
  return { ...providerCalls(service, level), ...providerReads(service, level) };
}

/** The handlers on identity providers by the calls without templates and options. */
export function idpHandlers(service: Service) {
  const whereItLies = providerCalls(service, "anywhere");
  return {
    ...instanceHandlers(callsAt(service, "instance")),
    ...organizationHandlers(callsAt(service, "organization")),

    updateIDPOIDCConfig: (request, context) =>
      whereItLies.update(request, context, request.idpId, oidc),
  } satisfies Handlers;
}

function instanceHandlers(calls: Calls) {
  return {
    addJWTIDP: (request, context) => calls.add(context, newJWT(request)),
    addOIDCIDP: (request, context) => calls.add(context, newOIDC(request)),
    updateIDP: (request, context) => calls.update(request, context, request.idpId, config),
    updateIDPJWTConfig: (request, context) => calls.update(request, context, request.idpId, jwt),
    deactivateIDP: ({ idpId }, context) => calls.switch(idpId, context, true),
    reactivateIDP: ({ idpId }, context) => calls.switch(idpId, context, false),
    removeIDP: ({ idpId }, context) => calls.remove(idpId, context),

    async getIDPByID({ id }, context) {
      return { idp: showIDP(await calls.find(id, context)) };
    },

    listIDPs: (request, context) => listIn(calls, request, context),
  } satisfies Handlers;
}

function organizationHandlers(calls: Calls) {
  return {
    addOrgJWTIDP: (request, context) => calls.add(context, newJWT(request)),
    addOrgOIDCIDP: (request, context) => calls.add(context, newOIDC(request)),
    updateOrgIDP: (request, context) => calls.update(request, context, request.idpId, config),
    updateOrgIDPOIDCConfig: (request, context) =>
      calls.update(request, context, request.idpId, oidc),
    updateOrgIDPJWTConfig: (request, context) => calls.update(request, context, request.idpId, jwt),
    deactivateOrgIDP: ({ idpId }, context) => calls.switch(idpId, context, true),
    reactivateOrgIDP: ({ idpId }, context) => calls.switch(idpId, context, false),

    async removeOrgIDP({ idpId }, context) {
      await calls.remove(idpId, context);
      return {};
    },

    async getOrgIDPByID({ id }, context) {
      return { idp: showIDP(await calls.find(id, context)) };
    },

    listOrgIDPs: (request, context) => listIn(calls, request, context),
  } satisfies Handlers;
}

type ConfigRequest = Pick<UpdateIDPRequest, "name" | "stylingType" | "autoRegister">;

const config: Updating<ConfigRequest> = {
  show: ({ name, stylingType, autoRegister }) => ({
    ...{ name, stylingType: stylingTypes.show(stylingType), autoRegister },
  }),
  read: (whole) => ({ config: readConfig(whole) }),
  decide: updateIDP,
};

const oidc: Updating<OlderOIDC> = {
  show: (state) => state.oidc && showOIDC(state.oidc),
  read: (whole) => ({ settings: readOIDC(whole) }),
  decide: updateOIDCConfig,
};

const jwt: Updating<JWTProvider> = {
  show: (state) => state.jwt,
  read: (whole) => ({ settings: readJWT(whole) }),
  decide: (states, reach, update) => updateIDP(states, reach, update, "JWT"),
};

function readConfig({ name, stylingType, autoRegister }: ConfigRequest) {
  return { name, stylingType: stylingTypes.read(stylingType), autoRegister };
}

function newJWT(request: ConfigRequest & JWTProvider) {
  return { config: readConfig(request), template: "JWT", settings: readJWT(request) } as const;
}

function newOIDC(request: ConfigRequest & OlderOIDC & { readonly clientSecret: string }) {
  const { clientSecret } = request;
  const settings = readOIDC(request);
  return { config: readConfig(request), template: "OIDC", settings, clientSecret } as const;
}

async function listIn(
  calls: Calls,
  { sortingColumn, ...asked }: Asked & { readonly sortingColumn: IDPFieldName },
  context: HandlerContext,
) {
  const { query, queries } = asked;
  const order = { query, queries, ...columns[sortingColumn] };
  const { details, found } = await calls.list(context, order);
  return { details, sortingColumn, result: found.map(showIDP) };
}

/** The field of a row by which a column sorts; ids are in the order of creation. */
const columns: { readonly [column in IDPFieldName]: { readonly sortBy?: string } } = {
  [IDPFieldName.IDP_FIELD_NAME_UNSPECIFIED]: {},
  [IDPFieldName.IDP_FIELD_NAME_NAME]: { sortBy: "name" },
};
