import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect, test } from "@jest/globals";
import type { ImportHumanUserResponse } from "../../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { GetUserByIDResponseSchema } from "../../gen/iam/management/v1/user_search_pb.js";
import {
  AccessTokenType,
  Gender,
  HumanSchema,
  MachineSchema,
  UserState,
} from "../../gen/iam/user/v1/user_pb.js";
import type { MachineInput, UserEvent } from "../../src/domain/user/state/event.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser, startServer } from "../harness/server.ts";
import { type GivenHuman, givenIDP, requestFor } from "./humans.ts";
import { granted } from "./stored.ts";
import {
  change,
  denied,
  detailsOfStream,
  givenHuman,
  givenInactive,
  happen,
  notFound,
} from "./users.ts";

const { getUserByID, importHumanUser } = ManagementService.method;

type Shape = { readonly state?: UserState; readonly userName?: string } & (
  | { readonly human: MessageInitShape<typeof HumanSchema> }
  | { readonly machine: MessageInitShape<typeof MachineSchema> }
);

/** A user as it is answered, whole: whatever else were there would be a failure. */
async function shown({ server }: Pick<World, "server">, id: string, shape: Shape) {
  const { state = UserState.ACTIVE, userName = id } = shape;
  return create(GetUserByIDResponseSchema, {
    user: {
      ...{ id, state, userName, loginNames: [userName], preferredLoginName: userName },
      details: await detailsOfStream(server, `user-${id}`),
      type:
        "human" in shape
          ? { case: "human", value: create(HumanSchema, shape.human) }
          : { case: "machine", value: create(MachineSchema, shape.machine) },
    },
  });
}

/** A row that reads a user by its id. */
function reads(
  name: string,
  given: (world: World) => Promise<{ readonly id: string } & Shape>,
): Case {
  return row(name, getUserByID, async (world) => {
    const { id, ...shape } = await given(world);
    const expected = await shown(world, id, shape);
    return {
      request: { id },
      expected: {
        ok(message, events) {
          expect(message).toEqual(expected);
          expect(events).toEqual([]);
        },
      },
    };
  });
}

const profile = { firstName: "Ada", lastName: "Lovelace", displayName: "Ada Lovelace" };
const email = { email: "ada@example.com", isEmailVerified: false };
const passwordHash = "$2b$10$abcdefghijklmnopqrstuuJ0pQ8r7Fh1Z0v2bWl5ZkqzXwYtN6mS2";
const code = { code: "sealed", expirationMs: 4_000_000_000_000 };
const initialization: UserEvent = { type: "user.human.initialization.code.added", payload: code };

async function givenMachine({ server }: World, given: Partial<MachineInput>) {
  const { organization: owner } = server.admin;
  const machine = { name: "Robot", description: "", accessTokenType: "BEARER", ...given } as const;
  const userName = given.userName ?? machine.name;
  const payload = { ...machine, userName };
  return happen(server, [{ type: "user.machine.added", payload }], { owner });
}

/** Imports a person by a call, as it is done by people. */
async function imported(world: World, given: GivenHuman): Promise<string> {
  const answer = await world.call(importHumanUser, requestFor(world, given));
  return granted<ImportHumanUserResponse>(answer).userId;
}

const people: readonly Case[] = [
  reads("a person who has yet to take the account over", async (world) => {
    const id = await imported(world, {});
    const { unique: userName } = world;
    return { id, userName, state: UserState.INITIAL, human: { profile, email } };
  }),
  reads("a person with everything", async (world) => {
    const { server, unique: userName } = world;
    const given = { firstName: "Zoë", lastName: "Ünal", nickName: "z", displayName: "Dr. Z" };
    const more = { preferredLanguage: "de-CH", gender: Gender.DIVERSE };
    const configId = await givenIDP(server, server.admin.organization, "ORGANIZATION");
    const id = await imported(world, {
      profile: { ...given, ...more },
      email: { email: "z@example.com", isEmailVerified: true },
      phone: { phone: "+41 44 668 18 00", isPhoneVerified: true },
      hashedPassword: { value: passwordHash },
      passwordChangeRequired: true,
      requestPasswordlessRegistration: true,
      otpCode: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
      idps: [{ configId, externalUserId: "z", displayName: "Z at work" }],
    });
    const [added] = await server.store.readStream(`user-${id}`, 0, 1);
    const human = {
      profile: { ...given, ...more },
      email: { email: "z@example.com", isEmailVerified: true },
      phone: { phone: "+41446681800", isPhoneVerified: true },
      passwordChanged: timestampFromMs(added!.timeMs),
    };
    return { id, userName, human };
  }),
  reads("a person whose phone is not verified, with a code pending", async (world) => {
    const id = await imported(world, { phone: { phone: "+41446681800" } });
    const phone = { phone: "+41446681800", isPhoneVerified: false };
    const { unique: userName } = world;
    return { id, userName, state: UserState.INITIAL, human: { profile, email, phone } };
  }),
  reads("a person whose phone was removed", async ({ server }) => {
    const phone = "+41446681800";
    const id = await givenHuman(server, server.admin.organization, { phone }, [
      { type: "user.human.phone.removed", payload: {} },
    ]);
    return { id, human: { profile, email } };
  }),
  ...(
    [
      ["who was active", []],
      ["who had yet to take the account over", [initialization]],
    ] as const
  ).map(([who, before]) =>
    reads(`an inactive person ${who}`, async ({ server }) => {
      const { organization } = server.admin;
      const events = [...before, change("user.deactivated")];
      const id = await givenHuman(server, organization, { passwordHash }, events);
      const [added] = await server.store.readStream(`user-${id}`, 0, 1);
      const passwordChanged = timestampFromMs(added!.timeMs);
      return { id, state: UserState.INACTIVE, human: { profile, email, passwordChanged } };
    }),
  ),
  reads("a reactivated person, initial as before", async ({ server }) => {
    const events = [initialization, change("user.deactivated"), change("user.reactivated")];
    const id = await givenHuman(server, server.admin.organization, {}, events);
    return { id, state: UserState.INITIAL, human: { profile, email } };
  }),
];

