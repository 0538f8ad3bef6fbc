import { expect } from "@jest/globals";
import { project } from "../../src/domain/project.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser, type TestServer } from "../harness/server.ts";
import { eitherApp } from "./apps.ts";
import { detailsOf, fact } from "./stored.ts";

/** Ids are opaque: whatever they look like, they are looked for as they are. */
const oddIds = [
  ["a slash", "a/b"],
  ["slashes around it", "/a/"],
  ["a percent sign", "100%"],
  ["what looks like an encoded slash", "a%2Fb"],
  ["what looks like an encoded percent sign", "a%25b"],
  ["a space", "two words"],
  ["a plus sign", "a+b"],
  ["letters of other scripts", "über-проект-项目-😀"],
  ["a question mark and a number sign", "a?b#c"],
  ["a colon and a semicolon", "a:b;c=d"],
  ["quotes and braces", `"{'a'}"`],
  ["a backslash", "a\\b"],
  ["a line break", "a\nb"],
  ["the name of a property", "__proto__"],
  ["the name of another stream", "app-1"],
] as const;

const notFound = {
  code: 5,
  reason: "PROJECT_NOT_FOUND",
  message: "The organization has no project with this id.",
};

runCases("the project of an application", [
  ...eitherApp("refuses an own project when acting on another organization", async (world) => ({
    request: { projectId: world.project, name: world.unique },
    headers: { "x-service-orgid": await givenOrganization(world.server) },
    expected: notFound,
  })),
  ...eitherApp(
    "refuses to an owner of the own organization what lies in another",
    async (world) => {
      const { server, unique } = world;
      const [own, other] = [await givenOrganization(server), await givenOrganization(server)];
      const scope = { level: "organization", organization: own } as const;
      const { token } = await givenUser(server, own, [{ scope, roles: ["ORG_OWNER"] }]);
      const projectId = await givenProject(server, other);
      return { request: { projectId, name: unique }, token, expected: notFound };
    },
  ),
  ...eitherApp("takes a project of the organization that the header names", async (world) => {
    const other = await givenOrganization(world.server);
    const projectId = await givenProject(world.server, other);
    return created(world, projectId, other, { "x-service-orgid": other });
  }),
  ...eitherApp("counts an empty header as absent", ({ project: projectId, ...world }) =>
    created(world, projectId, world.server.admin.organization, { "x-service-orgid": " " }),
  ),
]);

runCases("ids of projects", [
  ...oddIds.flatMap(([what, id]) => [
    ...eitherApp(`looks for an id with ${what}`, ({ unique }) => ({
      request: { projectId: id, name: unique },
      expected: notFound,
    })),
    ...eitherApp(`finds an id with ${what}`, async (world) => {
      // The server is shared by all clients, and ids are not used twice.
      const projectId = `${id} ${world.unique}`;
      await givenProjectWithId(world.server, projectId);
      return created(world, projectId, world.server.admin.organization);
    }),
  ]),
  ...eitherApp(
    "looks for an id of two dots",
    ({ unique }) => ({ request: { projectId: "..", name: unique }, expected: notFound }),
    {
      clients: ["connect-json", "connect-proto", "grpc", "grpc-js", "grpc-web", "json"],
      because: "URL parsers resolve dots in paths, encoded or not, before they send anything",
    },
  ),
]);

function created(
  { server: { admin }, unique: name }: Pick<World, "server" | "unique">,
  projectId: string,
  owner: string,
  headers: { readonly [name: string]: string } = {},
) {
  return {
    request: { projectId, name },
    headers,
    expected: {
      ok(message: { readonly details?: object | undefined }, events: readonly RecordedEvent[]) {
        const [added, config] = events.map(fact);
        expect(added).toMatchObject({ owner, actor: admin.userId, payload: { projectId, name } });
        expect(config).toMatchObject({ owner, actor: admin.userId, stream: added!.stream });
        expect(message.details).toMatchObject(detailsOf(events));
        expect(message.details).toMatchObject({ resourceOwner: owner });
      },
    },
  };
}

async function givenProjectWithId({ execute, admin }: TestServer, id: string): Promise<void> {
  const payload = {
    name: id,
    projectRoleAssertion: false,
    projectRoleCheck: false,
    hasProjectCheck: false,
    privateLabelingSetting: "UNSPECIFIED",
  } as const;
  const outcome = await execute({
    actor: "test",
    writes: { project: { noun: project, id, owner: admin.organization } },
    relies: {},
    decide: () => ({ events: { project: [{ type: "project.added" as const, payload }] } }),
  });
  expect(outcome.kind).toBe("done");
}
