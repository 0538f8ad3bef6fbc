import { timestampMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListUserSessionsResponse } from "../../gen/iam/management/v1/session_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { oneClient, someClients } from "./given.ts";
import { fact, granted } from "./stored.ts";
import { escalation, givenHuman, happen, loggedIn, outrank } from "./users.ts";

// Where people are logged in: what administrators see of it, and how they end it.

const { listUserSessions, terminateAllUserSessions, terminateUserSession } =
  ManagementService.method;
const noSession = { code: 5, reason: "SESSION_NOT_FOUND" };

/** A person who is logged in, with the ids of the sessions. */
async function givenSessions({ server, unique }: World, ...names: readonly string[]) {
  const ids = names.map((name) => `${name}-${unique}`);
  const events = ids.flatMap((id) => loggedIn(id, id.startsWith("told") ? ["shop"] : []));
  return { ids, userId: await givenHuman(server, server.admin.organization, {}, events) };
}

async function listed({ call }: World, userId: string): Promise<readonly string[]> {
  const answer = granted<ListUserSessionsResponse>(await call(listUserSessions, { userId }));
  return answer.result.map(({ id }) => id);
}

runCases("ListUserSessions", [
  row(
    "shows each session that has not ended, the latest first",
    listUserSessions,
    async (world) => {
      const { userId, ids } = await givenSessions(world, "one", "told");
      return {
        request: { userId },
        expected: {
          ok({ result, details }) {
            expect(result).toMatchObject([
              { id: ids[1], factors: ["password"], applications: ["app", "shop"] },
              { id: ids[0], factors: ["password"], applications: ["app"] },
            ]);
            for (const { creationDate } of result) {
              expect(Date.now() - timestampMs(creationDate!)).toBeLessThan(600_000);
            }
            expect(details?.totalResult).toBe(2n);
          },
        },
      };
    },
  ),
  row(
    "answers the page that is asked for, and says how many there are",
    listUserSessions,
    async (world) => {
      const { userId, ids } = await givenSessions(world, "one", "two", "three");
      return {
        request: { userId, query: { asc: true, offset: 1n, limit: 1 } },
        expected: {
          ok({ result, details }) {
            expect(result.map(({ id }) => id)).toEqual([ids[1]]);
            expect(details?.totalResult).toBe(3n);
          },
        },
      };
    },
    someClients,
  ),
  row("shows none of a machine", listUserSessions, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: { ok: ({ result }) => expect(result).toEqual([]) } };
  }),
]);

runCases("TerminateUserSession", [
  row("ends that session alone", terminateUserSession, async (world) => {
    const { userId, ids } = await givenSessions(world, "one", "told");
    const sessionId = ids[1]!;
    return {
      request: { userId, sessionId },
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            { type: "user.human.session.terminated", payload: { sessionId } },
            { type: "logout.asked", payload: { userId, sessionId, told: ["shop"] } },
          ]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(await listed(world, userId)).toEqual([ids[0]]);
        },
      },
    };
  }),
  row("refuses one that has ended", terminateUserSession, async (world) => {
    const { userId, ids } = await givenSessions(world, "one");
    const request = { userId, sessionId: ids[0]! };
    granted(await world.call(terminateUserSession, request));
    return { request, expected: noSession };
  }),
  row("refuses the session of somebody else", terminateUserSession, async (world) => {
    const { ids } = await givenSessions(world, "one");
    const userId = await givenHuman(world.server, world.server.admin.organization);
    return { request: { userId, sessionId: ids[0]! }, expected: noSession };
  }),
  row("refuses who holds less than the person", terminateUserSession, async (world) => {
    const { userId, ids } = await givenSessions(world, "one");
    const token = await outrank(world.server, userId);
    return { request: { userId, sessionId: ids[0]! }, token, expected: escalation };
  }),
  row(
    `ends all with one more than ${loginLimits.terminated} that ended one by one`,
    terminateUserSession,
    async (world) => {
      const { userId, ids } = await givenSessions(world, "one", "two", "told");
      const before = Array.from(
        { length: loginLimits.terminated - 1 },
        (_, i): UserEvent => ({
          type: "user.human.session.terminated",
          payload: { sessionId: `${i}` },
        }),
      );
      await happen(world.server, before, { id: userId });
      granted(await world.call(terminateUserSession, { userId, sessionId: ids[0]! }));
      expect(await listed(world, userId)).toEqual([ids[2], ids[1]]);
      return {
        request: { userId, sessionId: ids[1]! },
        expected: {
          async ok(_answer, events) {
            const told = { userId, sessionId: ids[2]!, told: ["shop"] };
            expect(events.map(fact)).toMatchObject([
              { type: "user.human.session.terminated", payload: { sessionId: ids[1]! } },
              { type: "logout.asked", payload: told },
            ]);
            expect(await listed(world, userId)).toEqual([]);
          },
        },
      };
    },
    oneClient,
  ),
]);

runCases("TerminateAllUserSessions", [
  row("ends all, and says how many", terminateAllUserSessions, async (world) => {
    const { userId } = await givenSessions(world, "one", "told");
    return {
      request: { userId },
      expected: {
        async ok({ count, details }, events) {
          expect(count).toBe(2);
          expect(events.map(({ type }) => type)).toEqual([
            "user.human.sessions.terminated",
            "logout.asked",
          ]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(await listed(world, userId)).toEqual([]);
        },
      },
    };
  }),
  row("is recorded where no session is left", terminateAllUserSessions, async (world) => {
    const userId = await givenHuman(world.server, world.server.admin.organization);
    return {
      request: { userId },
      expected: {
        ok({ count }, events) {
          expect(count).toBe(0);
          expect(events).toHaveLength(1);
        },
      },
    };
  }),
  row("refuses a machine", terminateAllUserSessions, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: { code: 9, reason: "USER_NOT_HUMAN" } };
  }),
  row("refuses who holds less than the person", terminateAllUserSessions, async (world) => {
    const { userId } = await givenSessions(world, "one");
    const token = await outrank(world.server, userId);
    return { request: { userId }, token, expected: escalation };
  }),
]);