const machines: readonly Case[] = [
  reads("a program with every default", async (world) => {
    const id = await givenMachine(world, { userName: world.unique });
    return { id, userName: world.unique, machine: { name: "Robot" } };
  }),
  reads("a program with everything", async (world) => {
    const { unique: userName, server } = world;
    const description = "Moves ünits ".repeat(40);
    const id = await givenMachine(world, { userName, description, accessTokenType: "JWT" });
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    const roles = ["ORG_OWNER", "ORG_USER_MANAGER"] as const;
    await happen(
      server,
      [
        { type: "user.token.added", payload: { tokenId: "1", tokenHash: userName } },
        { type: "user.membership.granted", payload: { scope, roles } },
      ],
      { id },
    );
    const accessTokenType = AccessTokenType.JWT;
    return { id, userName, machine: { name: "Robot", description, accessTokenType } };
  }),
  reads("an inactive program", async ({ server }) => {
    const { userId: id } = await givenInactive(server, server.admin.organization);
    return { id, state: UserState.INACTIVE, machine: { name: id } };
  }),
  row("a user of the organization in the header", getUserByID, async ({ server }) => {
    const organization = await givenOrganization(server);
    const { userId: id } = await givenUser(server, organization);
    return {
      request: { id },
      headers: { "x-service-orgid": organization },
      expected: { ok: ({ user }) => expect(user?.details?.resourceOwner).toBe(organization) },
    };
  }),
];

function refuses(
  name: string,
  given: (world: World) => Promise<{ readonly id: string; readonly token?: string }>,
  expected: { readonly code: number; readonly reason: string; readonly fields?: readonly string[] },
  only?: Case["only"],
): Case {
  const prepared = async (world: World) => {
    const { id, ...rest } = await given(world);
    return { request: { id }, ...rest, expected };
  };
  return row(`refuses ${name}`, getUserByID, prepared, only);
}

runCases("GetUserByID", [
  ...people,
  ...machines,
  refuses("the name of a property", async () => ({ id: "__proto__" }), notFound),
  refuses("a user name", async () => ({ id: "admin" }), notFound),
  refuses(
    "a user who is removed",
    async ({ server }) => {
      const events = [change("user.removed")];
      return { id: await givenHuman(server, server.admin.organization, {}, events) };
    },
    notFound,
  ),
  refuses("something else than a user", async ({ project }) => ({ id: project }), notFound),
  refuses(
    "a caller without a role, also for itself",
    async ({ server }) => {
      const { userId: id, token } = await givenUser(server, server.admin.organization);
      return { id, token };
    },
    denied,
  ),
]);

test("the words of an answer are these, and no others", async () => {
  const server = await startServer();
  try {
    const { organization: owner, token, userId: admin } = server.admin;
    const added = { userName: "Ada", passwordHash, phone: "+41446681800" };
    const id = await givenHuman(server, owner, added, [
      initialization,
      { type: "user.human.phone.code.added", payload: { ...code, send: true } },
      { type: "user.human.otp.added", payload: { secret: "sealed" } },
      { type: "user.token.added", payload: { tokenId: "1", tokenHash: "hash" } },
    ]);
    const read = async (userId: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}/management/v1/users/${userId}`, { headers });
      return (await response.json()) as { readonly user: object };
    };
    const unset = { gender: "GENDER_UNSPECIFIED", nickName: "", preferredLanguage: "" };
    const names = (userName: string) => ({
      ...{ userName, loginNames: [userName], preferredLoginName: userName },
      details: {
        sequence: expect.stringMatching(/^\d+$/),
        creationDate: expect.stringMatching(/Z$/),
        changeDate: expect.stringMatching(/Z$/),
        resourceOwner: owner,
      },
    });
    expect(await read(id)).toEqual({
      user: {
        ...{ id, ...names("Ada"), state: "USER_STATE_INITIAL" },
        human: {
          profile: { ...profile, ...unset, avatarUrl: "" },
          email: { email: "ada@example.com", isEmailVerified: false },
          phone: { phone: "+41446681800", isPhoneVerified: false },
          passwordChanged: expect.stringMatching(/Z$/),
        },
      },
    });
    const machine = {
      ...{ name: "Administrator", description: "", hasSecret: false },
      accessTokenType: "ACCESS_TOKEN_TYPE_BEARER",
    };
    expect(await read(admin)).toEqual({
      user: { id: admin, ...names("admin"), state: "USER_STATE_ACTIVE", machine },
    });
  } finally {
    await server.close();
  }
});
