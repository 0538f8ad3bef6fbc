import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { ListEventsResponse } from "../../gen/iam/admin/v1/event_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { granted } from "./stored.ts";
import { change, denied, escalation, givenHuman, givenOwner, notFound } from "./users.ts";

const { eraseUser, getUserByID, importHumanUser, removeUser } = ManagementService.method;
const { listEvents } = AdminService.method;
const reason = "asked for by the person";

/** A person with a name that nobody else has. */
const givenPerson = (world: World, events: Parameters<typeof givenHuman>[3] = []) =>
  givenHuman(world.server, world.server.admin.organization, { userName: world.unique }, events);

/** What ListEvents shows of the user: the type, whether it was erased, and the payload. */
async function shown({ call }: World, aggregateId: string) {
  const { events } = granted<ListEventsResponse>(await call(listEvents, { aggregateId }));
  return events.map(({ type, erased, payload }) => [type?.type, erased, payload]);
}

const typesOf = (events: readonly { readonly type: string }[]) => events.map(({ type }) => type);

runCases("EraseUser", [
  row("removes a person, and erases all that was said of it", eraseUser, async (world) => {
    const id = await givenPerson(world, [change("user.deactivated")]);
    return {
      request: { userId: id, reason },
      expected: {
        async ok({ details }, events) {
          expect(typesOf(events)).toEqual(["user.removed", "user.erased"]);
          expect(details?.sequence).toBe(events[1]?.position);
          expect(await shown(world, id)).toEqual([
            ["user.erased", false, { reason }],
            ["user.removed", true, undefined],
            ["user.deactivated", true, undefined],
            ["user.human.added", true, undefined],
          ]);
          expect(await world.call(getUserByID, { id })).toMatchObject(notFound);
        },
      },
    };
  }),
  row("erases one who was removed before", eraseUser, async (world) => {
    const id = await givenPerson(world, [change("user.removed")]);
    return {
      request: { userId: id },
      expected: {
        async ok(_answer, events) {
          expect(typesOf(events)).toEqual(["user.erased"]);
          const erased = (await shown(world, id)).map(([, isErased]) => isErased);
          expect(erased).toEqual([false, true, true]);
        },
      },
    };
  }),
  row("erases a machine", eraseUser, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return {
      request: { userId, reason },
      expected: {
        ok: (_answer, events) => expect(typesOf(events)).toEqual(["user.removed", "user.erased"]),
      },
    };
  }),
  row("leaves the name free", importHumanUser, async (world) => {
    const id = await givenPerson(world);
    granted(await world.call(eraseUser, { userId: id, reason }));
    return {
      request: {
        userName: world.unique,
        profile: { firstName: "Ada", lastName: "Lovelace" },
        email: { email: "ada@example.com", isEmailVerified: true },
      },
      expected: { ok: ({ userId }) => expect(userId).not.toBe(id) },
    };
  }),
  row("refuses the second time", eraseUser, async (world) => {
    const userId = await givenPerson(world);
    granted(await world.call(eraseUser, { userId, reason }));
    return {
      request: { userId, reason },
      expected: { code: 9, reason: "NOTHING_CHANGED" },
    };
  }),
  refused("an id that nobody ever had", notFound, async () => crypto.randomUUID()),
  refused("a person of another organization", notFound, async ({ server }) =>
    givenHuman(server, await givenOrganization(server)),
  ),
  refused("one who was removed from another organization", notFound, async ({ server }) =>
    givenHuman(server, await givenOrganization(server), {}, [change("user.removed")]),
  ),
  refused("one who holds roles", { code: 9, reason: "USER_HOLDS_ROLES" }, async ({ server }) => {
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    return (await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }])).userId;
  }),
  row("refuses an owner", eraseUser, async ({ server }) => ({
    request: { userId: (await givenOwner(server)).userId, reason },
    expected: { code: 9, reason: "USER_HOLDS_ROLES" },
  })),
  row("refuses who holds less than the user", eraseUser, async ({ server }) => {
    const { organization } = server.admin;
    const viewing = { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] } as const;
    const owning = {
      scope: { level: "organization", organization },
      roles: ["ORG_OWNER"],
    } as const;
    const { userId } = await givenUser(server, organization, [viewing]);
    const { token } = await givenUser(server, organization, [owning]);
    return { request: { userId, reason }, token, expected: escalation };
  }),
  row("refuses who may remove users, and not more", eraseUser, async ({ server }) => {
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    const { token } = await givenUser(server, organization, [
      { scope, roles: ["ORG_USER_MANAGER"] },
    ]);
    const { userId } = await givenUser(server, organization);
    return { request: { userId, reason }, token, expected: denied };
  }),
]);

function refused(
  name: string,
  expected: { readonly code: number; readonly reason: string },
  given: (world: World) => Promise<string>,
) {
  return row(`refuses ${name}`, eraseUser, async (world) => ({
    request: { userId: await given(world), reason },
    expected,
  }));
}

const asking: UserEvent = { type: "user.erasure.requested", payload: { dueMs: 0 } };

runCases("RemoveUser of who has asked to be erased", [
  row("erases", removeUser, async (world) => {
    const id = await givenPerson(world, [asking]);
    return {
      request: { id },
      expected: {
        async ok({ details }, events) {
          expect(typesOf(events)).toEqual(["user.removed", "user.erased"]);
          expect(details?.sequence).toBe(events[1]?.position);
          expect(await shown(world, id)).toEqual([
            ["user.erased", false, { reason: expect.stringMatching(/^The person asked for it/) }],
            ["user.removed", true, undefined],
            ["user.erasure.requested", true, undefined],
            ["user.human.added", true, undefined],
          ]);
        },
      },
    };
  }),
  kept("who is locked", () => [asking, change("user.locked")]),
  kept("who is deactivated", () => [asking, change("user.deactivated")]),
  kept("who holds roles", ({ server: { admin } }) => {
    const scope = { level: "organization", organization: admin.organization } as const;
    const payload = { scope, roles: ["ORG_USER_MANAGER"] } as const;
    return [asking, { type: "user.membership.granted", payload }];
  }),
  kept("who took it back", () => [asking, { type: "user.erasure.withdrawn", payload: {} }]),
]);

function kept(who: string, given: (world: World) => readonly UserEvent[]) {
  return row(`erases nothing of a person ${who}`, removeUser, async (world) => ({
    request: { id: await givenPerson(world, given(world)) },
    expected: { ok: (_answer, events) => expect(typesOf(events)).toEqual(["user.removed"]) },
  }));
}
