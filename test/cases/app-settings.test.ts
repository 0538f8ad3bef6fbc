import { expect } from "@jest/globals";
import { APIAuthMethodType, type App } from "../../gen/iam/app/v1/app_pb.js";
import type { AddAPIAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import type { GetAppByIDResponse } from "../../gen/iam/management/v1/app_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { app, redirectUrisMax } from "../../src/domain/app/app.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { apiConfig, givenAppOf, oidcConfig, samlConfig, someClients } from "./given.ts";
import { type Change, changeRows } from "./lookups.ts";
import { documentOf, xml } from "./saml-apps.ts";
import { granted, oidcDefaults } from "./stored.ts";

const { addAPIApp, addAppKey, getAppByID, regenerateAPIClientSecret } = ManagementService.method;
const { updateAPIAppConfig, updateSAMLAppConfig } = ManagementService.method;
const { addRedirectURI, removeRedirectURI } = ManagementService.method;

const { PRIVATE_KEY_JWT, BASIC } = {
  PRIVATE_KEY_JWT: APIAuthMethodType.API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT,
  BASIC: APIAuthMethodType.API_AUTH_METHOD_TYPE_BASIC,
};
const uri = "https://shop.example.com/callback";
const other = "https://shop.example.com/other";

const shared = {
  noun: app,
  notFound: { code: 5, reason: "APP_NOT_FOUND" },
  again: { code: 9, reason: "NOTHING_CHANGED" },
  removal: { type: "project.application.removed", payload: {} },
} as const satisfies Partial<Change>;

type Settings = Parameters<typeof givenAppOf>[3];

/** An application with settings that the world makes, of which none has the ids of another. */
const givenWith =
  (settingsOf: () => Settings): Change["given"] =>
  ({ server }, { organization, project: projectId }) =>
    givenAppOf(server, organization, { projectId }, settingsOf());

const oneUri = () => oidcConfig({ redirectUris: [uri] });
const changed = "project.application.config.oidc.changed";

runCases("settings of applications", [
  ...changeRows({
    ...{ ...shared, method: updateAPIAppConfig, given: givenWith(apiConfig) },
    type: "project.application.config.api.changed",
    request: (appId, { project: projectId }) => {
      return { projectId, appId, authMethodType: PRIVATE_KEY_JWT };
    },
    payload: () => ({ authMethod: "PRIVATE_KEY_JWT" }),
  }),
  row(
    "UpdateAPIAppConfig keeps the client, and drops what is not used",
    updateAPIAppConfig,
    async (world) => {
      const { call, project: projectId, unique } = world;
      const created = await call(addAPIApp, { projectId, name: unique });
      const { appId, clientId } = granted<AddAPIAppResponse>(created);
      const change = { projectId, appId, authMethodType: PRIVATE_KEY_JWT };
      granted(await call(updateAPIAppConfig, change));
      const refused = await call(regenerateAPIClientSecret, { projectId, appId });
      expect(refused).toMatchObject({ code: 9, reason: "APP_WITHOUT_SECRET" });
      granted(await call(addAppKey, { projectId, appId }));
      return {
        request: { ...change, authMethodType: BASIC },
        expected: {
          async ok() {
            const { config } = (await seen(world, appId))!;
            expect(config.value).toMatchObject({ clientId, authMethodType: BASIC });
            const state = await stateOf(world, appId);
            expect(state).not.toHaveProperty("keys");
            expect(state.config).not.toHaveProperty("clientSecretHash");
            granted(await call(regenerateAPIClientSecret, { projectId, appId }));
          },
        },
      };
    },
  ),
  row("UpdateAPIAppConfig refuses what is none", updateAPIAppConfig, async (world) => ({
    request: await idsOf(world, oidcConfig()),
    expected: { code: 9, reason: "APP_NOT_API" },
  })),

  row(
    "UpdateSAMLAppConfig replaces the metadata, and frees the entity ID",
    updateSAMLAppConfig,
    async (world) => {
      const { unique } = world;
      const ids = await idsOf(world, samlConfig(unique));
      const metadata = xml(documentOf(`${unique}-anew`));
      return {
        request: { ...ids, metadata },
        expected: {
          async ok(_message, events) {
            const payload = {
              entityId: `${unique}-anew`,
              metadataXml: documentOf(`${unique}-anew`),
            };
            expect(events.map((event) => [event.type, JSON.parse(event.payload)])).toEqual([
              ["project.application.config.saml.changed", payload],
            ]);
            const { config } = (await seen(world, ids.appId))!;
            expect(config.value).toMatchObject({ entityId: `${unique}-anew`, metadata });
            await idsOf(world, samlConfig(unique));
            const twice = await world.call(updateSAMLAppConfig, { ...ids, metadata });
            expect(twice).toMatchObject({ code: 9, reason: "NOTHING_CHANGED" });
          },
        },
      };
    },
  ),
  row(
    "UpdateSAMLAppConfig refuses the entity ID of another",
    updateSAMLAppConfig,
    async (world) => {
      const { unique } = world;
      await idsOf(world, samlConfig(unique));
      const ids = await idsOf(world, samlConfig(`${unique}-too`));
      return {
        request: { ...ids, metadata: xml(documentOf(unique)) },
        expected: { code: 6, reason: "ENTITY_ID_TAKEN" },
      };
    },
  ),
  row("UpdateSAMLAppConfig refuses what is no metadata", updateSAMLAppConfig, async (world) => ({
    request: { ...(await idsOf(world, samlConfig(world.unique))), metadata: xml("<a/>") },
    expected: { code: 3, reason: "METADATA_INVALID" },
  })),
  row("UpdateSAMLAppConfig refuses nothing at all", updateSAMLAppConfig, async (world) => ({
    request: await idsOf(world, samlConfig(world.unique)),
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["metadata"] },
  })),
  ...[xml(documentOf("none")), { case: "metadataUrl", value: "https://127.0.0.1/" } as const].map(
    (metadata) =>
      row(
        `UpdateSAMLAppConfig refuses what is none, by ${metadata.case}`,
        updateSAMLAppConfig,
        async (world) => ({
          request: { ...(await idsOf(world, oidcConfig())), metadata },
          expected: { code: 9, reason: "APP_NOT_SAML" },
        }),
      ),
  ),

  ...changeRows({
    ...{ ...shared, method: addRedirectURI, type: changed, given: givenWith(oneUri) },
    request: (appId, { project: projectId }) => ({ projectId, appId, uri: other }),
    payload: () => ({ ...oidcDefaults, redirectUris: [uri, other] }),
    answer: (details) => ({ details, noneCompliant: false }),
  }),
  ...changeRows({
    ...{ ...shared, method: removeRedirectURI, type: changed, given: givenWith(oneUri) },
    request: (appId, { project: projectId }) => ({ projectId, appId, uri }),
    payload: () => oidcDefaults,
  }),
  row(
    "AddRedirectURI takes white space away, and answers what is not compliant",
    addRedirectURI,
    async (world) => ({
      request: { ...(await idsOf(world, oidcConfig())), uri: " com.example.shop:/callback " },
      expected: {
        ok({ noneCompliant, complianceProblems }, [event]) {
          expect(JSON.parse(event!.payload).redirectUris).toEqual(["com.example.shop:/callback"]);
          expect(noneCompliant).toBe(true);
          expect(complianceProblems.map(({ key }) => key)).toEqual([
            "Application.OIDC.V1.NotCompliant",
            "Application.OIDC.V1.Code.RedirectUris.CustomOnlyForNative",
          ]);
        },
      },
    }),
  ),
  row("AddRedirectURI takes as many as may be", addRedirectURI, async (world) => ({
    request: {
      ...(await idsOf(world, oidcConfig({ redirectUris: many(redirectUrisMax - 1) }))),
      uri: other,
    },
    expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
  })),
  row("AddRedirectURI refuses one more", addRedirectURI, async (world) => ({
    request: {
      ...(await idsOf(world, oidcConfig({ redirectUris: many(redirectUrisMax) }))),
      uri: other,
    },
    expected: {
      ...{ code: 8, reason: "LIMIT_REACHED" },
      message: `The application has ${redirectUrisMax} redirect URIs: remove one first.`,
    },
  })),
  ...["https://a.example.com/#b", "javascript:1", "/callback", " "].map((broken) =>
    row(`AddRedirectURI refuses ${JSON.stringify(broken)}`, addRedirectURI, async (world) => ({
      request: { ...(await idsOf(world, oidcConfig())), uri: broken },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["uri"] },
    })),
  ),
  ...[addRedirectURI, removeRedirectURI].map((method) =>
    row(
      `${method.name} refuses an application that is not OIDC`,
      method as typeof addRedirectURI,
      async (world) => ({
        request: { ...(await idsOf(world, apiConfig())), uri },
        expected: { code: 9, reason: "APP_NOT_OIDC" },
      }),
      someClients,
    ),
  ),
]);

const many = (count: number) =>
  Array.from({ length: count }, (_, index) => `https://shop.example.com/${index}`);

async function idsOf({ server, project: projectId }: World, settings: Settings) {
  const { organization } = server.admin;
  return { projectId, appId: await givenAppOf(server, organization, { projectId }, settings) };
}

async function seen({ call, project: projectId }: World, appId: string): Promise<App | undefined> {
  return granted<GetAppByIDResponse>(await call(getAppByID, { projectId, appId })).app;
}

async function stateOf({ server }: World, appId: string) {
  const [stored] = await server.store.load([`app-${appId}`]);
  return JSON.parse(stored!.state!) as { readonly config: object };
}
