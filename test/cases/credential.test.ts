import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import type { ImportHumanUserResponse } from "../../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { AddPersonalAccessTokenResponse } from "../../gen/iam/management/v1/user_pb.js";
import { AuthFactorState } from "../../gen/iam/user/v1/credential_pb.js";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { givenLink } from "./accounts.ts";
import { requestFor } from "./humans.ts";
import { granted } from "./stored.ts";
import { happen } from "./users.ts";

/** What lets somebody in as a user: what reads show of it, and what a grant leaves of it. */

const {
  addOrgMember,
  addPersonalAccessToken,
  importHumanUser,
  listHumanPasswordless,
  listPersonalAccessTokens,
} = ManagementService.method;

/** A user manager, and a robot with a token that the manager has made. */
async function givenPlanted({ server, call }: World) {
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  const manager = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
  const robot = await givenUser(server, organization);
  const { tokenId } = granted<AddPersonalAccessTokenResponse>(
    await call(addPersonalAccessToken, { userId: robot.userId }, manager.token),
  );
  return { manager, robot, tokenId };
}

runCases("ListPersonalAccessTokens", [
  row("shows tokens and who made them", listPersonalAccessTokens, async (world) => {
    const { server } = world;
    const { manager, robot, tokenId } = await givenPlanted(world);
    const { userId } = robot;
    const events = await server.store.readStream(`user-${userId}`, 0, 10);
    const times = events.flatMap(({ type, timeMs }) => (type === "user.token.added" ? timeMs : []));
    return {
      request: { userId },
      expected: {
        ok({ result, details }) {
          expect(result).toMatchObject([
            { id: tokenId, maker: manager.userId },
            { id: robot.tokenId, maker: userId },
          ]);
          expect(result.map((token) => token.details?.creationDate)).toEqual(
            times.toReversed().map(timestampFromMs),
          );
          expect(result[0]?.details?.resourceOwner).toBe(server.admin.organization);
          expect(result[0]?.expirationDate).toBeUndefined();
          expect(details?.totalResult).toBe(2n);
        },
      },
    };
  }),
  row(
    "shows when a token ends, a page, the oldest first",
    listPersonalAccessTokens,
    async (world) => {
      const { server, call } = world;
      const { userId } = await givenUser(server, server.admin.organization);
      const expirationDate = timestampFromMs(4_102_444_800_000);
      await call(addPersonalAccessToken, { userId, expirationDate });
      await call(addPersonalAccessToken, { userId });
      return {
        request: { userId, query: { asc: true, offset: 1n, limit: 1 } },
        expected: {
          ok({ result, details }) {
            expect(result).toMatchObject([{ expirationDate, maker: server.admin.userId }]);
            expect(details?.totalResult).toBe(3n);
          },
        },
      };
    },
  ),
  row("refuses a page token, which this list has none of", listPersonalAccessTokens, (world) => ({
    request: { userId: world.server.admin.userId, query: { pageToken: "x" } },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["query.page_token"] },
  })),
]);

runCases("ListHumanPasswordless", [
  row("shows passkeys and links", listHumanPasswordless, async (world) => {
    const { server } = world;
    const { userId, codeId } = await givenLink(world);
    const payload = {
      ...{ codeId, credentialId: world.unique, publicKey: "", counter: 0, transports: [] },
      name: "laptop",
    };
    await happen(server, [{ type: "user.human.passwordless.token.added", payload }], {
      id: userId,
    });
    return {
      request: { userId },
      expected: {
        ok({ result }) {
          expect(result).toMatchObject([
            {
              ...{ id: world.unique, name: "laptop", state: AuthFactorState.READY },
              maker: server.admin.userId,
            },
          ]);
        },
      },
    };
  }),
  row("shows a link that has yet to be used", listHumanPasswordless, async (world) => {
    const { userId, codeId } = await givenLink(world);
    return {
      request: { userId },
      expected: {
        ok: ({ result }) =>
          expect(result).toMatchObject([
            { id: codeId, state: AuthFactorState.NOT_READY, maker: world.server.admin.userId },
          ]),
      },
    };
  }),
  row("shows nothing of a machine", listHumanPasswordless, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: { ok: ({ result }) => expect(result).toEqual([]) } };
  }),
]);

runCases("AddOrgMember, which voids", [
  row("says what let a lesser user in", addOrgMember, async (world) => {
    const { robot, tokenId } = await givenPlanted(world);
    return {
      request: { userId: robot.userId, roles: ["ORG_OWNER"] },
      expected: {
        ok({ voided }, events) {
          expect(voided).toEqual([`token:${tokenId}`]);
          expect(events.map(({ type, payload }) => [type, JSON.parse(payload)])).toEqual([
            ["user.credentials.voided", { voided: [{ kind: "token", id: tokenId }] }],
            ["user.membership.granted", expect.anything()],
          ]);
        },
      },
    };
  }),
  row("refuses to lock a person out", addOrgMember, async (world) => {
    const { manager } = await givenPlanted(world);
    const { userId } = granted<ImportHumanUserResponse>(
      await world.call(importHumanUser, requestFor(world), manager.token),
    );
    return {
      request: { userId, roles: ["ORG_OWNER"] },
      expected: { code: 9, reason: "MEMBER_LOCKED_OUT" },
    };
  }),
]);
