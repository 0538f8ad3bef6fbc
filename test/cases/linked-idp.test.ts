import { expect } from "@jest/globals";
import { IDPType } from "../../gen/iam/idp/v1/link_pb.js";
import type { ListHumanLinkedIDPsResponse } from "../../gen/iam/management/v1/linked_idp_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { givenOIDCProvider } from "./idps.ts";
import { on } from "./orgs.ts";
import { fact, granted } from "./stored.ts";
import { escalation, givenHuman, loggedIn, notFound, outrank } from "./users.ts";

// To which accounts at identity providers people are linked, and how administrators unlink them.

const { listHumanLinkedIDPs, listUserSessions, removeHumanLinkedIDP } = ManagementService.method;
const notLinked = { code: 5, reason: "IDP_LINK_NOT_FOUND" };

const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
const linked = (idpId: string, externalUserId: string, displayName = ""): UserEvent => ({
  type: "user.human.externalidp.added",
  payload: { idpId, externalUserId, displayName },
});

function given({ server }: World, ...events: readonly UserEvent[]): Promise<string> {
  return givenHuman(server, server.admin.organization, {}, events);
}

runCases("ListHumanLinkedIDPs", [
  row(
    "lists the accounts, with the names of their providers",
    listHumanLinkedIDPs,
    async (world) => {
      const { server, unique } = world;
      const { organization } = server.admin;
      const idpId = await givenOIDCProvider(server, organization, {
        clientSecret: "x",
        name: unique,
      });
      const userId = await given(world, linked(idpId, "a", "Ada"), linked(`gone ${unique}`, "b"));
      return {
        request: { userId, query: { asc: true } },
        expected: {
          ok({ result, details }) {
            expect(result).toMatchObject([
              {
                ...{ userId, idpId, idpName: unique, idpType: IDPType.IDP_TYPE_OIDC },
                ...{ providedUserId: "a", providedUserName: "Ada", maker: "test" },
              },
              { idpId: `gone ${unique}`, idpName: "", idpType: IDPType.IDP_TYPE_UNSPECIFIED },
            ]);
            expect(details?.totalResult).toBe(2n);
          },
        },
      };
    },
  ),
  row("lists a page of them, the newest first", listHumanLinkedIDPs, async (world) => {
    const { unique } = world;
    const userId = await given(world, ...["a", "b", "c"].map((id) => linked(unique, id)));
    return {
      request: { userId, query: { offset: 1n, limit: 1 } },
      expected: {
        ok: ({ result, details }) =>
          expect([result.map(({ providedUserId: id }) => id), details?.totalResult]).toEqual([
            ["b"],
            3n,
          ]),
      },
    };
  }),
  row("lists none of a machine", listHumanLinkedIDPs, async ({ server }) => ({
    request: { userId: (await givenUser(server, server.admin.organization)).userId },
    expected: { ok: ({ result }) => expect(result).toEqual([]) },
  })),
  row("refuses a person of another organization", listHumanLinkedIDPs, async (world) => ({
    request: { userId: await given(world, linked(world.unique, "a")) },
    headers: on(await givenOrganization(world.server)),
    expected: notFound,
  })),
]);

runCases("RemoveHumanLinkedIDP", [
  row("unlinks one account, ends the sessions, and tells", removeHumanLinkedIDP, async (world) => {
    const { unique: idpId } = world;
    const links = [linked(idpId, "a"), linked(idpId, "A"), linked(`${idpId} other`, "a")];
    const userId = await given(world, verified, ...loggedIn(idpId, ["shop"]), ...links);
    return {
      request: { userId, idpId, linkedUserId: "a" },
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            {
              type: "user.human.externalidp.removed",
              payload: { idpId, externalUserId: "a" },
            },
            { type: "user.human.notice.added", payload: { about: "externalidp.removed" } },
            { type: "logout.asked", payload: { userId, sessionId: idpId, told: ["shop"] } },
          ]);
          expect(details?.sequence).toBe(events[1]?.position);
          const left = await world.call(listHumanLinkedIDPs, { userId, query: { asc: true } });
          const { result } = granted<ListHumanLinkedIDPsResponse>(left);
          expect(result.map((one) => [one.idpId, one.providedUserId])).toEqual([
            [idpId, "A"],
            [`${idpId} other`, "a"],
          ]);
          const sessions = await world.call(listUserSessions, { userId });
          expect(granted<ListHumanLinkedIDPsResponse>(sessions).result).toEqual([]);
        },
      },
    };
  }),
  row("lets somebody else be linked to it", removeHumanLinkedIDP, async (world) => {
    const { unique: idpId, server } = world;
    const userId = await given(world, linked(idpId, "a"));
    return {
      request: { userId, idpId, linkedUserId: "a" },
      expected: {
        async ok() {
          const other = await given(world, linked(idpId, "a"));
          expect((await server.store.load([`user-${other}`]))[0]?.version).toBeGreaterThan(0);
        },
      },
    };
  }),
  row("takes the only way in", removeHumanLinkedIDP, async (world) => ({
    request: {
      userId: await given(world, linked(world.unique, "a")),
      ...{ idpId: world.unique, linkedUserId: "a" },
    },
    expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
  })),
  row("refuses an account that is unlinked", removeHumanLinkedIDP, async (world) => {
    const request = { idpId: world.unique, linkedUserId: "a" };
    const userId = await given(world, linked(world.unique, "a"));
    granted(await world.call(removeHumanLinkedIDP, { userId, ...request }));
    return { request: { userId, ...request }, expected: notLinked };
  }),
  row("refuses the account of somebody else", removeHumanLinkedIDP, async (world) => {
    await given(world, linked(world.unique, "a"));
    const userId = await given(world);
    return { request: { userId, idpId: world.unique, linkedUserId: "a" }, expected: notLinked };
  }),
  row("refuses a machine, which has none", removeHumanLinkedIDP, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId, idpId: "a", linkedUserId: "a" }, expected: notLinked };
  }),
  row("refuses who holds less than the person", removeHumanLinkedIDP, async (world) => {
    const userId = await given(world, linked(world.unique, "a"));
    return {
      request: { userId, idpId: world.unique, linkedUserId: "a" },
      token: await outrank(world.server, userId),
      expected: escalation,
    };
  }),
]);
