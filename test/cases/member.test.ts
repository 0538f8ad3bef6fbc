import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { Role, Scope } from "../../src/domain/permission.ts";
import { userLimits } from "../../src/domain/user/state/user.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, type Expected, row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { detailsOf, fact } from "./stored.ts";

const { addOrgMember, addProjectMember } = ManagementService.method;
const { addIAMMember } = AdminService.method;

interface Given {
  readonly userId: string;
  readonly roles: readonly string[];
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly expected:
    | Exclude<Expected, { ok: unknown }>
    | {
        ok(
          message: { readonly details?: object | undefined },
          events: readonly RecordedEvent[],
        ): void | Promise<void>;
      };
}

/** One level at which users are members: its method, where that is, and the roles there. */
interface Level {
  readonly name: string;
  readonly roles: readonly Role[];
  /** A role of another level. */
  readonly foreign: Role;
  scopeIn(world: World): Scope;
  row(name: string, given: (world: World) => Given | Promise<Given>): Case;
}

const levels: readonly Level[] = [
  {
    name: "AddIAMMember",
    roles: ["IAM_OWNER", "IAM_OWNER_VIEWER"],
    foreign: "ORG_OWNER",
    scopeIn: () => ({ level: "instance" }),
    row: (name, given) => row(name, addIAMMember, async (world) => fill(await given(world))),
  },
  {
    name: "AddOrgMember",
    roles: [
      "ORG_OWNER",
      "ORG_OWNER_VIEWER",
      "ORG_USER_MANAGER",
      "ORG_USER_PERMISSION_EDITOR",
      "ORG_SETTINGS_MANAGER",
    ],
    foreign: "IAM_OWNER",
    scopeIn: ({ server: { admin } }) => ({
      level: "organization",
      organization: admin.organization,
    }),
    row: (name, given) => row(name, addOrgMember, async (world) => fill(await given(world))),
  },
  {
    name: "AddProjectMember",
    roles: ["PROJECT_OWNER"],
    foreign: "ORG_OWNER",
    scopeIn: ({ server: { admin }, project }) => ({
      level: "project",
      organization: admin.organization,
      project,
    }),
    row: (name, given) =>
      row(name, addProjectMember, async (world) => {
        const { request, ...rest } = fill(await given(world));
        return { ...rest, request: { projectId: world.project, ...request } };
      }),
  },
];

for (const level of levels) runCases(level.name, rowsOf(level));

function rowsOf(level: Level): readonly Case[] {
  const { roles, foreign, scopeIn } = level;
  const refuse = (
    name: string,
    expected: Exclude<Expected, { ok: unknown }>,
    given: (world: World) => Omit<Given, "expected" | "userId"> & { readonly userId?: string },
  ) =>
    level.row(`refuses ${name}`, async (world) => {
      const { userId } = await givenUser(world.server, world.server.admin.organization);
      return { userId, ...given(world), expected };
    });
  const noRoles = (...fields: readonly string[]) => ({ code: 3, reason: "INVALID_FIELDS", fields });

  return [
    ...roles.map((role) => granting(level, `grants ${role}`, [role], [role])),
    granting(level, "grants every role at once", roles, roles),
    granting(level, "grants a role once that is given twice", [roles[0]!, roles[0]!], [roles[0]!]),
    level.row("grants a role that counts at once", async (world) => {
      const { admin } = world.server;
      const { userId, token } = await givenUser(world.server, admin.organization);
      const denied = { ok: false, reason: "PERMISSION_DENIED" };
      const app = { projectId: world.project, name: world.unique };
      const { addAPIApp } = ManagementService.method;
      expect(await world.call(addAPIApp, app, token)).toMatchObject(denied);
      return {
        userId,
        roles: [roles[0]!],
        expected: {
          ok: async () =>
            expect(await world.call(addAPIApp, app, token)).toMatchObject({ ok: true }),
        },
      };
    }),
    level.row("grants the last membership that a user may have", async (world) => {
      const { userId } = await givenUser(
        world.server,
        world.server.admin.organization,
        memberships(userLimits.memberships - 1),
      );
      const expected = {
        ok: (_m: object, events: readonly object[]) => expect(events).toHaveLength(1),
      };
      return { userId, roles: [roles[0]!], expected };
    }),
    level.row("refuses one membership more", async (world) => {
      const { userId } = await givenUser(
        world.server,
        world.server.admin.organization,
        memberships(userLimits.memberships),
      );
      return { userId, roles: [roles[0]!], expected: { code: 8, reason: "LIMIT_REACHED" } };
    }),
    level.row("refuses a member, whatever the roles", async (world) => {
      const membership = { scope: scopeIn(world), roles: [roles[0]!] };
      const { organization } = world.server.admin;
      const { userId } = await givenUser(world.server, organization, [membership]);
      const expected = { code: 6, reason: "MEMBER_EXISTS" };
      return { userId, roles: [roles.at(-1)!], expected };
    }),

    refuse("a role that does not exist", noRoles("roles[1]"), () => ({
      roles: [roles[0]!, "OWNER"],
    })),
    refuse("the name of a property", noRoles("roles[0]"), () => ({ roles: ["constructor"] })),
    refuse("a role of another level", noRoles("roles[0]"), () => ({ roles: [foreign] })),
    refuse("every wrong role at its place", noRoles("roles[0]", "roles[2]"), () => ({
      roles: [foreign, roles[0]!, roles[0]!.toLowerCase()],
    })),
    refuse("21 roles", noRoles("roles"), () => ({
      roles: Array.from("x".repeat(21), () => roles[0]!),
    })),
  ];
}

function granting(
  level: Level,
  name: string,
  roles: readonly string[],
  stored: readonly Role[],
): Case {
  return level.row(name, async (world) => {
    const { organization: owner, userId: actor } = world.server.admin;
    const { userId } = await givenUser(world.server, owner);
    return {
      userId,
      roles,
      expected: {
        ok({ details }, events) {
          const event = { stream: `user-${userId}`, version: 3, type: "user.membership.granted" };
          const payload = { scope: level.scopeIn(world), roles: stored };
          expect(events.map(fact)).toEqual([{ ...event, owner, actor, payload }]);
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    };
  });
}

/** Memberships in places that nobody knows, which count as any other. */
function memberships(count: number) {
  return Array.from({ length: count }, (_none, index) => ({
    scope: { level: "organization", organization: `other-${index}` } as const,
    roles: ["ORG_OWNER_VIEWER"] as const,
  }));
}

function fill({ userId, roles, ...rest }: Given) {
  return { ...rest, request: { userId, roles: [...roles] } };
}
