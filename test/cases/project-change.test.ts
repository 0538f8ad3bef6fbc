import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type { AddSAMLAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { AddProjectResponse } from "../../gen/iam/management/v1/project_pb.js";
import type { GetProjectByIDResponse } from "../../gen/iam/management/v1/project_search_pb.js";
import { ProjectState } from "../../gen/iam/project/v1/project_pb.js";
import { appsOf } from "../../src/domain/app/app.ts";
import type { Membership } from "../../src/domain/permission.ts";
import { project } from "../../src/domain/project.ts";
import { dependantLimits } from "../../src/execute/dependants.ts";
import { reasons } from "../../src/reason.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { apiConfig, eventsOf, givenAppOf, givenProjectOf, oneClient, recorded } from "./given.ts";
import { type Change, changeRows } from "./lookups.ts";
import { clear, ownerIn, ownerOf } from "./orgs.ts";
import { documentOf, xml } from "./saml-apps.ts";
import { fact, granted } from "./stored.ts";
import { givenInactive } from "./users.ts";

const { addAPIApp, addProject, addSAMLApp, getAppByID, getProjectByID, listApps } =
  ManagementService.method;
const { deactivateProject, reactivateProject, removeProject } = ManagementService.method;
const { deactivateUser, eraseUser, removeUser } = ManagementService.method;

const { atOnce } = dependantLimits;

const notFound = {
  code: 5,
  reason: "PROJECT_NOT_FOUND",
  message: "The organization has no project with this id.",
} as const;
const deactivated = { type: "project.deactivated", payload: {} } as const;

function ofProject(
  method: DescMethodUnary,
  type: string,
  again: NonNullable<Change["again"]>,
  isInactive = false,
): Change {
  return {
    ...{ method, noun: project, notFound, type, again },
    given: async ({ server }, { organization }) => {
      const id = await givenProjectOf(server, organization);
      if (isInactive) await recorded(server, project, organization, [deactivated], id);
      return id;
    },
    request: (id) => ({ id }),
    removal: { type: "project.removed", payload: {} },
  };
}

runCases("changes of projects", [
  ...changeRows(
    ofProject(deactivateProject, deactivated.type, {
      ...{ code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
    }),
  ),
  ...changeRows(
    ofProject(
      reactivateProject,
      "project.reactivated",
      { code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
      true,
    ),
  ),
  ...changeRows(ofProject(removeProject, "project.removed", notFound)),

  row("DeactivateProject is seen, and its name stays taken", deactivateProject, async (world) => {
    const { server, call, unique } = world;
    const id = await givenProjectOf(server, server.admin.organization, { name: unique });
    return {
      request: { id },
      expected: {
        async ok() {
          const taken = await call(addProject, { name: unique });
          expect(taken).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
          expect(await stateOf(world, id)).toBe(ProjectState.INACTIVE);
        },
      },
    };
  }),
  row("ReactivateProject is seen", reactivateProject, async (world) => {
    granted(await world.call(deactivateProject, { id: world.project }));
    return {
      request: { id: world.project },
      expected: {
        ok: async () => expect(await stateOf(world, world.project)).toBe(ProjectState.ACTIVE),
      },
    };
  }),
  row("RemoveProject frees the name", removeProject, async ({ server, call, unique }) => {
    const first = await givenProjectOf(server, server.admin.organization, { name: unique });
    return {
      request: { id: first },
      expected: {
        async ok() {
          const again = granted<AddProjectResponse>(await call(addProject, { name: unique }));
          expect(again.id).not.toBe(first);
        },
      },
    };
  }),

  row("RemoveProject removes its applications before itself", removeProject, async (world) => {
    const { server, project: id, call, unique } = world;
    const { organization, userId: actor } = server.admin;
    const request = { projectId: id, name: unique, metadata: xml(documentOf(unique)) };
    const { appId: saml } = granted<AddSAMLAppResponse>(await call(addSAMLApp, request));
    const api = await givenAppOf(server, organization, { projectId: id }, apiConfig());
    const bare = await givenAppOf(server, organization, { projectId: id });
    // One of another project stays.
    const other = await givenProjectOf(server, organization);
    const kept = await givenAppOf(server, organization, { projectId: other }, apiConfig());
    return {
      request: { id },
      expected: {
        async ok({ details }, events) {
          const envelope = { owner: organization, actor, payload: {} };
          const removed = { ...envelope, type: "project.application.removed" };
          expect(events.map(fact)).toEqual([
            { ...envelope, stream: `project-${id}`, version: 2, type: "project.removed" },
            ...[saml, api, bare].sort().map((appId) => ({
              ...{ ...removed, stream: `app-${appId}`, version: appId === bare ? 2 : 3 },
            })),
          ]);
          expect(details?.sequence).toBe(events[0]?.position);
          for (const appId of [saml, api, bare]) {
            const gone = await call(getAppByID, { projectId: id, appId });
            expect(gone).toMatchObject({ code: 5, reason: "PROJECT_NOT_FOUND" });
          }
          expect(await call(listApps, { projectId: id })).toMatchObject(notFound);
          const refused = await call(addAPIApp, { projectId: id, name: "late" });
          expect(refused).toMatchObject(notFound);
          granted(await call(getAppByID, { projectId: other, appId: kept }));
          // What its applications held is free again.
          granted(await call(addSAMLApp, { ...request, projectId: other }));
        },
      },
    };
  }),

  row(
    "RemoveProject removes an inactive project with inactive applications",
    removeProject,
    async ({ server, project: id }) => {
      const { organization } = server.admin;
      const inactive = { type: "project.application.deactivated", payload: {} } as const;
      await givenAppOf(server, organization, { projectId: id }, apiConfig(), inactive);
      await recorded(server, project, organization, [deactivated], id);
      return {
        request: { id },
        expected: { ok: (_message, events) => expect(events).toHaveLength(2) },
      };
    },
  ),

  row(
    "RemoveProject takes roles on it from all members, and none besides",
    removeProject,
    async (world) => {
      const { server, project: id, call } = world;
      const { organization } = server.admin;
      const other = await givenOrganization(server);
      const kept = ownsProject(organization, await givenProjectOf(server, organization));
      const lost = ownsProject(organization, id);
      const members = [
        await givenUser(server, organization, [lost]),
        await givenUser(server, organization, [kept, lost]),
        await givenUser(server, other, [lost]),
        await givenInactive(server, organization, [lost]),
      ].map(({ userId }) => userId);
      const [own = "", both = "", beyond = ""] = members;
      const manages = { scope: ownerIn(organization).scope, roles: ["ORG_USER_MANAGER"] } as const;
      const { token: manager } = await givenUser(server, organization, [manages]);
      const owner = await ownerOf(server, other);
      return {
        request: { id },
        expected: {
          async ok(_message, [first, ...events]) {
            expect(first?.type).toBe("project.removed");
            const type = "user.membership.removed";
            const payload = { scope: lost.scope };
            expect(events.map(fact).map(({ stream, ...rest }) => [stream, rest])).toEqual(
              members.map((userId) => [
                `user-${userId}`,
                expect.objectContaining({
                  type,
                  payload,
                  owner: userId === beyond ? other : organization,
                }),
              ]),
            );
            granted(await call(deactivateUser, { id: own }, manager));
            granted(await call(eraseUser, { userId: own }));
            granted(await call(removeUser, { id: beyond }, owner));
            const [stored] = await server.store.load([`user-${both}`]);
            expect(JSON.parse(stored?.state ?? "").memberships).toMatchObject([kept]);
          },
        },
      };
    },
  ),
  row("RemoveProject takes the own role on it", removeProject, async ({ server, project: id }) => {
    const { organization } = server.admin;
    const memberships = [ownerIn(organization), ownsProject(organization, id)];
    const { userId, token } = await givenUser(server, organization, memberships);
    return {
      ...{ request: { id }, token },
      expected: {
        ok({ details }, events) {
          expect(events.map(({ stream }) => stream)).toEqual([`project-${id}`, `user-${userId}`]);
          expect(details?.sequence).toBe(events[0]?.position);
        },
      },
    };
  }),

  row(
    `RemoveProject removes ${atOnce} applications at once`,
    removeProject,
    async (world) => {
      const { server, project: id } = world;
      await givenApps(world, atOnce);
      return {
        request: { id },
        expected: {
          async ok(_message, events) {
            expect(events).toHaveLength(atOnce + 1);
            expect(await server.store.holders(appsOf(id), 1)).toEqual({ total: 0, streams: [] });
            expect(await eventsOf(server, `project-${id}`)).toHaveLength(2);
          },
        },
      };
    },
    oneClient,
  ),
  row(
    "RemoveProject leaves one more, which does not count, to be removed later",
    removeProject,
    async (world) => {
      const { server, project: id } = world;
      await givenApps(world, atOnce + 1);
      return {
        request: { id },
        expected: {
          async ok(_message, events) {
            expect(events).toHaveLength(atOnce + 1);
            const { total, streams } = await server.store.holders(appsOf(id), 1);
            expect(total).toBe(1);
            const appId = streams[0]?.slice("app-".length) ?? "";
            const gone = { ok: false, reason: "PROJECT_NOT_FOUND" };
            expect(await world.call(getAppByID, { projectId: id, appId })).toMatchObject(gone);
            await clear(server);
            expect(await server.store.holders(appsOf(id), 1)).toEqual({ total: 0, streams: [] });
          },
        },
      };
    },
    oneClient,
  ),
]);

function ownsProject(organization: string, id: string): Membership {
  return { scope: { level: "project", organization, project: id }, roles: ["PROJECT_OWNER"] };
}

async function givenApps({ server, project: projectId }: World, count: number): Promise<void> {
  const owner = server.admin.organization;
  const numbers = Array.from({ length: count }, (_, index) => `${index}`);
  await Promise.all(numbers.map((name) => givenAppOf(server, owner, { projectId, name })));
}

async function stateOf({ call }: World, id: string) {
  return granted<GetProjectByIDResponse>(await call(getProjectByID, { id })).project?.state;
}
