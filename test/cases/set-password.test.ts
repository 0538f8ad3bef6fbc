import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { someClients } from "./given.ts";
import { lookupRows } from "./lookups.ts";
import { fact } from "./stored.ts";
import { ada, change, escalation, givenHuman, loggedIn, outrank } from "./users.ts";

const { setHumanPassword } = ManagementService.method;
const password = "correct horse battery";

const given = ({ server }: World, ...events: readonly UserEvent[]) =>
  givenHuman(server, server.admin.organization, {}, events);

runCases("SetHumanPassword", [
  ...lookupRows({
    ...{ method: setHumanPassword, noun: user, field: "user_id" },
    notFound: { code: 5, reason: "USER_NOT_FOUND" },
    given: ({ server }, { organization }) => givenHuman(server, organization),
    request: (userId) => ({ userId, password }),
    removal: change("user.removed"),
  }),
  row("records the hash alone, and ends the sessions", setHumanPassword, async (world) => {
    const { server, unique } = world;
    const userId = await given(world, ...loggedIn(unique, ["shop"]));
    return {
      request: { userId, password },
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            {
              type: "user.human.password.set",
              payload: { passwordHash: expect.stringMatching(/^\$/), changeRequired: true },
            },
            { type: "logout.asked", payload: { userId, sessionId: unique, told: ["shop"] } },
          ]);
          expect(JSON.stringify(events.map(fact))).not.toContain(password);
          expect(details?.sequence).toBe(events[0]?.position);
          const { human } = await stateOf(server, userId);
          expect(human).toMatchObject({
            ...{ passwordChangeRequired: true, passwordMade: { maker: server.admin.userId } },
            login: { sessions: [], browsers: [], resets: 1 },
          });
        },
      },
    };
  }),
  row("lets the person keep it where the request says so", setHumanPassword, async (world) => {
    const userId = await given(world);
    return {
      request: { userId, password, noChangeRequired: true },
      expected: {
        async ok() {
          const { human } = await stateOf(world.server, userId);
          expect(human?.passwordChangeRequired).toBe(false);
        },
      },
    };
  }),
  row("ends a lock by wrong passwords", setHumanPassword, async (world) => {
    const payload = { untilMs: Date.UTC(2999, 11, 31) };
    const userId = await given(world, { type: "user.human.locked", payload });
    return {
      request: { userId, password },
      expected: {
        async ok() {
          const { human } = await stateOf(world.server, userId);
          expect(human?.login).not.toHaveProperty("lockedUntilMs");
        },
      },
    };
  }),
  refused("a common password", "password123"),
  refused("the name of the person", ada.displayName),
  refused("the address of the person", ada.email),
  row("refuses a machine", setHumanPassword, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId, password }, expected: { code: 9, reason: "USER_NOT_HUMAN" } };
  }),
  row("refuses who holds less than the person", setHumanPassword, async (world) => {
    const userId = await given(world);
    const token = await outrank(world.server, userId);
    return { request: { userId, password }, token, expected: escalation };
  }),
]);

function refused(what: string, chosen: string): Case {
  return row(
    `refuses ${what}`,
    setHumanPassword,
    async (world) => ({
      request: { userId: await given(world), password: chosen },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["password"] },
    }),
    someClients,
  );
}

async function stateOf({ store }: World["server"], userId: string) {
  const [stored] = await store.load([`user-${userId}`]);
  return JSON.parse(stored?.state ?? "{}") as UserState;
}
