import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { APIAuthMethodType, OIDCAuthMethodType } from "../../gen/iam/app/v1/app_pb.js";
import type { RegenerateAPIClientSecretResponse } from "../../gen/iam/management/v1/app_change_pb.js";
import type { AddAPIAppResponse, AddOIDCAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { app } from "../../src/domain/app/app.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import {
  type AppSettings,
  apiConfig,
  givenAppOf,
  oidcConfig,
  samlConfig,
  someClients,
} from "./given.ts";
import { type Change, changeRows } from "./lookups.ts";
import { granted, sha256 } from "./stored.ts";

const { regenerateOIDCClientSecret, regenerateAPIClientSecret, addAPIApp, addOIDCApp } =
  ManagementService.method;
const { OIDC_AUTH_METHOD_TYPE_BASIC, OIDC_AUTH_METHOD_TYPE_POST } = OIDCAuthMethodType;
const { API_AUTH_METHOD_TYPE_BASIC } = APIAuthMethodType;

const inactive = { type: "project.application.deactivated", payload: {} } as const;

function regeneration(method: DescMethodUnary, kind: "oidc" | "api", config: () => AppSettings) {
  const change: Change = {
    ...{ method, noun: app },
    notFound: { code: 5, reason: "APP_NOT_FOUND" },
    type: `project.application.config.${kind}.secret.changed`,
    given: ({ server }, { organization, project: projectId }) =>
      givenAppOf(server, organization, { projectId }, config()),
    request: (appId, { project: projectId }) => ({ projectId, appId }),
    removal: { type: "project.application.removed", payload: {} },
    payload: ({ clientSecret = "" }) => ({ clientSecretHash: sha256(clientSecret) }),
    answer: (details, { clientSecret = "" }) => {
      expect(clientSecret).toMatch(/^[\w-]{43}$/);
      return { details, clientSecret };
    },
  };
  return changeRows(change);
}

runCases("other client secrets", [
  ...regeneration(regenerateOIDCClientSecret, "oidc", oidcConfig),
  ...regeneration(regenerateAPIClientSecret, "api", apiConfig),

  ...replaced(regenerateOIDCClientSecret, "basic OIDC", async ({ call, project, unique }) => {
    const given = { authMethodType: OIDC_AUTH_METHOD_TYPE_BASIC };
    const answer = await call(addOIDCApp, { projectId: project, name: unique, ...given });
    return granted<AddOIDCAppResponse>(answer);
  }),
  ...replaced(regenerateOIDCClientSecret, "OIDC by post", async ({ call, project, unique }) => {
    const given = { authMethodType: OIDC_AUTH_METHOD_TYPE_POST };
    const answer = await call(addOIDCApp, { projectId: project, name: unique, ...given });
    return granted<AddOIDCAppResponse>(answer);
  }),
  ...replaced(regenerateAPIClientSecret, "API", async ({ call, project, unique }) => {
    const given = { authMethodType: API_AUTH_METHOD_TYPE_BASIC };
    const answer = await call(addAPIApp, { projectId: project, name: unique, ...given });
    return granted<AddAPIAppResponse>(answer);
  }),

  refused(regenerateOIDCClientSecret, "an API application", [apiConfig()], noType("oidc")),
  refused(regenerateOIDCClientSecret, "a SAML application", [samlConfig("a")], noType("oidc")),
  refused(regenerateOIDCClientSecret, "one without settings", [], noType("oidc")),
  refused(
    regenerateOIDCClientSecret,
    "a method without a secret",
    [oidcConfig({ authMethod: "NONE" })],
    "Clients with the method NONE have no client secret.",
  ),
  refused(
    regenerateOIDCClientSecret,
    "a method with a key",
    [oidcConfig({ authMethod: "PRIVATE_KEY_JWT" })],
    "Clients with the method PRIVATE_KEY_JWT have no client secret.",
  ),
  refused(regenerateAPIClientSecret, "an OIDC application", [oidcConfig()], noType("api")),
  refused(regenerateAPIClientSecret, "a SAML application", [samlConfig("b")], noType("api")),
  refused(
    regenerateAPIClientSecret,
    "a method with a key",
    [apiConfig({ authMethod: "PRIVATE_KEY_JWT" })],
    "Clients with the method PRIVATE_KEY_JWT have no client secret.",
  ),

  row("changes the secret of an inactive application", regenerateAPIClientSecret, async (world) => {
    const { server, project: projectId } = world;
    const owner = server.admin.organization;
    const appId = await givenAppOf(server, owner, { projectId }, apiConfig(), inactive);
    return {
      request: { projectId, appId },
      expected: {
        async ok({ clientSecret }) {
          const { isInactive, config } = await stateOf(world, appId);
          expect(isInactive).toBe(true);
          expect(config).toMatchObject({ clientSecretHash: sha256(clientSecret) });
        },
      },
    };
  }),
]);

/** The state knows the new secret alone; each time it is another one, and the client stays. */
function replaced(
  method: DescMethodUnary,
  what: string,
  created: (world: World) => Promise<AddAPIAppResponse | AddOIDCAppResponse>,
) {
  return [
    row(`${method.name} leaves nothing of the secret before: ${what}`, method, async (world) => {
      const { project: projectId, call } = world;
      const { appId, clientId, clientSecret: first } = await created(world);
      const request = { projectId, appId };
      const again = granted<RegenerateAPIClientSecretResponse>(await call(method, request));
      const before = await stateOf(world, appId);
      return {
        request,
        expected: {
          async ok(message) {
            const { clientSecret } = message as RegenerateAPIClientSecretResponse;
            expect(new Set([first, again.clientSecret, clientSecret]).size).toBe(3);
            const after = await stateOf(world, appId);
            const hashes = [first, again.clientSecret].map(sha256);
            expect(hashes.filter((hash) => JSON.stringify(after).includes(hash))).toEqual([]);
            const config = { ...before.config, clientSecretHash: sha256(clientSecret) };
            expect(after).toEqual({ ...before, config });
            const client = { kind: "app.client", scope: "", value: clientId };
            expect(await world.server.store.find(client)).toBe(`app-${appId}`);
          },
        },
      };
    }),
  ];
}

function noType(type: string): string {
  return `The application does not have the type ${type}.`;
}

function refused(
  method: DescMethodUnary,
  what: string,
  settings: readonly AppSettings[],
  message: string,
) {
  return row(
    `${method.name} refuses ${what}`,
    method,
    async ({ server, project: projectId, unique }) => {
      // Values that are unique in the instance must differ from case to case.
      const own = settings.map(
        ({ type, payload }) =>
          ({
            type,
            payload: {
              ...payload,
              ...("clientId" in payload ? { clientId: unique } : { entityId: unique }),
            },
          }) as AppSettings,
      );
      const appId = await givenAppOf(server, server.admin.organization, { projectId }, ...own);
      return {
        request: { projectId, appId },
        expected: { code: 9, reason: "APP_WITHOUT_SECRET", message },
      };
    },
    someClients,
  );
}

async function stateOf({ server }: World, appId: string) {
  const [stored] = await server.store.load([`app-${appId}`]);
  return JSON.parse(stored!.state!) as { readonly isInactive?: true; readonly config: object };
}
