import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { Membership, Role, Scope } from "../../src/domain/permission.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import { type Case, type Expected, type Prepared, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenProject, givenUser } from "../harness/server.ts";
import { fact } from "./stored.ts";
import {
  change,
  denied,
  detailsOfStream,
  givenInactive,
  givenOwner,
  happen,
  lastOwner,
  noMember,
} from "./users.ts";

const { addAPIApp, addOrgMember, addProjectMember } = ManagementService.method;
const { removeOrgMember, removeProjectMember } = ManagementService.method;
const { addIAMMember, removeIAMMember } = AdminService.method;

/** One level at which users are members, and how they come and go there. */
interface Level {
  readonly method: DescMethodUnary;
  readonly grant: DescMethodUnary;
  readonly roles: readonly [Role, ...Role[]];
  readonly inProject: boolean;
  scopeIn(world: World): Scope;
}

const levels: readonly Level[] = [
  {
    method: removeIAMMember,
    grant: addIAMMember,
    roles: ["IAM_OWNER", "IAM_OWNER_VIEWER"],
    inProject: false,
    scopeIn: () => ({ level: "instance" }),
  },
  {
    method: removeOrgMember,
    grant: addOrgMember,
    roles: [
      "ORG_OWNER",
      "ORG_OWNER_VIEWER",
      "ORG_USER_MANAGER",
      "ORG_USER_PERMISSION_EDITOR",
      "ORG_SETTINGS_MANAGER",
    ],
    inProject: false,
    scopeIn: ({ server }) => ({
      level: "organization",
      organization: server.admin.organization,
    }),
  },
  {
    method: removeProjectMember,
    grant: addProjectMember,
    roles: ["PROJECT_OWNER"],
    inProject: true,
    scopeIn: ({ server, project }) => ({
      level: "project",
      organization: server.admin.organization,
      project,
    }),
  },
];

type Given = Omit<Prepared, "request" | "expected"> & {
  readonly userId: string;
  readonly projectId?: string;
  readonly expected: Exclude<Expected, { ok: unknown }> | "removed" | (() => Promise<void>);
};

/** The row of one level; what is written and answered is looked at as a whole. */
function one(
  level: Level,
  name: string,
  given: (world: World) => Promise<Given>,
  only?: Case["only"],
): Case {
  const { method, inProject, scopeIn } = level;
  return {
    name: `${method.name} ${name}`,
    method,
    ...(only ? { only } : {}),
    async run(world) {
      const { userId, projectId = world.project, expected, ...rest } = await given(world);
      const request = create(method.input, {
        userId,
        ...(inProject ? { projectId } : {}),
      }) as Message;
      if (typeof expected === "object") return { ...rest, request, expected };
      return {
        ...rest,
        request,
        expected: {
          async ok(message, events) {
            const stream = `user-${userId}`;
            const type = "user.membership.removed";
            const payload = { scope: scopeIn(world) };
            expect(events.map(fact)).toMatchObject([{ stream, type, payload }]);
            expect(JSON.parse(events[0]!.payload)).toEqual(payload);
            const details = await detailsOfStream(world.server, stream);
            expect(details).toMatchObject({
              sequence: events[0]!.position,
              resourceOwner: events[0]!.owner,
            });
            expect(message).toEqual(create(method.output, { details }));
            if (typeof expected === "function") await expected();
          },
        },
      };
    },
  };
}

/** A user who is a member at the level, with a role or all roles, and whatever else. */
function givenMember(
  level: Level,
  world: World,
  roles: readonly Role[] = [level.roles[0]],
  more: readonly Membership[] = [],
  organization = world.server.admin.organization,
) {
  const memberships = [{ scope: level.scopeIn(world), roles }, ...more];
  return givenUser(world.server, organization, memberships);
}

async function membershipsOf({ server }: World, userId: string) {
  const [stored] = await server.store.load([`user-${userId}`]);
  const { memberships } = JSON.parse(stored!.state!) as UserState;
  return memberships.map(({ scope, roles }) => ({ scope, roles }));
}

