import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { GetUserByIDResponse } from "../../gen/iam/management/v1/user_search_pb.js";
import { AccessTokenType, Gender } from "../../gen/iam/user/v1/user_pb.js";
import { user } from "../../src/domain/user/state/user.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { recorded } from "./given.ts";
import { type Change, changeRows } from "./lookups.ts";
import { granted } from "./stored.ts";
import { ada, change, escalation, givenHuman, outrank } from "./users.ts";

// What administrators change of users: names, and what else others see of them.

const { addMachineUser, getUserByID, updateHumanProfile, updateMachine, updateUserName } =
  ManagementService.method;
const notFound = { code: 5, reason: "USER_NOT_FOUND" } as const;
const unchanged = { code: 9, reason: "NOTHING_CHANGED" };

const common = { noun: user, field: "user_id", notFound, again: unchanged } as const;
const removal = change("user.removed");

const givenPerson: Change["given"] = ({ server }, { organization }) => {
  const payload = { ...ada, userName: crypto.randomUUID() };
  return recorded(server, user, organization, [{ type: "user.human.added", payload }]);
};
const givenMachine: Change["given"] = ({ server }, { organization }) => {
  const input = { name: "Robot", description: "", accessTokenType: "BEARER" } as const;
  const payload = { ...input, userName: crypto.randomUUID() };
  return recorded(server, user, organization, [{ type: "user.machine.added", payload }]);
};

async function seen({ call }: World, id: string) {
  return granted<GetUserByIDResponse>(await call(getUserByID, { id })).user!;
}

const grace = { firstName: "Grace", lastName: "Hopper" };
const recordedProfile = {
  ...{ ...grace, nickName: "", displayName: "Grace Hopper" },
  ...{ preferredLanguage: "", gender: "UNSPECIFIED" },
};

runCases("UpdateHumanProfile", [
  ...changeRows({
    ...{ ...common, method: updateHumanProfile, type: "user.human.profile.changed", removal },
    given: givenPerson,
    request: (userId) => ({ userId, ...grace }),
    payload: () => recordedProfile,
  }),
  row("is seen, and gives what is left out its default", updateHumanProfile, async (world) => {
    const { server } = world;
    const before = { nickName: "Countess", preferredLanguage: "en", gender: "FEMALE" } as const;
    const userId = await givenHuman(server, server.admin.organization, before);
    return {
      request: { userId, ...grace, displayName: " ", gender: Gender.DIVERSE },
      expected: {
        async ok() {
          expect((await seen(world, userId)).type).toMatchObject({
            case: "human",
            value: {
              profile: {
                ...{ ...grace, nickName: "", displayName: "Grace Hopper" },
                ...{ preferredLanguage: "", gender: Gender.DIVERSE },
              },
              email: { email: ada.email },
            },
          });
        },
      },
    };
  }),
  row("refuses a machine", updateHumanProfile, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId, ...grace }, expected: { code: 9, reason: "USER_NOT_HUMAN" } };
  }),
  row("refuses who holds less", updateHumanProfile, async (world) => {
    const { userId } = await givenUser(world.server, world.server.admin.organization);
    const token = await outrank(world.server, userId);
    return { request: { userId, ...grace }, token, expected: escalation };
  }),
]);

/** A name that goes with an id, so that all clients may use it. */
const nameFor = (id: string) => `Grace ${id.slice(0, 40)}`;

runCases("UpdateUserName", [
  ...changeRows({
    ...{ ...common, method: updateUserName, type: "user.name.changed", removal },
    given: givenPerson,
    request: (userId) => ({ userId, userName: nameFor(userId) }),
    payload: () => ({ userName: expect.any(String) }),
  }),
  row(
    "is seen without blanks at its ends, and frees the old one",
    updateUserName,
    async (world) => {
      const { server, call, unique } = world;
      const userName = `${unique} B`;
      const userId = await givenHuman(server, server.admin.organization, { userName: unique });
      return {
        request: { userId, userName: ` ${userName} ` },
        expected: {
          async ok() {
            expect(await seen(world, userId)).toMatchObject({ userName, loginNames: [userName] });
            granted(await call(addMachineUser, { userName: unique, name: "Robot" }));
          },
        },
      };
    },
  ),
  row("claims what the new name looks like", updateUserName, async (world) => {
    const { server, call, unique } = world;
    const userId = await givenHuman(server, server.admin.organization);
    return {
      request: { userId, userName: `${unique} \u0430` },
      expected: {
        async ok() {
          const taken = await call(addMachineUser, { userName: `${unique} a`, name: "Robot" });
          expect(taken).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
        },
      },
    };
  }),
  row("refuses the name of another user of the instance", updateUserName, async (world) => {
    const { server, unique } = world;
    await givenHuman(server, server.admin.organization, { userName: unique });
    const userId = await givenHuman(server, server.admin.organization);
    return {
      request: { userId, userName: unique.toUpperCase() },
      expected: { code: 6, reason: "NAME_TAKEN" },
    };
  }),
  row("takes the same name in another case", updateUserName, async (world) => {
    const { server, unique } = world;
    const userId = await givenHuman(server, server.admin.organization, { userName: unique });
    const userName = unique.toUpperCase();
    return {
      request: { userId, userName },
      expected: { ok: async () => expect((await seen(world, userId)).userName).toBe(userName) },
    };
  }),
  row("refuses who holds less", updateUserName, async (world) => {
    const { userId } = await givenUser(world.server, world.server.admin.organization);
    const token = await outrank(world.server, userId);
    return { request: { userId, userName: world.unique }, token, expected: escalation };
  }),
]);

runCases("UpdateMachine", [
  ...changeRows({
    ...{ ...common, method: updateMachine, type: "user.machine.changed", removal },
    given: givenMachine,
    request: (userId) => ({ userId, name: "Rover", description: "on Mars" }),
    payload: () => ({ name: "Rover", description: "on Mars", accessTokenType: "BEARER" }),
  }),
  row("is seen, and leaves the name and the secret", updateMachine, async (world) => {
    const { server, unique } = world;
    const secret = {
      type: "user.machine.secret.set",
      payload: { clientSecretHash: "00" },
    } as const;
    const payload = { userName: unique, name: "Robot", description: "old" } as const;
    const userId = await recorded(server, user, server.admin.organization, [
      { type: "user.machine.added", payload: { ...payload, accessTokenType: "BEARER" } },
      secret,
    ]);
    return {
      request: { userId, name: "Rover", accessTokenType: AccessTokenType.JWT },
      expected: {
        async ok() {
          expect(await seen(world, userId)).toMatchObject({
            userName: unique,
            type: {
              case: "machine",
              value: {
                ...{ name: "Rover", description: "", hasSecret: true },
                accessTokenType: AccessTokenType.JWT,
              },
            },
          });
        },
      },
    };
  }),
  row("refuses a person", updateMachine, async ({ server }) => ({
    request: { userId: await givenHuman(server, server.admin.organization), name: "Rover" },
    expected: { code: 9, reason: "USER_NOT_MACHINE" },
  })),
  row("refuses who holds less", updateMachine, async (world) => {
    const { userId } = await givenUser(world.server, world.server.admin.organization);
    const token = await outrank(world.server, userId);
    return { request: { userId, name: "Rover" }, token, expected: escalation };
  }),
]);
