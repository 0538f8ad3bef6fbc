import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AppState } from "../../gen/iam/app/v1/app_pb.js";
import type { AddAPIAppResponse, AddSAMLAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import type { GetAppByIDResponse } from "../../gen/iam/management/v1/app_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { app } from "../../src/domain/app/app.ts";
import { project } from "../../src/domain/project.ts";
import { reasons } from "../../src/reason.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenProject } from "../harness/server.ts";
import { apiConfig, givenAppOf, recorded, someClients } from "./given.ts";
import { type Change, changeRows, here, type Spot } from "./lookups.ts";
import { documentOf, xml } from "./saml-apps.ts";
import { granted } from "./stored.ts";

const { removeApp, deactivateApp, reactivateApp, addAPIApp, addSAMLApp, getAppByID } =
  ManagementService.method;

const notFound = { code: 5, reason: "APP_NOT_FOUND" } as const;
const deactivated = { type: "project.application.deactivated", payload: {} } as const;

/** A change of an application that is active, or else inactive. */
function ofApp(
  method: DescMethodUnary,
  type: string,
  again: NonNullable<Change["again"]>,
  isInactive = false,
): Change {
  return {
    ...{ method, noun: app, notFound, type },
    given: ({ server }, { organization, project: projectId }) => {
      const then = isInactive ? [deactivated] : [];
      return givenAppOf(server, organization, { projectId }, apiConfig(), ...then);
    },
    request: (appId, { project: projectId }) => ({ projectId, appId }),
    removal: { type: "project.application.removed", payload: {} },
    again,
  };
}

const changes = [
  ofApp(removeApp, "project.application.removed", notFound),
  ofApp(deactivateApp, deactivated.type, {
    ...{ code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
  }),
  ofApp(
    reactivateApp,
    "project.application.reactivated",
    { code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
    true,
  ),
];

runCases("changes of applications", [
  ...changes.flatMap((change) => changeRows(change)),
  ...changes.flatMap((change) => framed(change)),

  row("RemoveApp frees the name for another application", removeApp, async (world) => {
    const { project: projectId, unique, call } = world;
    const first = await givenNamed(world, unique);
    return {
      request: { projectId, appId: first },
      expected: {
        async ok() {
          const again = await call(addAPIApp, { projectId, name: unique });
          expect(granted<AddAPIAppResponse>(again).appId).not.toBe(first);
        },
      },
    };
  }),
  row("RemoveApp frees the entity ID of a SAML application", removeApp, async (world) => {
    const { project: projectId, unique, call } = world;
    const request = { projectId, name: unique, metadata: xml(documentOf(unique)) };
    const first = granted<AddSAMLAppResponse>(await call(addSAMLApp, request));
    return {
      request: { projectId, appId: first.appId },
      expected: {
        async ok() {
          const again = granted<AddSAMLAppResponse>(await call(addSAMLApp, request));
          expect(again.entityId).toBe(unique);
          expect(again.appId).not.toBe(first.appId);
        },
      },
    };
  }),
  row("DeactivateApp keeps the name, and is seen", deactivateApp, async (world) => {
    const { project: projectId, unique, call } = world;
    const appId = await givenNamed(world, unique);
    return {
      request: { projectId, appId },
      expected: {
        async ok() {
          const taken = await call(addAPIApp, { projectId, name: unique });
          expect(taken).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
          expect(await stateOf(world, appId)).toBe(AppState.INACTIVE);
        },
      },
    };
  }),
  row("ReactivateApp is seen", reactivateApp, async (world) => {
    const { project: projectId, unique, call } = world;
    const appId = await givenNamed(world, unique);
    granted(await call(deactivateApp, { projectId, appId }));
    return {
      request: { projectId, appId },
      expected: { ok: async () => expect(await stateOf(world, appId)).toBe(AppState.ACTIVE) },
    };
  }),
]);

function givenNamed({ server, project: projectId }: World, name: string): Promise<string> {
  return givenAppOf(server, server.admin.organization, { projectId, name }, apiConfig());
}

async function stateOf({ call, project: projectId }: World, appId: string) {
  return granted<GetAppByIDResponse>(await call(getAppByID, { projectId, appId })).app?.state;
}

/** An application is looked for in its project alone, and that in its organization. */
function framed({ method, given, request }: Change) {
  const noProject = { code: 5, reason: "PROJECT_NOT_FOUND" };
  const refused = (
    name: string,
    spotOf: (world: World) => Promise<Pick<Spot, "project">>,
    expected: { readonly code: number; readonly reason: string },
    fields?: readonly string[],
  ) =>
    row(
      `${method.name} refuses ${name}`,
      method,
      async (world) => {
        const spot = here(world);
        const id = await given(world, spot);
        return {
          request: request(id, { ...spot, ...(await spotOf(world)) }),
          expected: { ...expected, ...(fields ? { fields } : {}) },
        };
      },
      someClients,
    );
  return [
    refused(
      "an application of another project",
      async ({ server }) => ({ project: await givenProject(server, server.admin.organization) }),
      notFound,
    ),
    refused(
      "a project that was removed",
      async ({ server, project: id }) => {
        const removed = { type: "project.removed", payload: {} } as const;
        await recorded(server, project, server.admin.organization, [removed], id);
        return { project: id };
      },
      noProject,
    ),
  ];
}
