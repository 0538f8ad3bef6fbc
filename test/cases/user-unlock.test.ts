import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { recorded, someClients } from "./given.ts";
import { changeRows } from "./lookups.ts";
import { ada, change, escalation, givenHuman } from "./users.ts";

const { unlockUser } = ManagementService.method;
const unchanged = { code: 9, reason: "NOTHING_CHANGED" };

const locked = (untilMs: number): UserEvent => ({
  type: "user.human.locked",
  payload: { untilMs },
});
/** A time in the future, so far off that no run of the tests sees it pass. */
const laterMs = Date.UTC(2999, 11, 31);

runCases("UnlockUser", [
  ...changeRows({
    ...{ method: unlockUser, noun: user, type: "user.human.unlocked" },
    ...{ notFound: { code: 5, reason: "USER_NOT_FOUND" }, again: unchanged },
    given: ({ server }, { organization }) => {
      const payload = { ...ada, userName: crypto.randomUUID() };
      const added = { type: "user.human.added", payload } as const;
      return recorded(server, user, organization, [added, locked(laterMs)]);
    },
    request: (id) => ({ id }),
    removal: change("user.removed"),
  }),
  row("leaves nothing of the lock", unlockUser, async (world) => {
    const { server } = world;
    const id = await givenHuman(server, server.admin.organization, {}, [locked(laterMs)]);
    expect(await loginOf(world, id)).toMatchObject({ lockedUntilMs: laterMs });
    return {
      request: { id },
      expected: {
        async ok() {
          expect(await loginOf(world, id)).not.toHaveProperty("lockedUntilMs");
        },
      },
    };
  }),
  refused("a person who was never locked", async ({ server }) => {
    const id = await givenHuman(server, server.admin.organization);
    return { request: { id }, expected: unchanged };
  }),
  refused("a person whose lock has ended", async ({ server }) => {
    const id = await givenHuman(server, server.admin.organization, {}, [locked(1)]);
    return { request: { id }, expected: unchanged };
  }),
  refused("a machine", async ({ server }) => {
    const { userId: id } = await givenUser(server, server.admin.organization);
    return { request: { id }, expected: unchanged };
  }),
  refused("who holds less than the person", async ({ server }) => {
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    const raised = { scope, roles: ["ORG_OWNER"] } as const;
    const id = await givenHuman(server, organization, {}, [
      locked(laterMs),
      { type: "user.membership.granted", payload: raised },
    ]);
    const { token } = await givenUser(server, organization, [
      { scope, roles: ["ORG_USER_MANAGER"] },
    ]);
    return { request: { id }, token, expected: escalation };
  }),
]);

function refused(what: string, given: Parameters<typeof row>[2]) {
  return row(`refuses ${what}`, unlockUser, given, someClients);
}

async function loginOf({ server }: World, id: string): Promise<object> {
  const [stored] = await server.store.load([`user-${id}`]);
  return (JSON.parse(stored!.state!) as { readonly human: { readonly login: object } }).human.login;
}
