import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { GroupService } from "../../gen/iam/group/v1/group_service_pb.js";
import type { ImportHumanUserResponse } from "../../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListUsersResponse } from "../../gen/iam/management/v1/user_search_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { givenGroup } from "./groups.ts";
import { type GivenHuman, givenIDP, requestFor } from "./humans.ts";
import { granted, scripted } from "./stored.ts";
import { change, givenHuman, happen, noMember, notFound, unauthenticated } from "./users.ts";

// What a user leaves behind: everything it held is free again, and the user is unknown everywhere.

const { addMachineUser, addProject, importHumanUser, listUsers, removeOrgIDP, removeUser } =
  ManagementService.method;
const { removeHumanPasswordless, terminateUserSession } = ManagementService.method;

/** Imports a person, shows that what it holds is taken, and removes it. */
async function removed(world: World, given: GivenHuman, taken: string): Promise<void> {
  const { call } = world;
  const imported = await call(importHumanUser, requestFor(world, given));
  const { userId: id } = granted<ImportHumanUserResponse>(imported);
  const named = taken === "NAME_TAKEN" ? {} : otherName(world);
  const again = requestFor(world, { ...given, ...named });
  expect(await call(importHumanUser, again)).toMatchObject({ ok: false, reason: taken });
  granted(await call(removeUser, { id }));
}

function otherName({ unique }: World): { readonly userName: string } {
  return { userName: `other ${unique}` };
}

const free: readonly Case[] = [
  row("the user name, for a person", importHumanUser, async (world) => {
    await removed(world, {}, "NAME_TAKEN");
    return {
      request: requestFor(world, { userName: world.unique.toUpperCase() }),
      expected: { ok: ({ userId }) => expect(userId).not.toBe("") },
    };
  }),
  row("the user name, for a program", addMachineUser, async (world) => {
    await removed(world, {}, "NAME_TAKEN");
    return {
      request: { userName: world.unique, name: "Robot" },
      expected: { ok: ({ userId }) => expect(userId).not.toBe("") },
    };
  }),
  row("the link to an account at a provider", importHumanUser, async (world) => {
    const { organization } = world.server.admin;
    const configId = await givenIDP(world.server, organization, "ORGANIZATION");
    const idps = [{ configId, externalUserId: "ada" }];
    await removed(world, { idps }, "IDP_LINK_TAKEN");
    return {
      request: requestFor(world, { idps, ...otherName(world) }),
      expected: { ok: ({ userId }) => expect(userId).not.toBe("") },
    };
  }),
  row("the provider that nobody else is linked to", removeOrgIDP, async (world) => {
    const { organization } = world.server.admin;
    const idpId = await givenIDP(world.server, organization, "ORGANIZATION");
    const request = requestFor(world, { idps: [{ configId: idpId, externalUserId: "ada" }] });
    const imported = await world.call(importHumanUser, request);
    const { userId: id } = granted<ImportHumanUserResponse>(imported);
    const inUse = { ok: false, reason: "IDP_IN_USE" };
    expect(await world.call(removeOrgIDP, { idpId })).toMatchObject(inUse);
    granted(await world.call(removeUser, { id }));
    const expected = {
      ok: (_m: unknown, events: readonly object[]) => expect(events).toHaveLength(1),
    };
    return { request: { idpId }, expected };
  }),
  row("the token, which may be another's", addProject, async (world) => {
    const { server, unique } = world;
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    const { userId, token } = await givenUser(server, organization, [
      { scope, roles: ["ORG_OWNER"] },
    ]);
    granted(await world.call(removeUser, { id: userId }));
    const call = () => world.call(addProject, { name: `no ${unique}` }, token);
    expect(await call()).toMatchObject({ ok: false, ...unauthenticated });
    const next = await givenHuman(server, organization, {}, [
      { type: "user.membership.granted", payload: { scope, roles: ["ORG_OWNER"] } },
      { type: "user.token.added", payload: { tokenId: "1", tokenHash: hashSecret(token) } },
    ]);
    return {
      request: { name: unique },
      token,
      expected: {
        ok: (_message, events) => expect(events.map(({ actor }) => actor)).toEqual([next]),
      },
    };
  }),
  row("their place in the list", listUsers, async (world) => {
    const { server, unique } = world;
    const id = await givenHuman(server, server.admin.organization, { userName: unique });
    const query = { case: "userNameQuery", value: { userName: unique } } as const;
    const request = { queries: [{ query }] };
    const found = granted<ListUsersResponse>(await world.call(listUsers, request));
    expect(found.result.map((user) => user.id)).toEqual([id]);
    granted(await world.call(removeUser, { id }));
    return {
      request,
      expected: {
        ok: ({ result, details }) => expect([result, details?.totalResult]).toEqual([[], 0n]),
      },
    };
  }),
];

