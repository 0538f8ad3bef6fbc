import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { GenerateMachineSecretResponse } from "../../gen/iam/management/v1/user_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser, type TestServer } from "../harness/server.ts";
import { recorded, someClients } from "./given.ts";
import { type Change, changeRows } from "./lookups.ts";
import { granted, sha256 } from "./stored.ts";
import { change, escalation, givenHuman, givenInactive, happen } from "./users.ts";

const { generateMachineSecret, getUserByID, removeMachineSecret } = ManagementService.method;

const person = { code: 9, reason: "USER_NOT_MACHINE" };
const missing = { code: 9, reason: "SECRET_MISSING" };

const secretSet = (clientSecretHash: string): UserEvent => ({
  type: "user.machine.secret.set",
  payload: { clientSecretHash },
});

/** A machine of the organization, made a while ago, with a client secret. */
function givenMachine(server: TestServer, organization: string): Promise<string> {
  const names = { userName: crypto.randomUUID(), name: "Robot", description: "" };
  return recorded(server, user, organization, [
    { type: "user.machine.added", payload: { ...names, accessTokenType: "BEARER" } },
    secretSet("00"),
  ]);
}

const lookup = {
  ...{ noun: user, notFound: { code: 5, reason: "USER_NOT_FOUND" } },
  given: ({ server }, { organization }) => givenMachine(server, organization),
  request: (userId) => ({ userId }),
  removal: change("user.removed"),
} satisfies Partial<Change>;

runCases("GenerateMachineSecret", [
  ...changeRows({
    ...{ ...lookup, method: generateMachineSecret, type: "user.machine.secret.set" },
    payload: ({ clientSecret = "" }) => ({ clientSecretHash: sha256(clientSecret) }),
    answer: (details, { clientId = "", clientSecret = "" }) => {
      expect(clientSecret).toMatch(/^[\w-]{43}$/);
      expect(clientId).not.toBe("");
      return { details, clientId, clientSecret };
    },
  }),
  row("answers the id of the user as that of the client", generateMachineSecret, async (world) => {
    const userId = await givenMachine(world.server, world.server.admin.organization);
    return {
      request: { userId },
      expected: { ok: ({ clientId }) => expect(clientId).toBe(userId) },
    };
  }),
  row("leaves nothing of the secret before", generateMachineSecret, async (world) => {
    const { userId } = await givenUser(world.server, world.server.admin.organization);
    const before = await stateOf(world, userId);
    const request = { userId };
    const first = granted<GenerateMachineSecretResponse>(
      await world.call(generateMachineSecret, request),
    );
    return {
      request,
      expected: {
        async ok({ clientSecret }) {
          expect(clientSecret).not.toBe(first.clientSecret);
          const { userId: maker } = world.server.admin;
          const held = { clientSecretHash: sha256(clientSecret), maker };
          expect(await stateOf(world, userId)).toEqual({ ...before, clientSecret: held });
        },
      },
    };
  }),
  row("gives an inactive machine one", generateMachineSecret, async ({ server }) => {
    const { userId } = await givenInactive(server, server.admin.organization);
    return {
      request: { userId },
      expected: { ok: (_message, events) => expect(events).toHaveLength(1) },
    };
  }),
  refusesPerson(generateMachineSecret),
  refusesLesser(generateMachineSecret),
]);

runCases("RemoveMachineSecret", [
  ...changeRows({
    ...{ ...lookup, method: removeMachineSecret, type: "user.machine.secret.removed" },
    again: missing,
  }),
  row("leaves nothing of the secret", removeMachineSecret, async (world) => {
    const { server, call } = world;
    const { userId } = await givenUser(server, server.admin.organization);
    const before = await stateOf(world, userId);
    await happen(server, [secretSet("00")], { id: userId });
    const hasSecret = async () => granted(await call(getUserByID, { id: userId }));
    expect(await hasSecret()).toMatchObject({ user: { type: { value: { hasSecret: true } } } });
    return {
      request: { userId },
      expected: {
        async ok() {
          expect(await stateOf(world, userId)).toEqual(before);
          expect(await hasSecret()).toMatchObject({
            user: { type: { value: { hasSecret: false } } },
          });
        },
      },
    };
  }),
  row("refuses a machine that never had one", removeMachineSecret, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: missing };
  }),
  refusesPerson(removeMachineSecret),
  refusesLesser(removeMachineSecret),
]);

function refusesPerson(method: DescMethodUnary) {
  return row(
    `${method.name} refuses a person`,
    method,
    async ({ server }) => ({
      request: { userId: await givenHuman(server, server.admin.organization) },
      expected: person,
    }),
    someClients,
  );
}

/** Who holds less than the user is told so, whether or not there is a secret. */
function refusesLesser(method: DescMethodUnary) {
  return row(
    `${method.name} refuses who holds less`,
    method,
    async ({ server }) => {
      const { organization } = server.admin;
      const scope = { level: "organization", organization } as const;
      const { userId } = await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
      const manager = await givenUser(server, organization, [
        { scope, roles: ["ORG_USER_MANAGER"] },
      ]);
      return { request: { userId }, token: manager.token, expected: escalation };
    },
    someClients,
  );
}

async function stateOf({ server }: World, userId: string): Promise<object> {
  const [stored] = await server.store.load([`user-${userId}`]);
  return JSON.parse(stored!.state!) as object;
}
