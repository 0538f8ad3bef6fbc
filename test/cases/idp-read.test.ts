import { type DescMethodUnary, type Message, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { AddJWTIDPResponse } from "../../gen/iam/admin/v1/idp_pb.js";
import type { GetIDPByIDResponse } from "../../gen/iam/admin/v1/idp_search_pb.js";
import { IDPStylingType, OIDCMappingField } from "../../gen/iam/idp/v1/idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { idp } from "../../src/domain/idp.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { detailsJson, eventsOf } from "./given.ts";
import { givenJWTProvider, givenOIDCProvider } from "./idps.ts";
import { lookupRows } from "./lookups.ts";
import { granted } from "./stored.ts";

const { addJWTIDP, getIDPByID, updateIDPOIDCConfig } = AdminService.method;
const { addOrgOIDCIDP, getOrgIDPByID } = ManagementService.method;
const { OIDC_MAPPING_FIELD_EMAIL, OIDC_MAPPING_FIELD_PREFERRED_USERNAME } = OIDCMappingField;

const both: readonly DescMethodUnary[] = [getIDPByID, getOrgIDPByID];
const notFound = {
  code: 5,
  reason: "IDP_NOT_FOUND",
  message: "No identity provider with this id exists where the caller may act.",
} as const;

const jwt = {
  jwtEndpoint: "https://idp.example.com/jwt",
  issuer: "urn:idp",
  keysEndpoint: "https://idp.example.com/keys",
  headerName: "x-jwt",
};
const oidc = { clientId: "client", issuer: "https://idp.example.com" };
const STYLING_TYPE_GOOGLE = IDPStylingType.STYLING_TYPE_GOOGLE;

runCases("reading one identity provider", [
  ...both.flatMap((method) =>
    lookupRows({
      ...{ method, noun: idp, notFound },
      given: ({ server }, { organization }) =>
        givenOIDCProvider(server, organization, { clientSecret: "secret" }),
      request: (id) => ({ id }),
      removal: { type: "idp.removed", payload: {} },
      ...(method === getIDPByID ? { isEverywhere: true } : {}),
    }),
  ),

  ...read("a JWT provider", addJWT({}), { owner: "IDP_OWNER_TYPE_SYSTEM", jwtConfig: jwt }),
  ...read(
    "a JWT provider with everything",
    addJWT({ stylingType: STYLING_TYPE_GOOGLE, autoRegister: true }),
    {
      ...{ owner: "IDP_OWNER_TYPE_SYSTEM", jwtConfig: jwt },
      ...{ stylingType: "STYLING_TYPE_GOOGLE", autoRegister: true },
    },
  ),
  ...read("an OIDC provider", addOIDC({}), { owner: "IDP_OWNER_TYPE_ORG", oidcConfig: oidc }),
  ...read(
    "an OIDC provider with everything",
    addOIDC({
      ...{ stylingType: STYLING_TYPE_GOOGLE, autoRegister: true, scopes: ["openid", "email"] },
      displayNameMapping: OIDC_MAPPING_FIELD_PREFERRED_USERNAME,
      usernameMapping: OIDC_MAPPING_FIELD_EMAIL,
    }),
    {
      ...{ owner: "IDP_OWNER_TYPE_ORG", stylingType: "STYLING_TYPE_GOOGLE", autoRegister: true },
      oidcConfig: {
        ...{ ...oidc, scopes: ["openid", "email"] },
        displayNameMapping: "OIDC_MAPPING_FIELD_PREFERRED_USERNAME",
        usernameMapping: "OIDC_MAPPING_FIELD_EMAIL",
      },
    },
  ),
  ...read(
    "what an update made of an OIDC provider",
    async (world) => {
      const id = await addOIDC({ scopes: ["openid"], autoRegister: true })(world);
      const changed = { clientId: "other", clientSecret: "other secret", issuer: oidc.issuer };
      granted(await world.call(updateIDPOIDCConfig, { idpId: id, ...changed }));
      return id;
    },
    {
      ...{ owner: "IDP_OWNER_TYPE_ORG", autoRegister: true },
      oidcConfig: { ...oidc, clientId: "other" },
    },
  ),

  row("GetIDPByID finds what another organization has", getIDPByID, async ({ server }) => {
    const other = await givenOrganization(server);
    const id = await givenOIDCProvider(server, other, { clientSecret: "secret" });
    return {
      request: { id },
      expected: { ok: ({ idp: one }) => expect(one?.details?.resourceOwner).toBe(other) },
    };
  }),
  row("GetOrgIDPByID finds what serves every organization", getOrgIDPByID, async (world) => {
    const other = await givenOrganization(world.server);
    const id = await givenJWTProvider(world.server, other);
    return {
      request: { id },
      expected: {
        async ok(message) {
          const answer = await world.call(getIDPByID, { id });
          expect(message.idp).toEqual(granted<GetIDPByIDResponse>(answer).idp);
          expect(message.idp?.details?.resourceOwner).toBe(other);
        },
      },
    };
  }),
  row("GetOrgIDPByID looks where the header says", getOrgIDPByID, async ({ server }) => {
    const other = await givenOrganization(server);
    const id = await givenOIDCProvider(server, other, { clientSecret: "secret" });
    return {
      request: { id },
      headers: { "x-service-orgid": other },
      expected: { ok: ({ idp: one }) => expect(one?.id).toBe(id) },
    };
  }),
]);

type Made = (world: World) => Promise<string>;

function addJWT(given: object): Made {
  return async ({ call, unique: name }) => {
    const answer = await call(addJWTIDP, { ...jwt, ...given, name });
    return granted<AddJWTIDPResponse>(answer).idpId;
  };
}

function addOIDC(given: object): Made {
  return async ({ call, unique: name }) => {
    const answer = await call(addOrgOIDCIDP, { ...oidc, clientSecret: "s", ...given, name });
    return granted<AddJWTIDPResponse>(answer).idpId;
  };
}

/** What was given is read again by either call, and nothing of the secret. */
function read(what: string, made: Made, expected: object) {
  return both.map((method) =>
    row(`${method.name} answers ${what}`, method, async (world) => {
      const id = await made(world);
      return {
        request: { id },
        expected: {
          async ok(message: Message) {
            const details = detailsJson(await eventsOf(world.server, `idp-${id}`));
            const frame = { id, details, state: "IDP_STATE_ACTIVE", name: world.unique };
            expect(toJson(method.output, message)).toEqual({ idp: { ...frame, ...expected } });
          },
        },
      };
    }),
  );
}
