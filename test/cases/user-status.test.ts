import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { reasons } from "../../src/reason.ts";
import { type Case, type Expected, type Prepared, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { fact } from "./stored.ts";
import {
  change,
  denied,
  detailsOfStream,
  escalation,
  givenHuman,
  givenInactive,
  givenOwner,
  happen,
  lastOwner,
  notFound,
  unauthenticated,
} from "./users.ts";

const { addProject, deactivateUser, reactivateUser, removeUser } = ManagementService.method;

/** One of the three operations that change whether a user may log in. */
interface Operation {
  readonly method: DescMethodUnary;
  readonly type: UserEvent["type"];
  /** What has to happen to a user before. */
  readonly before: readonly UserEvent[];
}

const operations: readonly Operation[] = [
  { method: deactivateUser, type: "user.deactivated", before: [] },
  { method: reactivateUser, type: "user.reactivated", before: [change("user.deactivated")] },
  { method: removeUser, type: "user.removed", before: [] },
];
const [deactivation, reactivation, removal] = operations as [Operation, Operation, Operation];

type Given = Omit<Prepared, "request" | "expected"> & {
  readonly id: string;
  readonly expected: Exclude<Expected, { ok: unknown }> | "changed" | (() => Promise<void>);
};

/** The row of one operation on one user; what is written and answered is looked at as a whole. */
function one(
  { method, type }: Operation,
  name: string,
  given: (world: World) => Promise<Given>,
  only?: Case["only"],
): Case {
  return {
    name: `${method.name} ${name}`,
    method,
    ...(only ? { only } : {}),
    async run(world) {
      const { id, expected, ...rest } = await given(world);
      const request = create(method.input, { id }) as Message;
      if (typeof expected === "object") return { ...rest, request, expected };
      return {
        ...rest,
        request,
        expected: {
          async ok(message, events) {
            const stream = `user-${id}`;
            const [{ version, owner, ...recorded }] = events.map(fact) as [ReturnType<typeof fact>];
            expect(events).toHaveLength(1);
            expect(recorded).toEqual({ stream, type, actor: expect.any(String), payload: {} });
            const details = await detailsOfStream(world.server, stream);
            expect(details).toMatchObject({ resourceOwner: owner, sequence: events[0]!.position });
            expect(version).toBeGreaterThan(1);
            expect(message).toEqual(create(method.output, { details }));
            if (typeof expected === "function") await expected();
          },
        },
      };
    },
  };
}

function each(
  name: string,
  given: (world: World, operation: Operation) => Promise<Given>,
  only?: Case["only"],
): readonly Case[] {
  return operations.map((operation) =>
    one(operation, name, (world) => given(world, operation), only),
  );
}

async function givenMachine({ server }: World, { before }: Operation, organization?: string) {
  const given = await givenUser(server, organization ?? server.admin.organization);
  if (before.length > 0) await happen(server, before, { id: given.userId });
  return { ...given, id: given.userId };
}

runCases("users", [
  ...each("changes a machine user", async (world, operation) => ({
    id: (await givenMachine(world, operation)).id,
    expected: "changed",
  })),
  ...each("changes a person", async ({ server }, { before }) => ({
    id: await givenHuman(server, server.admin.organization, {}, before),
    expected: "changed",
  })),
  ...each("changes a user of the organization in the header", async (world, operation) => {
    const organization = await givenOrganization(world.server);
    const { id } = await givenMachine(world, operation, organization);
    return { id, headers: { "x-service-orgid": organization }, expected: "changed" };
  }),
  ...each("may be called by who manages the users", async (world, operation) => {
    const { organization } = world.server.admin;
    const scope = { level: "organization", organization } as const;
    const { token } = await givenUser(world.server, organization, [
      { scope, roles: ["ORG_USER_MANAGER"] },
    ]);
    return { id: (await givenMachine(world, operation)).id, token, expected: "changed" };
  }),

  ...each("refuses an own user when acting on another organization", async (world, operation) => {
    const organization = await givenOrganization(world.server);
    const { id } = await givenMachine(world, operation);
    return { id, headers: { "x-service-orgid": organization }, expected: notFound };
  }),
  ...each("refuses a user who is removed", async (world, operation) => {
    const { id } = await givenMachine(world, operation);
    await happen(world.server, [change("user.removed")], { id });
    return { id, expected: notFound };
  }),
  ...each("refuses a user who holds more than the caller", async (world, operation) => {
    const { organization } = world.server.admin;
    const scope = { level: "organization", organization } as const;
    const holder = (role: "ORG_USER_MANAGER" | "ORG_OWNER_VIEWER") =>
      givenUser(world.server, organization, [{ scope, roles: [role] }]);
    const { userId: id } = await holder("ORG_OWNER_VIEWER");
    await happen(world.server, operation.before, { id });
    return { id, token: (await holder("ORG_USER_MANAGER")).token, expected: escalation };
  }),
  ...each("refuses a caller without a role, itself too", async ({ server }) => {
    const { userId: id, token } = await givenUser(server, server.admin.organization);
    return { id, token, expected: denied };
  }),

  one(deactivation, "refuses a user who is inactive", async ({ server }) => ({
    id: (await givenInactive(server, server.admin.organization)).userId,
    expected: { code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
  })),
  one(reactivation, "refuses a user who is active", async (world) => ({
    id: (await givenMachine(world, deactivation)).id,
    expected: { code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
  })),
  one(removal, "removes a user who is inactive", async ({ server }) => ({
    id: (await givenInactive(server, server.admin.organization)).userId,
    expected: "changed",
  })),

  // What the tokens of the user are worth, before and after.
  ...[deactivation, removal].map((operation) =>
    one(operation, "has the tokens refused at once", async (world) => {
      const { userId: id, token } = await givenOwner(world.server);
      const call = () => world.call(addProject, { name: `${world.unique} ${token}` }, token);
      expect(await call()).toMatchObject({ ok: true });
      const expected = async () =>
        expect(await call()).toMatchObject({ ok: false, ...unauthenticated });
      return { id, expected };
    }),
  ),
  one(reactivation, "has the tokens accepted again", async (world) => {
    const scope = { level: "instance" } as const;
    const { organization } = world.server.admin;
    const owners = [{ scope, roles: ["IAM_OWNER_VIEWER", "IAM_OWNER"] as const }];
    const { userId: id, token } = await givenInactive(world.server, organization, owners);
    const call = () => world.call(addProject, { name: world.unique }, token);
    expect(await call()).toMatchObject({ ok: false, ...unauthenticated });
    const expected = async () => {
      expect(await call()).toMatchObject({ ok: true });
      // Nobody is left behind who would count among the owners.
      await happen(world.server, [change("user.removed")], { id });
    };
    return { id, expected };
  }),
  ...[deactivation, removal].map((operation) =>
    one(operation, "is possible for oneself, and ends what one may", async (world) => {
      const { userId: id, token } = await givenOwner(world.server);
      const call = () => world.call(operation.method, { id }, token);
      const expected = async () =>
        expect(await call()).toMatchObject({ ok: false, ...unauthenticated });
      return { id, token, expected };
    }),
  ),

  // The first user is the only owner here that is not on its way out.
  ...[deactivation, removal].flatMap((operation) => [
    one(operation, "refuses the last owner", async ({ server: { admin } }) => ({
      id: admin.userId,
      expected: lastOwner,
    })),
    one(operation, "does not count an owner who is inactive", async ({ server }) => {
      const scope = { level: "instance" } as const;
      const owner = [{ scope, roles: ["IAM_OWNER"] as const }];
      await givenInactive(server, server.admin.organization, owner);
      return { id: server.admin.userId, expected: lastOwner };
    }),
    one(operation, "does not count an owner who is removed", async ({ server }) => {
      const { userId: id } = await givenOwner(server);
      await happen(server, [change("user.removed")], { id });
      return { id: server.admin.userId, expected: lastOwner };
    }),
    one(operation, "lets one of two owners go, and then not the other", async (world) => {
      const { server, call } = world;
      const organization = await givenOrganization(server);
      const { userId: id, token } = await givenOwner(server, organization);
      const headers = { "x-service-orgid": organization };
      const expected = async () =>
        expect(await call(operation.method, { id: server.admin.userId })).toMatchObject(lastOwner);
      return { id, token, headers, expected };
    }),
  ]),
]);
