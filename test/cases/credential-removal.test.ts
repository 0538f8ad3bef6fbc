import { expect } from "@jest/globals";
import { SendHumanResetPasswordNotificationRequest_Type as Type } from "../../gen/iam/management/v1/credential_change_pb.js";
import type { ListHumanPasswordlessResponse } from "../../gen/iam/management/v1/credential_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { codeLifetimesMs, type SealedCode } from "../../src/domain/user/state/human-state.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { someClients } from "./given.ts";
import { fact, granted } from "./stored.ts";
import { change, escalation, givenHuman, loggedIn, outrank } from "./users.ts";

// What administrators take from people who have lost it, and the mail by which they help.

const {
  listHumanPasswordless,
  listUserSessions,
  removeHumanAuthFactorOTP,
  removeHumanPasswordless,
  sendHumanResetPasswordNotification,
} = ManagementService.method;
const noPasskey = { code: 5, reason: "PASSKEY_NOT_FOUND" };
const noOTP = { code: 5, reason: "OTP_NOT_FOUND" };
const impossible = { code: 9, reason: "RESET_IMPOSSIBLE" };

const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
const link = (codeId: string): UserEvent => ({
  type: "user.human.passwordless.initialization.code.added",
  payload: { codeId, codeHash: "", expirationMs: Date.UTC(2999, 11, 31) },
});

function given({ server }: World, ...events: readonly UserEvent[]): Promise<string> {
  return givenHuman(server, server.admin.organization, { passwordHash: "hash" }, events);
}

async function left(world: World, userId: string) {
  const [passkeys, sessions] = await Promise.all([
    world.call(listHumanPasswordless, { userId }),
    world.call(listUserSessions, { userId }),
  ]);
  const ids = (answer: unknown) =>
    granted<ListHumanPasswordlessResponse>(answer as never).result.map(({ id }) => id);
  return { passkeys: ids(passkeys), sessions: ids(sessions) };
}

runCases("RemoveHumanPasswordless", [
  row("removes a passkey, and ends the sessions", removeHumanPasswordless, async (world) => {
    const { unique: tokenId } = world;
    const userId = await given(world, ...loggedIn(tokenId, ["shop"]), link("open"));
    return {
      request: { userId, tokenId },
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            {
              type: "user.human.passwordless.token.removed",
              payload: { credentialId: tokenId },
            },
            { type: "logout.asked", payload: { userId, sessionId: tokenId, told: ["shop"] } },
          ]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(await left(world, userId)).toEqual({ passkeys: ["open"], sessions: [] });
        },
      },
    };
  }),
  row("removes a link, and ends no session", removeHumanPasswordless, async (world) => {
    const { unique } = world;
    const userId = await given(world, ...loggedIn(unique), link("open"));
    return {
      request: { userId, tokenId: "open" },
      expected: {
        async ok(_answer, events) {
          expect(events.map(fact)).toMatchObject([
            {
              type: "user.human.passwordless.initialization.removed",
              payload: { codeId: "open" },
            },
          ]);
          expect(await left(world, userId)).toEqual({ passkeys: [unique], sessions: [unique] });
        },
      },
    };
  }),
  row("lets the same passkey be registered anew", removeHumanPasswordless, async (world) => {
    const { unique: tokenId, server } = world;
    const userId = await given(world, ...loggedIn(tokenId));
    return {
      request: { userId, tokenId },
      expected: {
        async ok() {
          const other = await given(world, ...loggedIn(tokenId));
          expect((await server.store.load([`user-${other}`]))[0]?.version).toBeGreaterThan(0);
        },
      },
    };
  }),
  row("refuses one that is removed", removeHumanPasswordless, async (world) => {
    const { unique: tokenId } = world;
    const userId = await given(world, ...loggedIn(tokenId));
    granted(await world.call(removeHumanPasswordless, { userId, tokenId }));
    return { request: { userId, tokenId }, expected: noPasskey };
  }),
  row("refuses the passkey of somebody else", removeHumanPasswordless, async (world) => {
    const { unique: tokenId } = world;
    await given(world, ...loggedIn(tokenId));
    return { request: { userId: await given(world), tokenId }, expected: noPasskey };
  }),
  row("refuses a machine, which has none", removeHumanPasswordless, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId, tokenId: "one" }, expected: noPasskey };
  }),
  row("refuses who holds less than the person", removeHumanPasswordless, async (world) => {
    const { unique: tokenId } = world;
    const userId = await given(world, ...loggedIn(tokenId));
    const token = await outrank(world.server, userId);
    return { request: { userId, tokenId }, token, expected: escalation };
  }),
]);

runCases("RemoveHumanAuthFactorOTP", [
  row("removes it, and ends the sessions", removeHumanAuthFactorOTP, async (world) => {
    const { unique } = world;
    const userId = await given(world, ...loggedIn(unique, ["shop"]));
    return {
      request: { userId },
      expected: {
        async ok({ details }, events) {
          expect(events.map(({ type }) => type)).toEqual([
            "user.human.otp.removed",
            "logout.asked",
          ]);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(await left(world, userId)).toEqual({ passkeys: [unique], sessions: [] });
        },
      },
    };
  }),
  row("refuses it the second time", removeHumanAuthFactorOTP, async (world) => {
    const userId = await given(world, ...loggedIn(world.unique));
    granted(await world.call(removeHumanAuthFactorOTP, { userId }));
    return { request: { userId }, expected: noOTP };
  }),
  row("refuses a machine, which has none", removeHumanAuthFactorOTP, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: noOTP };
  }),
  row("refuses who holds less than the person", removeHumanAuthFactorOTP, async (world) => {
    const userId = await given(world, ...loggedIn(world.unique));
    const token = await outrank(world.server, userId);
    return { request: { userId }, token, expected: escalation };
  }),
]);

const send = sendHumanResetPasswordNotification;

runCases("SendHumanResetPasswordNotification", [
  row("makes the mail, whose code it does not answer", send, async (world) => {
    const userId = await given(world, verified);
    return {
      request: { userId },
      expected: {
        ok(answer, events) {
          expect(events.map(({ type }) => type)).toEqual(["user.human.password.code.added"]);
          const { timeMs, payload, position } = events[0]!;
          const { code, expirationMs } = JSON.parse(payload) as Required<SealedCode>;
          expect(expirationMs).toBe(timeMs + codeLifetimesMs.password);
          expect(JSON.stringify(answer.details, (_, value) => String(value))).not.toContain(code);
          expect(answer.details?.sequence).toBe(position);
        },
      },
    };
  }),
  row("refuses an SMS", send, async (world) => ({
    request: { userId: await given(world, verified), type: Type.SMS },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["type"] },
  })),
  ...(
    [
      ["a person whose address nobody has verified", []],
      ["a person who is inactive", [verified, change("user.deactivated")]],
      ["a person who is locked", [verified, change("user.locked")]],
    ] as const
  ).map(([who, events]) =>
    row(
      `refuses ${who}`,
      send,
      async (world) => ({
        request: { userId: await given(world, ...events) },
        expected: impossible,
      }),
      someClients,
    ),
  ),
  row("refuses a person who never had a password", send, async ({ server }) => ({
    request: { userId: await givenHuman(server, server.admin.organization, {}, [verified]) },
    expected: impossible,
  })),
  row("refuses a machine", send, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: impossible };
  }),
  row("refuses who holds less than the person", send, async (world) => {
    const userId = await given(world, verified);
    const token = await outrank(world.server, userId);
    return { request: { userId }, token, expected: escalation };
  }),
]);
