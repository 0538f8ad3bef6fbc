import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { humanOf } from "./accounts.ts";
import { someClients } from "./given.ts";
import { lookupRows } from "./lookups.ts";
import { fact } from "./stored.ts";
import { ada, change, escalation, givenHuman, loggedIn, outrank } from "./users.ts";

// The e-mail addresses of people of one organization, changed by who manages its users.

const { resendHumanEmailVerification, updateHumanEmail } = ManagementService.method;
const email = "lovelace@example.com";
const changed: UserEvent = { type: "user.human.email.changed", payload: { email } };
const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
const invited: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed" },
};
/** A grant has voided the address. */
const voided: UserEvent = {
  type: "user.credentials.voided",
  payload: { voided: [{ kind: "email" }] },
};

const given = ({ server }: World, ...events: readonly UserEvent[]) =>
  givenHuman(server, server.admin.organization, {}, events);

const lookup = {
  ...{ noun: user, field: "user_id", removal: change("user.removed") },
  notFound: { code: 5, reason: "USER_NOT_FOUND" },
  given: ({ server }: World, { organization }: { readonly organization: string }) =>
    givenHuman(server, organization),
} as const;

const unchanged = { code: 9, reason: "NOTHING_CHANGED" };
const uninitialized = {
  ...{ code: 9, reason: "USER_NOT_INITIALIZED" },
  message:
    "The person has yet to take over the account: ResendHumanInitialization mails the code for " +
    "that, to another address where one is given.",
};

runCases("UpdateHumanEmail", [
  ...lookupRows({
    ...{ ...lookup, method: updateHumanEmail },
    request: (userId) => ({ userId, email }),
  }),
  row("mails a code to the address, and ends the sessions", updateHumanEmail, async (world) => {
    const { server, unique } = world;
    const reset = { code: "sealed", expirationMs: Date.UTC(2999, 11, 31) };
    const userId = await given(world, verified, ...loggedIn(unique, ["shop"]), {
      type: "user.human.password.code.added",
      payload: reset,
    });
    return {
      request: { userId, email },
      expected: {
        async ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            { type: "user.human.email.changed", payload: { email } },
            { type: "user.human.sessions.terminated", payload: { count: 1 } },
            { type: "user.human.email.code.added", payload: { code: expect.any(String) } },
            {
              type: "user.human.notice.added",
              payload: { about: "email.changed", to: ada.email },
            },
            { type: "logout.asked", payload: { userId, sessionId: unique, told: ["shop"] } },
          ]);
          expect(details?.sequence).toBe(events[3]?.position);
          const human = await humanOf(server, userId);
          expect(human).toMatchObject({
            ...{ email, isEmailVerified: false, emailMade: { maker: server.admin.userId } },
            login: { sessions: [], browsers: [], resets: 1 },
          });
          expect(human).not.toHaveProperty("passwordCode");
        },
      },
    };
  }),
  row("takes the word of the caller that it is verified", updateHumanEmail, async (world) => ({
    request: { userId: await given(world), email, isEmailVerified: true },
    expected: {
      ok: (_answer, events) =>
        expect(events.map(({ type }) => type)).toEqual([
          "user.human.email.changed",
          "user.human.sessions.terminated",
          "user.human.email.verified",
        ]),
    },
  })),
  row("verifies the address that it is, and ends no session", updateHumanEmail, async (world) => ({
    request: { userId: await given(world), email: ada.email, isEmailVerified: true },
    expected: {
      ok: (_answer, events) =>
        expect(events.map(({ type }) => type)).toEqual(["user.human.email.verified"]),
    },
  })),
  row("takes an address anew that a grant has voided", updateHumanEmail, async (world) => {
    const userId = await given(world, verified, voided);
    return {
      request: { userId, email: ada.email, isEmailVerified: true },
      expected: {
        async ok() {
          expect(await humanOf(world.server, userId)).toMatchObject({
            ...{ isEmailVerified: true, emailMade: { maker: world.server.admin.userId } },
          });
        },
      },
    };
  }),
  ...[
    ["the address that it is, verified", [changed, verified], true],
    ["the address that it is, not verified", [changed], false],
    ["to take back that it is verified", [changed, verified], false],
  ].map(([what, events, isEmailVerified]) =>
    row(
      `refuses ${what}`,
      updateHumanEmail,
      async (world) => ({
        request: {
          userId: await given(world, ...(events as readonly UserEvent[])),
          ...{ email, isEmailVerified: isEmailVerified === true },
        },
        expected: unchanged,
      }),
      someClients,
    ),
  ),
  row("refuses what is no address", updateHumanEmail, async (world) => ({
    request: { userId: await given(world), email: "lovelace" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["email"] },
  })),
  row("refuses a person who has yet to take the account over", updateHumanEmail, async (world) => ({
    request: { userId: await given(world, invited), email },
    expected: uninitialized,
  })),
  row("refuses a machine", updateHumanEmail, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId, email }, expected: { code: 9, reason: "USER_NOT_HUMAN" } };
  }),
  row("refuses who holds less than the person", updateHumanEmail, async (world) => {
    const userId = await given(world);
    const token = await outrank(world.server, userId);
    return { request: { userId, email, isEmailVerified: true }, token, expected: escalation };
  }),
]);

runCases("ResendHumanEmailVerification", [
  ...lookupRows({
    ...{ ...lookup, method: resendHumanEmailVerification },
    request: (userId) => ({ userId }),
  }),
  row("makes a new code", resendHumanEmailVerification, async (world) => ({
    request: { userId: await given(world, changed) },
    expected: {
      ok({ details }, events) {
        expect(events.map(({ type }) => type)).toEqual(["user.human.email.code.added"]);
        expect(details?.sequence).toBe(events[0]?.position);
      },
    },
  })),
  ...(
    [
      ["an address that is verified", [verified], unchanged],
      ["an address that a grant has voided", [voided], { code: 9, reason: "EMAIL_MISSING" }],
      ["a person who has yet to take the account over", [invited], uninitialized],
    ] as const
  ).map(([what, events, expected]) =>
    row(`refuses ${what}`, resendHumanEmailVerification, async (world) => ({
      request: { userId: await given(world, ...events) },
      expected,
    })),
  ),
  row("refuses a machine", resendHumanEmailVerification, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: { code: 9, reason: "USER_NOT_HUMAN" } };
  }),
  row("refuses who holds less than the person", resendHumanEmailVerification, async (world) => {
    const userId = await given(world);
    const token = await outrank(world.server, userId);
    return { request: { userId }, token, expected: escalation };
  }),
]);
