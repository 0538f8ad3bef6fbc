import { expect } from "@jest/globals";
import {
  type App,
  OIDCAuthMethodType,
  OIDCGrantType,
  OIDCResponseType,
} from "../../gen/iam/app/v1/app_pb.js";
import type { RegenerateOIDCClientSecretResponse } from "../../gen/iam/management/v1/app_change_pb.js";
import type { AddOIDCAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import type { GetAppByIDResponse } from "../../gen/iam/management/v1/app_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { app } from "../../src/domain/app/app.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenApp } from "./apps.ts";
import { apiConfig, givenAppOf, oidcConfig, samlConfig, someClients } from "./given.ts";
import { type Change, changeRows } from "./lookups.ts";
import { granted, oidcDefaults, sha256 } from "./stored.ts";

const { updateApp, updateOIDCAppConfig, regenerateOIDCClientSecret, addOIDCApp, getAppByID } =
  ManagementService.method;

const uri = "https://shop.example.com/callback";
/** A name that goes with an id, so that all clients may use it. */
const nameFor = (id: string) => `Web ${id.slice(0, 40)}`;

const shared = {
  ...{ noun: app },
  notFound: { code: 5, reason: "APP_NOT_FOUND" },
  again: { code: 9, reason: "NOTHING_CHANGED" },
  given: ({ server }, { organization, project: projectId }) =>
    givenAppOf(server, organization, { projectId }, oidcConfig()),
  removal: { type: "project.application.removed", payload: {} },
} as const satisfies Partial<Change>;