function rowsOf(level: Level): readonly Case[] {
  const { grant, roles, inProject } = level;
  const row = (name: string, given: (world: World) => Promise<Given>, only?: Case["only"]) =>
    one(level, name, given, only);
  const projectOf = ({ project }: World) => (inProject ? { projectId: project } : {});
  return [
    row("takes a role", async (world) => ({
      userId: (await givenMember(level, world)).userId,
      expected: "removed",
    })),
    row("takes every role, and leaves those elsewhere", async (world) => {
      const organization = await givenOrganization(world.server);
      const project = await givenProject(world.server, organization);
      const elsewhere: readonly Membership[] = [
        { scope: { level: "organization", organization }, roles: ["ORG_OWNER"] },
        { scope: { level: "project", organization, project }, roles: ["PROJECT_OWNER"] },
      ];
      const { userId } = await givenMember(level, world, roles, elsewhere);
      const expected = async () => expect(await membershipsOf(world, userId)).toEqual(elsewhere);
      return { userId, expected };
    }),
    row("takes a role that counts no more at once", async (world) => {
      const { userId, token } = await givenMember(level, world);
      const call = (name: string) =>
        world.call(addAPIApp, { projectId: world.project, name }, token);
      expect(await call("before")).toMatchObject({ ok: true });
      const expected = async () =>
        expect(await call("after")).toMatchObject({ ok: false, ...denied });
      return { userId, expected };
    }),
    row("lets the user be made a member anew", async (world) => {
      const { userId } = await givenMember(level, world);
      const request = { userId, roles: [roles.at(-1)!], ...projectOf(world) };
      const taken = { ok: false, reason: "MEMBER_EXISTS" };
      expect(await world.call(grant, request)).toMatchObject(taken);
      const expected = async () => {
        expect(await world.call(grant, request)).toMatchObject({ ok: true });
        const scope = level.scopeIn(world);
        expect(await membershipsOf(world, userId)).toEqual([{ scope, roles: [roles.at(-1)] }]);
        await happen(world.server, [change("user.removed")], { id: userId });
      };
      return { userId, expected };
    }),
    row("takes a role from a user of another organization", async (world) => {
      const organization = await givenOrganization(world.server);
      const { userId } = await givenMember(level, world, undefined, [], organization);
      return { userId, expected: "removed" };
    }),
    row("takes a role from a user who is inactive", async (world) => {
      const membership = { scope: level.scopeIn(world), roles: [roles[0]] };
      const { organization } = world.server.admin;
      const { userId } = await givenInactive(world.server, organization, [membership]);
      return { userId, expected: "removed" };
    }),
    row("takes the own role", async (world) => {
      const owner = { scope: { level: "instance" }, roles: ["IAM_OWNER"] } as const;
      const { organization } = world.server.admin;
      const isInstance = level.scopeIn(world).level === "instance";
      const more = isInstance ? [] : [{ scope: level.scopeIn(world), roles: [roles[0]] }];
      const { userId, token } = await givenUser(world.server, organization, [owner, ...more]);
      const expected = async () => {
        await happen(world.server, [change("user.removed")], { id: userId });
      };
      return { userId, token, expected };
    }),

    row("refuses a user who is no member", async ({ server }) => ({
      userId: (await givenUser(server, server.admin.organization)).userId,
      expected: noMember,
    })),
    ...levels
      .filter((other) => other !== level)
      .map((other) =>
        row(`refuses a member by ${other.grant.name}`, async (world) => {
          const { userId } = await givenMember(other, world, [other.roles.at(-1)!]);
          return { userId, expected: noMember };
        }),
      ),
    row("refuses a user who is removed alike", async (world) => {
      const { userId } = await givenMember(level, world);
      await happen(world.server, [change("user.removed")], { id: userId });
      return { userId, expected: noMember };
    }),
  ];
}

const [onInstance, inOrganization, onProject] = levels as [Level, Level, Level];

runCases("members", [
  // The first: below, more owners are there, of whom some stay.
  one(onInstance, "refuses the last owner", async ({ server }) => {
    const { streams } = await server.store.holders({ kind: "instance.owner", scope: "" }, 100);
    for (const stream of streams.filter((each) => each !== `user-${server.admin.userId}`)) {
      await happen(server, [change("user.removed")], { id: stream.slice("user-".length) });
    }
    return { userId: server.admin.userId, expected: lastOwner };
  }),
  one(onInstance, "lets one of two owners go, and then not the other", async ({ server, call }) => {
    const { userId, token } = await givenOwner(server);
    const request = { userId: server.admin.userId };
    const expected = async () =>
      expect(await call(removeIAMMember, request)).toMatchObject(lastOwner);
    return { userId, token, expected };
  }),
  one(inOrganization, "refuses a member when acting on another organization", async (world) => ({
    userId: (await givenMember(inOrganization, world)).userId,
    headers: { "x-service-orgid": await givenOrganization(world.server) },
    expected: noMember,
  })),
  one(onProject, "refuses a member when acting on another organization", async (world) => ({
    userId: (await givenMember(onProject, world)).userId,
    headers: { "x-service-orgid": await givenOrganization(world.server) },
    expected: noMember,
  })),
  one(onProject, "refuses a member of another project", async (world) => ({
    userId: (await givenMember(onProject, world)).userId,
    projectId: await givenProject(world.server, world.server.admin.organization),
    expected: noMember,
  })),
  ...levels.flatMap(rowsOf),
]);