/** Every method that takes the id of a user, what else it needs, and what it answers. */
const methods: readonly (readonly [
  DescMethodUnary,
  (id: string, world: World) => Fields | Promise<Fields>,
  object,
])[] = [
  ...[
    "getUserByID",
    "deactivateUser",
    "reactivateUser",
    "removeUser",
    "lockUser",
    "unlockUser",
  ].map((name) => [managing(name), (id: string) => ({ id }), notFound] as const),
  ...["setUserMetadata", "listUserMetadata", "removeUserMetadata"].map((name) => {
    const request = (id: string) => ({ id, key: "plan", value: Uint8Array.of(1) });
    return [managing(name), request, notFound] as const;
  }),
  ...[
    "removeHumanAuthFactorOTP",
    "removeHumanPhone",
    "resendHumanEmailVerification",
    "sendHumanResetPasswordNotification",
    "sendPasswordlessRegistration",
    "listUserSessions",
    "terminateAllUserSessions",
    "listUserMemberships",
  ].map((name) => [managing(name), (userId: string) => ({ userId }), notFound] as const),
  [
    ManagementService.method.updateHumanProfile,
    (userId) => ({ userId, firstName: "Ada", lastName: "Lovelace" }),
    notFound,
  ],
  [
    ManagementService.method.updateUserName,
    (userId) => ({ userId, userName: crypto.randomUUID() }),
    notFound,
  ],
  [
    ManagementService.method.updateHumanPhone,
    (userId) => ({ userId, phone: "+41446681800" }),
    notFound,
  ],
  [
    ManagementService.method.updateHumanEmail,
    (userId) => ({ userId, email: "grace@example.com" }),
    notFound,
  ],
  [
    ManagementService.method.setHumanPassword,
    (userId) => ({ userId, password: "correct horse battery" }),
    notFound,
  ],
  [ManagementService.method.updateMachine, (userId) => ({ userId, name: "Robot" }), notFound],
  [removeHumanPasswordless, (userId) => ({ userId, tokenId: "1" }), notFound],
  [ManagementService.method.listHumanLinkedIDPs, (userId) => ({ userId }), notFound],
  [
    ManagementService.method.removeHumanLinkedIDP,
    (userId) => ({ userId, idpId: "1", linkedUserId: "1" }),
    notFound,
  ],
  [terminateUserSession, (userId) => ({ userId, sessionId: "1" }), notFound],
  [
    ManagementService.method.addUserGrant,
    (userId, { project }) => ({ userId, projectId: project, roleKeys: ["editor"] }),
    notFound,
  ],
  [
    ManagementService.method.updateUserGrant,
    (userId) => ({ userId, grantId: "1", roleKeys: ["editor"] }),
    notFound,
  ],
  ...["deactivateUserGrant", "reactivateUserGrant", "removeUserGrant", "getUserGrantByID"].map(
    (name) => [managing(name), (userId: string) => ({ userId, grantId: "1" }), notFound] as const,
  ),
  [GroupService.method.listUserGroups, (userId) => ({ userId }), notFound],
  ...[GroupService.method.addGroupMember, GroupService.method.removeGroupMember].map(
    (method) => [method, inGroup, notFound] as const,
  ),
  [ManagementService.method.addPersonalAccessToken, (userId) => ({ userId }), notFound],
  [
    ManagementService.method.removePersonalAccessToken,
    (userId) => ({ userId, tokenId: "1" }),
    notFound,
  ],
  [ManagementService.method.generateMachineSecret, (userId) => ({ userId }), notFound],
  [ManagementService.method.removeMachineSecret, (userId) => ({ userId }), notFound],
  [ManagementService.method.addMachineKey, (userId) => ({ userId }), notFound],
  [ManagementService.method.listMachineKeys, (userId) => ({ userId }), notFound],
  [ManagementService.method.removeMachineKey, (userId) => ({ userId, keyId: "1" }), notFound],
  [ManagementService.method.resendHumanInitialization, (userId) => ({ userId }), notFound],
  [ManagementService.method.addPasswordlessRegistration, (userId) => ({ userId }), notFound],
  [ManagementService.method.listPersonalAccessTokens, (userId) => ({ userId }), notFound],
  [ManagementService.method.listHumanPasswordless, (userId) => ({ userId }), notFound],
  [ManagementService.method.addOrgMember, (userId) => ({ userId, roles: ["ORG_OWNER"] }), notFound],
  [
    ManagementService.method.addProjectMember,
    (userId, { project }) => ({ userId, projectId: project, roles: ["PROJECT_OWNER"] }),
    notFound,
  ],
  [AdminService.method.addIAMMember, (userId) => ({ userId, roles: ["IAM_OWNER"] }), notFound],
  [ManagementService.method.removeOrgMember, (userId) => ({ userId }), noMember],
  [
    ManagementService.method.updateOrgMember,
    (userId) => ({ userId, roles: ["ORG_OWNER"] }),
    noMember,
  ],
  [
    ManagementService.method.updateProjectMember,
    (userId, { project }) => ({ userId, projectId: project, roles: ["PROJECT_OWNER"] }),
    noMember,
  ],
  [AdminService.method.updateIAMMember, (userId) => ({ userId, roles: ["IAM_OWNER"] }), noMember],
  [
    ManagementService.method.removeProjectMember,
    (userId, { project }) => ({ userId, projectId: project }),
    noMember,
  ],
  [AdminService.method.removeIAMMember, (userId) => ({ userId }), noMember],
  [managing("testAction"), (userId) => ({ ...scripted, userId }), notFound],
  [UserService.method.setPhone, (userId) => ({ userId, phone: "+41446681800" }), notFound],
  [UserService.method.resendPhoneCode, (userId) => ({ userId }), notFound],
  [UserService.method.verifyPhone, (userId) => ({ userId, verificationCode: "A" }), notFound],
  [UserService.method.removePhone, (userId) => ({ userId }), notFound],
];

