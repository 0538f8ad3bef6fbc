import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { lookupRows } from "./lookups.ts";
import { fact } from "./stored.ts";
import { change, escalation, givenHuman, outrank } from "./users.ts";

// The phones of people of one organization, changed by who manages its users.

const { removeHumanPhone, updateHumanPhone } = ManagementService.method;
const phone = "+41446681801";
const changed: UserEvent = { type: "user.human.phone.changed", payload: { phone } };
const verified: UserEvent = { type: "user.human.phone.verified", payload: {} };

const given = ({ server }: World, ...events: readonly UserEvent[]) =>
  givenHuman(server, server.admin.organization, {}, events);

const lookup = {
  ...{ noun: user, field: "user_id", removal: change("user.removed") },
  notFound: { code: 5, reason: "USER_NOT_FOUND" },
  given: ({ server }: World, { organization }: { readonly organization: string }) =>
    givenHuman(server, organization, {}, [changed]),
} as const;

runCases("UpdateHumanPhone", [
  ...lookupRows({
    ...{ ...lookup, method: updateHumanPhone },
    request: (userId) => ({ userId, phone }),
  }),
  row("sends a code to the number", updateHumanPhone, async (world) => {
    const userId = await given(world);
    return {
      request: { userId, phone: "+41 44 668 18 01" },
      expected: {
        ok({ details }, events) {
          expect(events.map(fact)).toMatchObject([
            { type: "user.human.phone.changed", payload: { phone } },
            { type: "user.human.phone.code.added", payload: { send: true } },
          ]);
          expect(details?.sequence).toBe(events[1]?.position);
        },
      },
    };
  }),
  row("takes the word of the caller that it is verified", updateHumanPhone, async (world) => ({
    request: { userId: await given(world), phone, isPhoneVerified: true },
    expected: {
      ok: (_answer, events) =>
        expect(events.map(({ type }) => type)).toEqual([
          "user.human.phone.changed",
          "user.human.phone.verified",
        ]),
    },
  })),
  row("refuses the number that it is, verified", updateHumanPhone, async (world) => ({
    request: { userId: await given(world, changed, verified), phone },
    expected: { code: 9, reason: "NOTHING_CHANGED" },
  })),
  row("refuses what is no number", updateHumanPhone, async (world) => ({
    request: { userId: await given(world), phone: "0446681801" },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: ["phone"] },
  })),
  row("refuses a machine", updateHumanPhone, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId, phone }, expected: { code: 9, reason: "USER_NOT_HUMAN" } };
  }),
  row("refuses who holds less than the person", updateHumanPhone, async (world) => {
    const userId = await given(world, changed);
    const token = await outrank(world.server, userId);
    return { request: { userId, phone }, token, expected: escalation };
  }),
]);

runCases("RemoveHumanPhone", [
  ...lookupRows({
    ...{ ...lookup, method: removeHumanPhone },
    request: (userId) => ({ userId }),
  }),
  row("removes the number", removeHumanPhone, async (world) => ({
    request: { userId: await given(world, changed) },
    expected: {
      ok({ details }, events) {
        expect(events.map(({ type }) => type)).toEqual(["user.human.phone.removed"]);
        expect(details?.sequence).toBe(events[0]?.position);
      },
    },
  })),
  row("refuses a person without one", removeHumanPhone, async (world) => ({
    request: { userId: await given(world) },
    expected: { code: 9, reason: "PHONE_MISSING" },
  })),
  row("refuses who holds less than the person", removeHumanPhone, async (world) => {
    const userId = await given(world, changed);
    const token = await outrank(world.server, userId);
    return { request: { userId }, token, expected: escalation };
  }),
]);
