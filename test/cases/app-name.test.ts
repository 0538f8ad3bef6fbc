import { expect } from "@jest/globals";
import type { AddAPIAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { RecordedEvent } from "../../src/event.ts";
import { runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject } from "../harness/server.ts";
import { eitherApp, givenApp } from "./apps.ts";
import { fact } from "./stored.ts";

const { addAPIApp, addOIDCApp } = ManagementService.method;

/** Names that are one and the same within a project. */
const alike = [
  ["the same", "Portal", "Portal"],
  ["another case", "Portal", "pORTAL"],
  ["another case of other scripts", "ÜBER-ÀÉ-ЖЩ", "über-àé-жщ"],
  ["full width", "Portal 1", "Ｐｏｒｔａｌ １"],
  ["a ligature", "Offices", "Oﬃces"],
  ["a combining mark", "Café", "Cafe\u0301"],
  ["white space around it", "Portal", "\u00a0Portal \u2003"],
  ["more white space within it", "Portal 1", "Portal\u00a0\u2003 1"],
  ["a letter that composes in lower case only", "J\u030C", "\u01F0"],
] as const;

const different = [
  ["another letter", "Portal", "Portals"],
  ["ß and SS", "Straße", "STRASSE"],
  ["an accent", "Café", "Cafe"],
] as const;

const taken = {
  code: 6,
  reason: "NAME_TAKEN",
  message:
    "Another application of this project has this name (ignoring case). Choose a different one.",
};

runCases("names of applications", [
  ...alike.flatMap(([what, first, second]) =>
    eitherApp(`refuses a name that is taken: ${what}`, async ({ server, project }) => {
      await givenApp(server, server.admin.organization, project, first);
      return { request: { projectId: project, name: second }, expected: taken };
    }),
  ),
  ...different.flatMap(([what, first, second]) =>
    eitherApp(`takes a name that differs: ${what}`, async (world) => {
      await givenApp(world.server, world.server.admin.organization, world.project, first);
      return created(world, world.project, second);
    }),
  ),

  ...eitherApp("refuses the name of an OIDC application", async ({ call, project, unique }) => {
    const first = await call(addOIDCApp, { projectId: project, name: unique });
    expect(first).toMatchObject({ ok: true });
    return { request: { projectId: project, name: unique.toUpperCase() }, expected: taken };
  }),
  ...eitherApp("refuses the name of an API application", async ({ call, project, unique }) => {
    const first = await call(addAPIApp, { projectId: project, name: unique });
    expect(first).toMatchObject({ ok: true });
    return { request: { projectId: project, name: unique.toUpperCase() }, expected: taken };
  }),
  ...eitherApp("takes a name that another project has", async (world) => {
    const { organization } = world.server.admin;
    const other = await givenProject(world.server, organization);
    await givenApp(world.server, organization, other, world.unique);
    return created(world, world.project, world.unique);
  }),
  ...eitherApp("takes a name that another organization has", async (world) => {
    const other = await givenOrganization(world.server);
    const project = await givenProject(world.server, other);
    await givenApp(world.server, other, project, world.unique);
    return created(world, world.project, world.unique);
  }),

  ...eitherApp("is one winner of a name that many want at once", async (world) => {
    const { call, project: projectId, server, unique: name } = world;
    const before = await server.head();
    const answers = await Promise.all([
      call(addOIDCApp, { projectId, name }),
      call(addAPIApp, { projectId, name }),
      call(addOIDCApp, { projectId, name: name.toUpperCase() }),
      call(addAPIApp, { projectId, name: name.toUpperCase() }),
    ]);
    const won = answers.flatMap((answer) => (answer.ok ? [answer.message] : []));
    const lost = answers.filter(({ ok }) => !ok);
    expect(lost).toMatchObject([taken, taken, taken]);
    // What the losers wanted has left no trace, the winner's two events are there.
    const [{ appId }] = won as [AddAPIAppResponse];
    const streams = (await server.events(before)).map(({ stream }) => stream);
    expect(streams).toEqual([`app-${appId}`, `app-${appId}`]);
    return { request: { projectId, name }, expected: taken };
  }),
]);

function created({ server: { admin } }: World, projectId: string, name: string) {
  return {
    request: { projectId, name },
    expected: {
      ok(_message: unknown, events: readonly RecordedEvent[]) {
        expect(events.map(fact)[0]).toMatchObject({
          type: "project.application.added",
          owner: admin.organization,
          payload: { projectId, name },
        });
        expect(events).toHaveLength(2);
      },
    },
  };
}
