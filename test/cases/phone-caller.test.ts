import type { Message } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import type { Role } from "../../src/domain/permission.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser, type TestServer } from "../harness/server.ts";
import type { GivenHuman } from "./humans.ts";
import {
  denied,
  eachMethod,
  escalation,
  givenPerson,
  holderOf,
  notFound,
  number,
  pendingCode,
  typesOf,
} from "./phones.ts";

/** Who may act on the phone of whom: users on their own, and who may write users where they are. */

const { setPhone, verifyPhone, removePhone, resendPhoneCode } = UserService.method;

const returnCode = { case: "returnCode", value: {} } as const;
const verified = { case: "isVerified", value: true } as const;
const allowed = {
  ok: (_message: Message, events: readonly RecordedEvent[]) => expect(events).toHaveLength(2),
};

runCases("phones and callers", [
  ...may("a person its own", async (world, human) => givenPerson(world, human)),
  ...may("a person its own, with a role that reads", async (world, human) =>
    givenPerson(world, human, ["ORG_OWNER_VIEWER"]),
  ),
  ...may("who manages the users of the organization", async (world, human) => ({
    ...(await givenPerson(world, human)),
    ...(await tokenOf(world.server, "ORG_USER_MANAGER")),
  })),
  ...may("who owns the organization, of a manager", async (world, human) => ({
    ...(await givenPerson(world, human, ["ORG_USER_MANAGER"])),
    ...(await tokenOf(world.server, "ORG_OWNER")),
  })),
  ...may("who owns the instance", async (world, human) => ({
    userId: (await givenPerson(world, human, ["ORG_OWNER"])).userId,
    token: world.server.admin.token,
  })),

  // Who may write no users learns nothing about any.
  ...["a user of the organization", "an unknown user", "a user of another one"].flatMap((whom) =>
    eachMethod(
      `refuses a caller without a role ${whom}`,
      async ({ server }) => {
        const { organization } = server.admin;
        const home = whom.endsWith("another one") ? await givenOrganization(server) : organization;
        const { userId } = await givenUser(server, home);
        const { token } = await givenUser(server, organization);
        return { userId: whom === "an unknown user" ? v7() : userId, token };
      },
      denied,
    ),
  ),
  ...(["ORG_OWNER_VIEWER", "ORG_SETTINGS_MANAGER"] as const).flatMap((role) =>
    eachMethod(
      `refuses ${role}`,
      async (world) => ({
        userId: (await givenPerson(world)).userId,
        token: (await holderOf(world.server, role)).token,
      }),
      denied,
    ),
  ),
  ...eachMethod(
    "knows no user of another organization",
    async (world) => ({
      userId: (await givenPerson(world)).userId,
      token: (
        await holderOf(world.server, "ORG_USER_MANAGER", await givenOrganization(world.server))
      ).token,
    }),
    notFound,
  ),
  ...eachMethod(
    "knows no user that does not exist",
    async ({ server }) => ({
      userId: v7(),
      token: (await holderOf(server, "ORG_USER_MANAGER")).token,
    }),
    notFound,
  ),
  ...eachMethod(
    "knows no user that does not exist, for who owns the instance",
    async () => ({ userId: "a/b %2F ü" }),
    notFound,
  ),
  ...(["ORG_OWNER", "ORG_OWNER_VIEWER"] as const).flatMap((role) =>
    eachMethod(
      `refuses who manages users to act on ${role}`,
      async (world) => ({
        userId: (await givenPerson(world, {}, [role])).userId,
        token: (await holderOf(world.server, "ORG_USER_MANAGER")).token,
      }),
      escalation,
    ),
  ),
  ...eachMethod(
    "refuses an owner of the organization to act on who owns the instance",
    async ({ server }) => ({
      userId: server.admin.userId,
      token: (await holderOf(server, "ORG_OWNER")).token,
    }),
    escalation,
  ),

  // CVE-2026-27946: to see the code, or to skip it, would verify any number.
  ...privileged("a person without a role", [], denied),
  ...privileged("a person who reads", ["ORG_OWNER_VIEWER"], denied),
  ...privileged("a person who manages users", ["ORG_USER_MANAGER"], allowed),
  ...privileged("a person who owns the organization", ["ORG_OWNER"], allowed),
  row("refuses a machine to verify its own", setPhone, async ({ server }) => {
    const { userId, token } = await givenUser(server, server.admin.organization);
    return { request: { userId, phone: number, verification: verified }, token, expected: denied };
  }),
  row("refuses a person to see a new code", resendPhoneCode, async (world) => {
    const { userId, token } = await givenPerson(world, { phone: { phone: number } });
    return { request: { userId, verification: returnCode }, token, expected: denied };
  }),
  row("refuses to verify the number of who holds more", setPhone, async (world) => ({
    request: {
      userId: (await givenPerson(world, {}, ["ORG_OWNER"])).userId,
      phone: number,
      verification: verified,
    },
    token: (await holderOf(world.server, "ORG_USER_MANAGER")).token,
    expected: escalation,
  })),
]);

/** What someone may do to a person's phone, by each method that needs no time to pass before. */
function may(
  who: string,
  given: (world: World, human: GivenHuman) => Promise<{ userId: string; token: string }>,
): readonly Case[] {
  const expected = (...types: readonly string[]) => ({
    ok: (_message: Message, events: readonly RecordedEvent[]) =>
      expect(typesOf(events)).toEqual(types.map((type) => `user.human.phone.${type}`)),
  });
  return [
    row(`SetPhone: allows ${who}`, setPhone, async (world) => {
      const { userId, token } = await given(world, {});
      return {
        request: { userId, phone: number },
        token,
        expected: expected("changed", "code.added"),
      };
    }),
    row(`VerifyPhone: allows ${who}`, verifyPhone, async (world) => {
      const { userId, token } = await given(world, { phone: { phone: number } });
      const verificationCode = await pendingCode(world.server, userId);
      return { request: { userId, verificationCode }, token, expected: expected("verified") };
    }),
    row(`RemovePhone: allows ${who}`, removePhone, async (world) => {
      const { userId, token } = await given(world, { phone: { phone: number } });
      return { request: { userId }, token, expected: expected("removed") };
    }),
  ];
}

/** Both ways past the phone, on oneself. */
function privileged(
  who: string,
  roles: readonly Role[],
  expected: typeof denied | typeof allowed,
): readonly Case[] {
  return [returnCode, verified].map((verification) =>
    row(`SetPhone ${verification.case}: ${who}`, setPhone, async (world) => {
      const { userId, token } = await givenPerson(world, {}, roles);
      return { request: { userId, phone: number, verification }, token, expected };
    }),
  );
}

async function tokenOf(server: TestServer, role: Role): Promise<{ readonly token: string }> {
  const { token } = await holderOf(server, role);
  return { token };
}
