import { fromJson, type JsonValue, type Message } from "@bufbuild/protobuf";
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
import { type GivenHuman, givenIDP, requestFor } from "./humans.ts";
import { guarded, idsIn, makers, noIds } from "./made/requests.ts";
import { granted } from "./stored.ts";
import { change, givenHuman, happen, noMember, notFound, unauthenticated } from "./users.ts";

// What a user leaves behind: everything it held is free again, and the user is unknown everywhere.

const { addMachineUser, addProject, importHumanUser, listUsers, removeOrgIDP, removeUser } =
  ManagementService.method;

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

/** What is left of the removed is known to these. */
const ofTheRemoved = ["EraseUser", "GetPersonalData"];

/** Every method that takes the id of a user; the tests of access say what its request is. */
const taking = guarded.flatMap(({ method, operation: { objects, request } }) => {
  const index = objects.findIndex((kind) => makers[kind]?.[0] === "user");
  return index < 0 || ofTheRemoved.includes(method.name)
    ? []
    : [{ method, request, kind: objects[index], before: objects.slice(0, index) }];
});

const unknown = taking.map(
  ({ method, request, kind, before }): Case => ({
    name: `are unknown to ${method.name}`,
    method,
    async run(world) {
      const { server, project } = world;
      const { organization } = server.admin;
      const ids = await idsIn(world, organization, project, before);
      // It was a member everywhere, and had a phone and a token.
      const user = await givenHuman(server, organization, { phone: "+41446681800" }, [
        ...(
          [
            { scope: { level: "instance" }, roles: ["IAM_OWNER"] },
            { scope: { level: "organization", organization }, roles: ["ORG_OWNER"] },
            { scope: { level: "project", organization, project }, roles: ["PROJECT_OWNER"] },
          ] as const
        ).map((payload) => ({ type: "user.membership.granted", payload }) as const),
        { type: "user.token.added", payload: { tokenId: "1", tokenHash: world.unique } },
      ]);
      await happen(server, [change("user.removed")], { id: user });
      const given = request({ ...noIds, ...ids, user, token: "1" }) as JsonValue;
      return {
        request: fromJson(method.input, given) as Message,
        expected: kind === "joined" ? noMember : notFound,
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
  const named = services
    .flatMap((service) => service.methods)
    // The id of a new user is not for clients to choose.
    .filter(({ name }) => name !== "AddMachineUser" && !ofTheRemoved.includes(name))
    .filter(({ name, input: { fields } }) => {
      const id = /User(ByID|Metadata)?$/.test(name) ? "id" : "user_id";
      return fields.some((field) => field.name === id);
    });
  expect(taking.map(({ method: { name } }) => name).sort()).toEqual(
    named.map(({ name }) => name).sort(),
  );
});
