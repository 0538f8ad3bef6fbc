import type { DescMethodUnary, MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type {
  GetUserByIDResponse,
  ListUsersResponse,
} from "../../gen/iam/management/v1/user_search_pb.js";
import { UserState } from "../../gen/iam/user/v1/user_pb.js";
import { user } from "../../src/domain/user/state/user.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { recorded, someClients } from "./given.ts";
import { changeRows } from "./lookups.ts";
import { granted } from "./stored.ts";
import {
  ada,
  change,
  escalation,
  givenHuman,
  givenOwner,
  happen,
  outrank,
  unauthenticated,
} from "./users.ts";

const { deactivateUser, getUserByID, listUsers, lockUser, reactivateUser, unlockUser } =
  ManagementService.method;
const unchanged = { code: 9, reason: "NOTHING_CHANGED" };

/** A person who is out of use. */
const givenPerson = ({ server }: World, type: "user.deactivated" | "user.locked") =>
  givenHuman(server, server.admin.organization, {}, [change(type)]);

runCases("LockUser", [
  ...changeRows({
    ...{ method: lockUser, noun: user, field: "id", type: "user.locked" },
    ...{ notFound: { code: 5, reason: "USER_NOT_FOUND" }, again: unchanged },
    given: ({ server }, { organization }) => {
      const payload = { ...ada, userName: crypto.randomUUID() };
      return recorded(server, user, organization, [{ type: "user.human.added", payload }]);
    },
    request: (id) => ({ id }),
    removal: change("user.removed"),
  }),
  row("refuses the token of the user until it is unlocked", lockUser, async (world) => {
    const { server, call } = world;
    const { userId: id, token } = await givenOwner(server);
    expect(await call(getUserByID, { id }, token)).toMatchObject({ ok: true });
    return {
      request: { id },
      expected: {
        async ok() {
          expect(await call(getUserByID, { id }, token)).toMatchObject(unauthenticated);
          granted(await call(unlockUser, { id }));
          expect(await call(getUserByID, { id }, token)).toMatchObject({ ok: true });
        },
      },
    };
  }),
  row("is shown as the state locked, without an end", getUserByID, async (world) => ({
    request: { id: await givenPerson(world, "user.locked") },
    expected: {
      ok: ({ user: shown }) =>
        expect([shown?.state, shown?.lockedUntil]).toEqual([UserState.LOCKED, undefined]),
    },
  })),
  row("is found by the state locked, and by no other", listUsers, async (world) => {
    const id = await givenPerson(world, "user.locked");
    const { ACTIVE, INACTIVE, LOCKED } = UserState;
    expect(await found(world, id, ACTIVE)).toEqual([]);
    expect(await found(world, id, INACTIVE)).toEqual([]);
    return {
      request: inState(id, LOCKED),
      expected: { ok: ({ result }) => expect(result.map((shown) => shown.id)).toEqual([id]) },
    };
  }),
  refused("a user who is inactive", lockUser, "user.deactivated"),
  refused("a locked user: that is what UnlockUser is for", reactivateUser, "user.locked"),
  refused("an inactive user: that is what ReactivateUser is for", unlockUser, "user.deactivated"),
  row("may be deactivated: then the lock has ended with it", deactivateUser, async (world) => {
    const id = await givenPerson(world, "user.locked");
    return {
      request: { id },
      expected: {
        async ok() {
          expect(await world.call(unlockUser, { id })).toMatchObject(unchanged);
          granted(await world.call(reactivateUser, { id }));
          const shown = granted<GetUserByIDResponse>(await world.call(getUserByID, { id }));
          expect(shown.user).toMatchObject({ state: UserState.ACTIVE });
        },
      },
    };
  }),
  row("ends along with a lock by wrong passwords", unlockUser, async (world) => {
    const { server } = world;
    const payload = { untilMs: Date.UTC(2999, 11, 31) };
    const locked = { type: "user.human.locked", payload } as const;
    const id = await givenHuman(server, server.admin.organization, {}, [locked]);
    await happen(server, [change("user.locked")], { id });
    return {
      request: { id },
      expected: {
        ok: (_answer, events) =>
          expect(events.map(({ type }) => type)).toEqual(["user.unlocked", "user.human.unlocked"]),
      },
    };
  }),
  row("refuses who holds less than the user", lockUser, async ({ server }) => {
    const { userId: id } = await givenUser(server, server.admin.organization);
    return { request: { id }, token: await outrank(server, id), expected: escalation };
  }),
]);

/** A request for the user with the id, where it has the state. */
function inState(id: string, state: UserState): MessageInitShape<typeof listUsers.input> {
  return {
    queries: [
      { query: { case: "inUserIdsQuery", value: { userIds: [id] } } },
      { query: { case: "stateQuery", value: { state } } },
    ],
  };
}

async function found({ call }: World, id: string, state: UserState) {
  return granted<ListUsersResponse>(await call(listUsers, inState(id, state))).result;
}

function refused(
  what: string,
  method: DescMethodUnary,
  before: Parameters<typeof givenPerson>[1],
): Case {
  return row(
    `${method.name} refuses ${what}`,
    method,
    async (world) => ({ request: { id: await givenPerson(world, before) }, expected: unchanged }),
    someClients,
  );
}