runCases("changes of applications and their settings", [
  ...changeRows({
    ...{ ...shared, method: updateApp, type: "project.application.changed" },
    request: (appId, { project: projectId }) => ({ projectId, appId, name: nameFor(appId) }),
    payload: () => ({ name: expect.any(String) }),
  }),
  ...changeRows({
    ...shared,
    method: updateOIDCAppConfig,
    type: "project.application.config.oidc.changed",
    request: (appId, { project: projectId }) => ({ projectId, appId, redirectUris: [uri] }),
    payload: () => ({ ...oidcDefaults, redirectUris: [uri] }),
    answer: (details) => ({ details, noneCompliant: false }),
  }),

  row("UpdateApp is seen, and frees the old name", updateApp, async (world) => {
    const { server, call, project: projectId, unique } = world;
    const appId = await givenNamed(world, unique);
    const name = `${unique} anew`;
    return {
      request: { projectId, appId, name },
      expected: {
        async ok() {
          expect((await seen(world, appId))?.name).toBe(name);
          await givenApp(server, server.admin.organization, projectId, unique);
          const taken = await call(addOIDCApp, { projectId, name });
          expect(taken).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
        },
      },
    };
  }),
  row("UpdateApp refuses the name of another, in whatever case", updateApp, async (world) => {
    const { project: projectId, unique } = world;
    const appId = await givenNamed(world, unique);
    await givenNamed(world, `shop ${unique}`);
    return {
      request: { projectId, appId, name: `SHOP ${unique}` },
      expected: { code: 6, reason: "NAME_TAKEN" },
    };
  }),
  row("UpdateApp refuses a blank name", updateApp, async (world) => ({
    request: { projectId: world.project, appId: await givenNamed(world, world.unique), name: " " },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["name"] },
  })),

  row(
    "UpdateOIDCAppConfig adds a URI, and the client stays",
    updateOIDCAppConfig,
    async (world) => {
      const { call, project: projectId, unique } = world;
      const first = { projectId, name: unique, redirectUris: [uri], devMode: true };
      const created = granted<AddOIDCAppResponse>(await call(addOIDCApp, first));
      const { appId, clientId, clientSecret } = created;
      const redirectUris = [uri, "https://shop.example.com/other"];
      return {
        request: { projectId, appId, redirectUris },
        expected: {
          async ok({ noneCompliant, complianceProblems }) {
            expect([noneCompliant, complianceProblems]).toEqual([false, []]);
            const { name, config } = (await seen(world, appId))!;
            // What is left out has its default.
            expect(config.value).toMatchObject({ clientId, redirectUris, devMode: false });
            expect(name).toBe(unique);
            expect(await hashOf(world, appId)).toBe(sha256(clientSecret));
          },
        },
      };
    },
  ),
  row("UpdateOIDCAppConfig answers what is not compliant", updateOIDCAppConfig, async (world) => ({
    request: {
      projectId: world.project,
      appId: await givenNamed(world, world.unique),
      devMode: true,
    },
    expected: {
      ok({ noneCompliant, complianceProblems }) {
        expect(noneCompliant).toBe(true);
        expect(complianceProblems.map(({ key }) => key)).toEqual([
          "Application.OIDC.V1.NotCompliant",
          "Application.OIDC.V1.NoRedirectUris",
        ]);
      },
    },
  })),
  row(
    "UpdateOIDCAppConfig drops a secret that nothing needs",
    updateOIDCAppConfig,
    async (world) => {
      const { call, project: projectId, unique } = world;
      const appId = await givenNamed(world, unique);
      const { OIDC_AUTH_METHOD_TYPE_NONE: authMethodType } = OIDCAuthMethodType;
      return {
        request: { projectId, appId, authMethodType },
        expected: {
          async ok() {
            expect(await hashOf(world, appId)).toBeUndefined();
            granted(await call(updateOIDCAppConfig, { projectId, appId }));
            expect(await hashOf(world, appId)).toBeUndefined();
            const answer = await call(regenerateOIDCClientSecret, { projectId, appId });
            const { clientSecret } = granted<RegenerateOIDCClientSecretResponse>(answer);
            expect(await hashOf(world, appId)).toBe(sha256(clientSecret));
          },
        },
      };
    },
  ),
  row(
    "UpdateOIDCAppConfig refuses what breaks a rule, at once",
    updateOIDCAppConfig,
    async (world) => ({
      request: {
        projectId: world.project,
        appId: await givenNamed(world, world.unique),
        redirectUris: ["https://a.example.com/#b"],
        postLogoutRedirectUris: ["javascript:1"],
        additionalOrigins: ["https://a.example.com/path"],
        responseTypes: [OIDCResponseType.OIDC_RESPONSE_TYPE_ID_TOKEN],
        grantTypes: [OIDCGrantType.OIDC_GRANT_TYPE_AUTHORIZATION_CODE],
        clockSkew: { seconds: 6n },
      },
      expected: {
        ...{ code: 3, reason: "INVALID_FIELDS" },
        fields: [
          ...["redirect_uris[0]", "post_logout_redirect_uris[0]", "clock_skew"],
          ...["additional_origins[0]", "response_types"],
        ],
      },
    }),
  ),
  ...[apiConfig(), samlConfig("update")].map((config) =>
    row(
      `UpdateOIDCAppConfig refuses what has ${config.type}`,
      updateOIDCAppConfig,
      async ({ server, project: projectId, unique }) => {
        const own = {
          ...config.payload,
          ...("entityId" in config.payload ? { entityId: unique } : { clientId: unique }),
        };
        const settings = { type: config.type, payload: own } as typeof config;
        const appId = await givenAppOf(server, server.admin.organization, { projectId }, settings);
        return {
          request: { projectId, appId },
          expected: { code: 9, reason: "APP_NOT_OIDC" },
        };
      },
      someClients,
    ),
  ),
]);

function givenNamed({ server, project: projectId }: World, name: string): Promise<string> {
  return givenAppOf(server, server.admin.organization, { projectId, name }, oidcConfig());
}

async function seen({ call, project: projectId }: World, appId: string): Promise<App | undefined> {
  return granted<GetAppByIDResponse>(await call(getAppByID, { projectId, appId })).app;
}

/** The hash of the secret that the state knows. */
async function hashOf({ server }: World, appId: string): Promise<string | undefined> {
  const [stored] = await server.store.load([`app-${appId}`]);
  const { config } = JSON.parse(stored!.state!) as {
    readonly config: { clientSecretHash?: string };
  };
  return config.clientSecretHash;
}
