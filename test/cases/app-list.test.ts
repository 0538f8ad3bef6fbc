import { toBinary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type { App } from "../../gen/iam/app/v1/app_pb.js";
import {
  type GetAppByIDResponse,
  ListAppsResponseSchema,
} from "../../gen/iam/management/v1/app_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { defaultPageBytes } from "../../src/api/listing.ts";
import { app } from "../../src/domain/app/app.ts";
import { project } from "../../src/domain/project.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import {
  apiConfig,
  givenAppOf,
  oidcConfig,
  oneClient,
  recorded,
  samlConfig,
  someClients,
} from "./given.ts";
import { idsOf, type Listing, listRow } from "./listing.ts";
import { listRows } from "./lists.ts";
import { granted } from "./stored.ts";

const { getAppByID, listApps } = ManagementService.method;
const notFound = { code: 5, reason: "PROJECT_NOT_FOUND" };
const removed = { type: "project.application.removed", payload: {} } as const;
const deactivated = { type: "project.application.deactivated", payload: {} } as const;

const apps: Listing = {
  method: listApps,
  given: ({ server }, { organization, project: projectId }, name) =>
    givenAppOf(server, organization, { projectId, name }, apiConfig()),
  byName: (name, method = 0) => ({ query: { case: "nameQuery", value: { name, method } } }),
  rest: ({ project: projectId }) => ({ projectId }),
};

runCases("ListApps", [
  ...listRows(apps),
  listRow(
    apps,
    "has what GetAppByID has but documents, and nothing removed",
    async (place, world) => {
      const { server, call, unique } = world;
      const { organization, project: projectId } = place.spot;
      const [gone] = await place.given("gone");
      await recorded(server, app, organization, [removed], gone);
      const ids = [
        await givenAppOf(server, organization, { projectId, name: "bare" }),
        await givenAppOf(
          server,
          organization,
          { projectId, name: "api" },
          apiConfig(),
          deactivated,
        ),
        await givenAppOf(server, organization, { projectId, name: "oidc" }, oidcConfig()),
        await givenAppOf(server, organization, { projectId, name: "saml" }, samlConfig(unique)),
        await givenAppOf(
          ...[server, organization, { projectId, name: "url" }],
          samlConfig(`${unique} 2`, "<a/>", "https://sp.example.com/metadata"),
        ),
      ];
      return {
        ask: { query: { asc: true } },
        async ok(page) {
          expect(idsOf(page)).toEqual(ids);
          expect(page.details?.totalResult).toBe(5n);
          const read: App[] = [];
          for (const appId of ids) {
            const answer = await call(getAppByID, { projectId, appId }, place.token);
            read.push(granted<GetAppByIDResponse>(answer).app!);
          }
          const configs = read.map(({ config }) => config.value);
          expect(configs[3]).toMatchObject({ metadata: { case: "metadataXml" } });
          // The document alone is left out; that it is a SAML application is not.
          const metadata = { case: undefined };
          const value = { ...configs[3], metadata };
          read[3] = { ...read[3]!, config: { case: "samlConfig", value } } as App;
          expect(page.result).toEqual(read);
        },
      };
    },
  ),

  refused("a removed project", async ({ server, project: id }) => {
    const gone = { type: "project.removed", payload: {} } as const;
    return recorded(server, project, server.admin.organization, [gone], id);
  }),
  listRow(apps, "lists those of an inactive project", async ({ given, spot }, { server }) => {
    const ids = await given("a");
    const inactive = { type: "project.deactivated", payload: {} } as const;
    await recorded(server, project, spot.organization, [inactive], spot.project);
    return { ok: (page) => expect(idsOf(page)).toEqual(ids) };
  }),

  row(
    "refuses a page whose documents are larger than 16 MiB",
    listApps,
    async (world) => {
      await givenLargeApps(world, 5);
      return {
        request: { projectId: world.project, query: { limit: 5 } },
        expected: {
          ...{ code: 8, reason: "PAGE_TOO_LARGE" },
          message: "The page is larger than 16 MiB: ask for fewer entries.",
        },
      };
    },
    oneClient,
  ),
  ...[0, 1].map((past) =>
    row(
      `answers by default ${2 - past} of two with ${past} bytes past what default clients take`,
      listApps,
      async (world) => {
        const half = defaultPageBytes / 2;
        const first = await givenLargeApp(world, "1", half);
        const [stored] = await world.server.store.load([`app-${first}`]);
        const besides = Buffer.byteLength(stored?.state ?? "") - half;
        await givenLargeApp(world, "2", half - 2 * besides + past);
        const count = 2 - past;
        return {
          request: { projectId: world.project },
          expected: {
            ok(page) {
              expect(page.details?.totalResult).toBe(2n);
              expect(page.result).toHaveLength(count);
              const { length } = toBinary(ListAppsResponseSchema, page);
              expect(length).toBeLessThan(4 * 1024 * 1024);
            },
          },
        };
      },
      oneClient,
    ),
  ),
  row(
    "answers one application by default, however large it is",
    listApps,
    async (world) => {
      await givenLargeApps(world, 2);
      return {
        request: { projectId: world.project },
        expected: { ok: ({ result }) => expect(result).toHaveLength(1) },
      };
    },
    oneClient,
  ),
  row(
    "answers the same applications in smaller pages",
    listApps,
    async (world) => {
      await givenLargeApps(world, 5);
      return {
        request: { projectId: world.project, query: { limit: 4 } },
        expected: {
          ok({ details, result }) {
            expect(details?.totalResult).toBe(5n);
            expect(result).toHaveLength(4);
          },
        },
      };
    },
    oneClient,
  ),
]);

/** Applications whose documents have 3.5 MiB each. */
async function givenLargeApps(world: World, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) await givenLargeApp(world, `${nth}`, 3.5 * 1024 * 1024);
}

/** An application with a document of so many bytes. */
function givenLargeApp(world: World, name: string, bytes: number): Promise<string> {
  const { server, project: projectId, unique } = world;
  const settings = samlConfig(`${unique} ${name}`, "x".repeat(bytes));
  return givenAppOf(server, server.admin.organization, { projectId }, settings);
}

function refused(what: string, projectOf: (world: World) => Promise<string>) {
  return row(
    `refuses ${what}`,
    listApps,
    async (world) => ({ request: { projectId: await projectOf(world) }, expected: notFound }),
    someClients,
  );
}