/** The user in a group that is there. */
async function inGroup(userId: string, { server }: World): Promise<Fields> {
  return { userId, groupId: await givenGroup(server, server.admin.organization) };
}

function managing(name: string): DescMethodUnary {
  return (ManagementService.method as { readonly [name: string]: DescMethodUnary })[name]!;
}

type Fields = { readonly [name: string]: unknown };

const unknown = methods.map(
  ([method, request, expected]): Case => ({
    name: `are unknown to ${method.name}`,
    method,
    async run(world) {
      const { server, project } = world;
      const { organization } = server.admin;
      // It was a member everywhere, and had a phone and a token.
      const id = await givenHuman(server, organization, { phone: "+41446681800" }, [
        ...(
          [
            { scope: { level: "instance" }, roles: ["IAM_OWNER"] },
            { scope: { level: "organization", organization }, roles: ["ORG_OWNER"] },
            { scope: { level: "project", organization, project }, roles: ["PROJECT_OWNER"] },
          ] as const
        ).map((payload) => ({ type: "user.membership.granted", payload }) as const),
        { type: "user.token.added", payload: { tokenId: "1", tokenHash: world.unique } },
      ]);
      await happen(server, [change("user.removed")], { id });
      return {
        request: create(method.input, await request(id, world)) as Message,
        expected: expected as typeof notFound,
      };
    },
  }),
);

runCases("removed users", [
  ...free.map((one) => ({ ...one, name: `free what they held: ${one.name}` })),
  ...unknown,
]);

test("every method that takes a user is among those to which the removed are unknown", () => {
  const services = [ManagementService, AdminService, UserService, GroupService];
  const all = services.flatMap((service) => service.methods);
  const taking = all.filter(
    ({ name, input: { fields } }) =>
      // The id of a new user is not for clients to choose.
      name !== "AddMachineUser" &&
      // What is left of the removed is theirs to know.
      name !== "GetPersonalData" &&
      fields.some(
        (field) => field.name === (/User(ByID|Metadata)?$/.test(name) ? "id" : "user_id"),
      ),
  );
  expect(methods.map(([{ name }]) => name).sort()).toEqual(taking.map(({ name }) => name).sort());
});
