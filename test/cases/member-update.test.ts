import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { Role, Scope } from "../../src/domain/permission.ts";
import { type Case, type Expected, type Prepared, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { fact } from "./stored.ts";
import { denied, detailsOfStream, givenHuman, happen, noMember, notFound } from "./users.ts";

// Roles of members are replaced: at each level what comes of it, and what that voids.

const { addAPIApp, updateOrgMember, updateProjectMember } = ManagementService.method;
const { updateIAMMember } = AdminService.method;

/** One level at which roles are replaced: the roles that a member has there, and then. */
interface Level {
  readonly method: DescMethodUnary;
  readonly before: readonly Role[];
  readonly after: readonly Role[];
  readonly foreign: Role;
  scopeIn(world: World): Scope;
}

const inOrganization: Level = {
  method: updateOrgMember,
  before: ["ORG_OWNER", "ORG_OWNER_VIEWER"],
  after: ["ORG_USER_MANAGER"],
  foreign: "PROJECT_OWNER",
  scopeIn: ({ server: { admin } }) => ({ level: "organization", organization: admin.organization }),
};
const onInstance: Level = {
  method: updateIAMMember,
  before: ["IAM_OWNER", "IAM_OWNER_VIEWER"],
  after: ["IAM_OWNER_VIEWER"],
  foreign: "ORG_OWNER",
  scopeIn: () => ({ level: "instance" }),
};
const onProject: Level = {
  method: updateProjectMember,
  before: ["PROJECT_OWNER"],
  after: ["PROJECT_OWNER"],
  foreign: "ORG_OWNER",
  scopeIn: ({ server: { admin }, project }) => ({
    ...{ level: "project", organization: admin.organization, project },
  }),
};

type Given = Omit<Prepared, "request" | "expected"> & {
  readonly userId: string;
  readonly roles?: readonly string[];
  readonly more?: object;
  readonly expected: Exclude<Expected, { ok: unknown }> | ((answer: object) => unknown);
};

function one(
  { method, after, scopeIn }: Level,
  name: string,
  given: (world: World) => Promise<Given>,
): Case {
  return {
    name: `${method.name} ${name}`,
    method,
    async run(world) {
      const { userId, roles = after, more = {}, expected, ...rest } = await given(world);
      const on = method === updateProjectMember ? { projectId: world.project } : {};
      const request = create(method.input, { ...on, ...more, userId, roles }) as Message;
      if (typeof expected === "object") return { ...rest, request, expected };
      return {
        ...{ ...rest, request },
        expected: {
          async ok(message, events) {
            const last = events.at(-1)!;
            const stream = `user-${userId}`;
            const payload = { scope: scopeIn(world), roles };
            expect(fact(last)).toMatchObject({ stream, type: "user.membership.changed", payload });
            const details = await detailsOfStream(world.server, stream);
            expect(message).toMatchObject({ details });
            await expected(message);
          },
        },
      };
    },
  };
}

/** A user who is a member at the level. */
function givenMember(level: Level, world: World, organization = world.server.admin.organization) {
  const membership = { scope: level.scopeIn(world), roles: level.before };
  return givenUser(world.server, organization, [membership]);
}

const nothing = { code: 9, reason: "NOTHING_CHANGED" };

function refusalsOf(level: Level): readonly Case[] {
  const { before, foreign } = level;
  const refuse = (
    name: string,
    expected: Exclude<Expected, { ok: unknown }>,
    given: (world: World) => Promise<Omit<Given, "expected">>,
  ) => one(level, `refuses ${name}`, async (world) => ({ ...(await given(world)), expected }));
  return [
    refuse("roles that are so already", nothing, async (world) => ({
      userId: (await givenMember(level, world)).userId,
      roles: [...before.toReversed(), before[0]!],
    })),
    refuse("who is no member", noMember, async ({ server }) => ({
      userId: (await givenUser(server, server.admin.organization)).userId,
    })),
    refuse("nobody", noMember, async ({ unique }) => ({ userId: unique })),
    refuse(
      "a role of another level",
      { code: 3, reason: "INVALID_FIELDS", fields: ["roles[1]"] },
      async (world) => ({
        userId: (await givenMember(level, world)).userId,
        roles: [before[0]!, foreign],
      }),
    ),
  ];
}

const changes: readonly Case[] = [onInstance, inOrganization].flatMap((level) => [
  one(level, "replaces all roles", async (world) => ({
    ...{ userId: (await givenMember(level, world)).userId, roles: level.after },
    expected: (answer) => expect(answer).toMatchObject({ voided: [], initializationLink: "" }),
  })),
  one(level, "takes a role that counts no more at once", async (world) => {
    const { userId, token } = await givenMember(level, world);
    const call = (name: string) => world.call(addAPIApp, { projectId: world.project, name }, token);
    expect(await call("before")).toMatchObject({ ok: true });
    return {
      userId,
      expected: async () => expect(await call("after")).toMatchObject({ ok: false, ...denied }),
    };
  }),
  one(level, "takes from a member of another organization", async (world) => {
    const foreign = await givenOrganization(world.server);
    const { userId } = await givenMember(level, world, foreign);
    return { userId, roles: [level.before[1]!], expected: () => {} };
  }),
]);

/** A person, whom somebody without rights made, and who is about to get a further role. */
async function givenLocked({ server }: World) {
  const { organization } = server.admin;
  const userId = await givenHuman(server, organization);
  const scope = { level: "organization", organization } as const;
  const granted = { scope, roles: ["ORG_USER_MANAGER"] } as const;
  await happen(
    server,
    [
      { type: "user.human.password.changed", payload: { passwordHash: "hash" } },
      { type: "user.membership.granted", payload: granted },
    ],
    { id: userId },
  );
  return { userId, roles: ["ORG_USER_MANAGER", "ORG_OWNER"] };
}

const special: readonly Case[] = [
  one(
    inOrganization,
    "refuses to give to a member whom the caller may not make one",
    async (world) => {
      const { server } = world;
      const { organization } = server.admin;
      const foreign = await givenOrganization(server);
      const { userId } = await givenMember(inOrganization, world, foreign);
      const owning = { scope: inOrganization.scopeIn(world), roles: ["ORG_OWNER"] } as const;
      const { token } = await givenUser(server, organization, [owning]);
      return { userId, token, roles: ["ORG_OWNER", "ORG_SETTINGS_MANAGER"], expected: notFound };
    },
  ),
  one(inOrganization, "refuses to leave a person without a way in", async (world) => ({
    ...(await givenLocked(world)),
    expected: { code: 9, reason: "MEMBER_LOCKED_OUT" },
  })),
  one(inOrganization, "voids what a lesser user made, and answers a link", async (world) => ({
    ...(await givenLocked(world)),
    more: { returnInitializationLink: true },
    expected: (answer) => {
      const { voided } = answer as { readonly voided: readonly string[] };
      expect(voided).toEqual(["email", "password"]);
      expect(answer).toMatchObject({ initializationLink: expect.stringContaining("http") });
    },
  })),
];

runCases("roles of members", [
  ...changes,
  ...[onInstance, inOrganization, onProject].flatMap(refusalsOf),
  ...special,
]);
