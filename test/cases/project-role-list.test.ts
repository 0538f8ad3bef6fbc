import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { row, runCases } from "../harness/cases.ts";
import { someClients } from "./given.ts";
import { givenRole } from "./grants.ts";

// Lists of the roles of a project.

const { listProjectRoles } = ManagementService.method;

const byKey = (key: string, method = TextQueryMethod.EQUALS) => ({
  query: { case: "keyQuery", value: { key, method } } as const,
});
const byName = (displayName: string, method = TextQueryMethod.EQUALS) => ({
  query: { case: "displayNameQuery", value: { displayName, method } } as const,
});

runCases(
  "ListProjectRoles",
  (
    [
      ["all, the newest first", [], ["Plan", "planet", "plan"]],
      ["by key", [byKey("plan")], ["plan"]],
      [
        "by the beginning of the key",
        [byKey("PLAN", TextQueryMethod.STARTS_WITH_IGNORE_CASE)],
        ["Plan", "planet", "plan"],
      ],
      ["by name", [byName("name of planet")], ["planet"]],
      [
        "by both",
        [byKey("plan", TextQueryMethod.STARTS_WITH), byName("net", TextQueryMethod.ENDS_WITH)],
        ["planet"],
      ],
      ["nothing", [byKey("none")], []],
    ] as const
  ).map(([name, queries, keys]) =>
    row(
      `finds ${name}`,
      listProjectRoles,
      async (world) => {
        const { server, project } = world;
        const { organization } = server.admin;
        for (const key of ["plan", "planet", "Plan"]) {
          await givenRole(server, organization, project, { key, displayName: `name of ${key}` });
        }
        return {
          request: { projectId: project, queries: [...queries] },
          expected: {
            ok({ result, details }) {
              expect(result.map(({ key }) => key)).toEqual(keys);
              expect(details?.totalResult).toBe(BigInt(keys.length));
            },
          },
        };
      },
      someClients,
    ),
  ),
);
