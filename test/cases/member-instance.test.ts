import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { MemberFieldColumnName } from "../../gen/iam/member/v1/member_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import type { Role, Scope } from "../../src/domain/permission.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenOrganization } from "../harness/server.ts";
import { oneClient } from "./given.ts";
import { givenHuman, happen } from "./users.ts";

// Who has roles on the instance, by each column, and which roles there are at each level.

const { listIAMMembers, listIAMMemberRoles } = AdminService.method;
const { listOrgMemberRoles, listProjectMemberRoles } = ManagementService.method;

/** Three members of the instance, and what each column makes of them. */
const sorted = [
  ["by user", MemberFieldColumnName.MEMBER_FIELD_NAME_USER_ID, [0, 1, 2]],
  ["by nothing", MemberFieldColumnName.MEMBER_FIELD_NAME_UNSPECIFIED, [0, 1, 2]],
  ["by when they joined", MemberFieldColumnName.MEMBER_FIELD_NAME_CREATION_DATE, [1, 2, 0]],
  ["by when they changed", MemberFieldColumnName.MEMBER_FIELD_NAME_CHANGE_DATE, [2, 0, 1]],
  ["by where they belong", MemberFieldColumnName.MEMBER_FIELD_NAME_USER_RESOURCE_OWNER, [0, 1, 2]],
] as const;

runCases("members of the instance", [
  ...sorted.map(([name, sortingColumn, expected]) =>
    row(
      `are sorted ${name}`,
      listIAMMembers,
      async ({ server, unique }) => {
        const scope: Scope = { level: "instance" };
        const lastName = unique;
        const given: string[] = [];
        for (const _ of [1, 2, 3]) {
          given.push(await givenHuman(server, await givenOrganization(server), { lastName }));
        }
        const happened = async (index: number, type: "granted" | "changed", role: Role) => {
          const event = { type: `user.membership.${type}`, payload: { scope, roles: [role] } };
          await happen(server, [event as never], { id: given[index]! });
          // Times of events are of a millisecond.
          await new Promise((resolve) => setTimeout(resolve, 2));
        };
        for (const index of [1, 2, 0]) await happened(index, "granted", "IAM_OWNER_VIEWER");
        await happened(1, "changed", "IAM_OWNER");
        const value = { lastName, method: TextQueryMethod.EQUALS };
        return {
          request: {
            sortingColumn,
            query: { asc: true },
            queries: [{ query: { case: "lastNameQuery" as const, value } }],
          },
          expected: {
            ok({ result, details }) {
              expect(result.map(({ userId }) => given.indexOf(userId))).toEqual(expected);
              expect(details?.totalResult).toBe(3n);
              expect(result[0]?.details?.resourceOwner).toBe("");
            },
          },
        };
      },
      oneClient,
    ),
  ),
]);

const ofOrganization = [
  ...["ORG_OWNER", "ORG_OWNER_VIEWER", "ORG_USER_MANAGER"],
  ...["ORG_USER_PERMISSION_EDITOR", "ORG_SETTINGS_MANAGER"],
];
runCases("the roles that exist", [
  row("on the instance", listIAMMemberRoles, () => ({
    request: {},
    expected: {
      ok({ roles, details }) {
        expect(roles).toEqual(["IAM_OWNER", "IAM_OWNER_VIEWER"]);
        expect(details?.totalResult).toBe(2n);
      },
    },
  })),
  row("in organizations", listOrgMemberRoles, () => ({
    request: {},
    expected: { ok: ({ result }) => expect(result).toEqual(ofOrganization) },
  })),
  row("on projects", listProjectMemberRoles, () => ({
    request: {},
    expected: {
      ok({ result, details }) {
        expect(result).toEqual(["PROJECT_OWNER"]);
        expect(details?.totalResult).toBe(1n);
      },
    },
  })),
]);
