import { Buffer } from "node:buffer";
import { type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import {
  APIAuthMethodType,
  OIDCAppType,
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
  OIDCTokenType,
} from "../../gen/iam/app/v1/app_pb.js";
import type {
  AddOIDCAppRequestSchema,
  AddOIDCAppResponse,
  AddSAMLAppResponse,
} from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { app } from "../../src/domain/app/app.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenProject } from "../harness/server.ts";
import {
  type AppSettings,
  apiConfig,
  detailsJson,
  eventsOf,
  givenAppOf,
  oidcConfig,
  samlConfig,
  someClients,
} from "./given.ts";
import { here, lookupRows } from "./lookups.ts";
import { documentOf, xml } from "./saml-apps.ts";
import { granted } from "./stored.ts";

const { addAPIApp, addOIDCApp, addSAMLApp, deactivateApp, getAppByID } = ManagementService.method;
const notFound = {
  code: 5,
  reason: "APP_NOT_FOUND",
  message: "The project has no application with this id.",
} as const;

/** What reads have that the first request does not: nothing of the secret, in whatever form. */
const defaults = { clockSkew: "0s" };
const noUris = {
  noneCompliant: true,
  complianceProblems: [
    {
      key: "Application.OIDC.V1.NotCompliant",
      localizedMessage:
        "The configuration departs from the OIDC specification; the problems below say where.",
    },
    {
      key: "Application.OIDC.V1.NoRedirectUris",
      localizedMessage: "No redirect URI is set: add at least one, or use the device grant alone.",
    },
  ],
};

runCases("GetAppByID", [
  ...lookupRows({
    method: getAppByID,
    ...{ noun: app, notFound },
    given: ({ server }, { organization, project: projectId }) =>
      givenAppOf(server, organization, { projectId }, apiConfig()),
    request: (appId, { project: projectId }) => ({ projectId, appId }),
    removal: { type: "project.application.removed", payload: {} },
  }),
  row("refuses an application of another project", getAppByID, async (world) => {
    const { server, project: projectId } = world;
    const appId = await givenAppOf(server, server.admin.organization, { projectId }, apiConfig());
    const other = await givenProject(server, server.admin.organization);
    return { request: { projectId: other, appId }, expected: notFound };
  }),

  oidc("the defaults", {}, { ...defaults, ...noUris, responseTypes: ["OIDC_RESPONSE_TYPE_CODE"] }),
  oidc(
    "everything",
    {
      redirectUris: [" https://app.example.com/a ", "http://localhost:3000/b", "my.app:/c"],
      responseTypes: [OIDCResponseType.OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN],
      grantTypes: [OIDCGrantType.OIDC_GRANT_TYPE_IMPLICIT],
      appType: OIDCAppType.OIDC_APP_TYPE_NATIVE,
      authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_POST,
      postLogoutRedirectUris: ["https://app.example.com/bye"],
      ...{ devMode: true, accessTokenType: OIDCTokenType.OIDC_TOKEN_TYPE_JWT },
      ...{ accessTokenRoleAssertion: true, idTokenRoleAssertion: true },
      ...{ idTokenUserinfoAssertion: true, clockSkew: { seconds: 4n, nanos: 5 } },
      additionalOrigins: ["https://b.example.com", "https://app.example.com"],
      skipNativeAppSuccessPage: true,
      backChannelLogoutUri: "https://app.example.com/logout",
    },
    {
      redirectUris: ["https://app.example.com/a", "http://localhost:3000/b", "my.app:/c"],
      responseTypes: ["OIDC_RESPONSE_TYPE_ID_TOKEN_TOKEN"],
      grantTypes: ["OIDC_GRANT_TYPE_IMPLICIT"],
      appType: "OIDC_APP_TYPE_NATIVE",
      authMethodType: "OIDC_AUTH_METHOD_TYPE_POST",
      postLogoutRedirectUris: ["https://app.example.com/bye"],
      ...{ devMode: true, accessTokenType: "OIDC_TOKEN_TYPE_JWT" },
      ...{ accessTokenRoleAssertion: true, idTokenRoleAssertion: true },
      ...{ idTokenUserinfoAssertion: true, clockSkew: "4.000000005s" },
      additionalOrigins: ["https://b.example.com", "https://app.example.com"],
      // Those of the redirect URIs first, each once; a custom scheme has none.
      allowedOrigins: [
        ...["https://app.example.com", "http://localhost:3000", "https://b.example.com"],
      ],
      skipNativeAppSuccessPage: true,
      backChannelLogoutUri: "https://app.example.com/logout",
      noneCompliant: true,
      complianceProblems: expect.arrayContaining([
        expect.objectContaining({ key: "Application.OIDC.V1.Native.AuthMethodType.NotNone" }),
      ]),
    },
  ),
  oidc(
    "a client without a secret that keeps to the rules",
    {
      redirectUris: ["https://app.example.com/a"],
      authMethodType: OIDCAuthMethodType.OIDC_AUTH_METHOD_TYPE_NONE,
      appType: OIDCAppType.OIDC_APP_TYPE_USER_AGENT,
    },
    {
      ...{ ...defaults, responseTypes: ["OIDC_RESPONSE_TYPE_CODE"] },
      redirectUris: ["https://app.example.com/a"],
      allowedOrigins: ["https://app.example.com"],
      authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE",
      appType: "OIDC_APP_TYPE_USER_AGENT",
    },
  ),
  row("tells compliance in the caller's language", getAppByID, async (world) => {
    const { project: projectId, unique: name, call } = world;
    const added = granted<AddOIDCAppResponse>(await call(addOIDCApp, { projectId, name }));
    return {
      request: { projectId, appId: added.appId },
      headers: { "accept-language": "de" },
      expected: {
        ok({ app: read }) {
          const { complianceProblems = [] } =
            read?.config.case === "oidcConfig" ? read.config.value : {};
          expect(complianceProblems.map(({ localizedMessage }) => localizedMessage)).toEqual([
            "Die Konfiguration weicht von der OIDC-Spezifikation ab; die folgenden Punkte sagen, wo.",
            "Es fehlt eine Redirect-URI: mindestens eine angeben oder nur den Device-Grant verwenden.",
          ]);
        },
      },
    };
  }),

  api("basic", APIAuthMethodType.API_AUTH_METHOD_TYPE_BASIC, {}),
  api("with a key", APIAuthMethodType.API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT, {
    authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT",
  }),

  row("answers the document of a SAML application byte for byte", getAppByID, async (world) => {
    const { project: projectId, unique: name, call } = world;
    const document = `\ufeff${documentOf(name)}<!-- ü 😀 -->\r\n`;
    const added = await call(addSAMLApp, { projectId, name, metadata: xml(document) });
    const { appId, entityId } = granted<AddSAMLAppResponse>(added);
    return {
      request: { projectId, appId },
      expected: {
        async ok(message) {
          const metadataXml = Buffer.from(document).toString("base64");
          const expected = {
            ...(await frameOf(world, appId)),
            samlConfig: { metadataXml, entityId },
          };
          expect(toJson(getAppByID.output, message)).toEqual({ app: expected });
        },
      },
    };
  }),
  stored(
    "the URL of a SAML application instead of what was fetched",
    (unique) => samlConfig(unique, "<a/>", "https://sp.example.com/metadata"),
    (unique) => ({
      samlConfig: { metadataUrl: "https://sp.example.com/metadata", entityId: unique },
    }),
  ),
  // Of before fragments were refused.
  stored(
    "a redirect URI with a fragment",
    (clientId) => oidcConfig({ clientId, redirectUris: ["https://app.example.com/a#b"] }),
    {
      oidcConfig: expect.objectContaining({
        redirectUris: ["https://app.example.com/a#b"],
        allowedOrigins: ["https://app.example.com"],
      }),
    },
  ),
  stored("an application without settings", () => undefined, {}),
  row("answers an inactive application", getAppByID, async (world) => {
    const { server, project: projectId, unique: clientId, call } = world;
    const { organization } = server.admin;
    const appId = await givenAppOf(server, organization, { projectId }, apiConfig({ clientId }));
    granted(await call(deactivateApp, { projectId, appId }));
    return {
      request: { projectId, appId },
      expected: {
        async ok(message) {
          const frame = await frameOf(world, appId);
          expect(frame.details.creationDate).not.toBe(frame.details.changeDate);
          expect(toJson(getAppByID.output, message)).toEqual({
            app: { ...frame, state: "APP_STATE_INACTIVE", apiConfig: { clientId } },
          });
        },
      },
    };
  }),
]);

/** What every active application is read with, besides its settings. */
async function frameOf({ server }: World, id: string) {
  const events = await eventsOf(server, `app-${id}`);
  const { name } = JSON.parse(events[0]!.payload) as { readonly name: string };
  return { id, details: detailsJson(events), state: "APP_STATE_ACTIVE", name };
}

/** What is given to AddOIDCApp is read again, and nothing of its secret. */
function oidc(what: string, given: MessageInitShape<typeof AddOIDCAppRequestSchema>, read: object) {
  return row(`answers an OIDC application: ${what}`, getAppByID, async (world) => {
    const { project: projectId, unique: name, call } = world;
    const added = await call(addOIDCApp, { ...given, projectId, name });
    const { appId, clientId } = granted<AddOIDCAppResponse>(added);
    const grants = { grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"] };
    return {
      request: { projectId, appId },
      expected: {
        async ok(message) {
          const frame = await frameOf(world, appId);
          expect(toJson(getAppByID.output, message)).toEqual({
            app: { ...frame, oidcConfig: { clientId, ...grants, ...read } },
          });
        },
      },
    };
  });
}

function api(what: string, authMethodType: APIAuthMethodType, read: object) {
  return row(`answers an API application: ${what}`, getAppByID, async (world) => {
    const { project: projectId, unique: name, call } = world;
    const added = await call(addAPIApp, { projectId, name, authMethodType });
    const { appId, clientId } = granted<AddOIDCAppResponse>(added);
    return {
      request: { projectId, appId },
      expected: {
        async ok(message) {
          expect(toJson(getAppByID.output, message)).toEqual({
            app: { ...(await frameOf(world, appId)), apiConfig: { clientId, ...read } },
          });
        },
      },
    };
  });
}

/** An application that no call makes in this form here. */
function stored(
  what: string,
  settingsOf: (unique: string) => AppSettings | undefined,
  read: object | ((unique: string) => object),
) {
  return row(
    `answers ${what}`,
    getAppByID,
    async (world) => {
      const { organization, project: projectId } = here(world);
      const settings = settingsOf(world.unique);
      const all = settings === undefined ? [] : [settings];
      const appId = await givenAppOf(world.server, organization, { projectId }, ...all);
      return {
        request: { projectId, appId },
        expected: {
          async ok(message) {
            const said = typeof read === "function" ? read(world.unique) : read;
            const expected = { ...(await frameOf(world, appId)), ...said };
            expect(toJson(getAppByID.output, message)).toEqual({ app: expected });
          },
        },
      };
    },
    someClients,
  );
}
