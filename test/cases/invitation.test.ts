import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { imported, password } from "./accounts.ts";
import { told } from "./humans.ts";
import { detailsOf } from "./stored.ts";

/** Mails and links for people who have yet to get in. */

const { addPasswordlessRegistration, resendHumanInitialization } = ManagementService.method;

const machine = { code: 9, reason: "USER_NOT_HUMAN" };
const [initialization] = told.initialization;

runCases("ResendHumanInitialization", [
  row("makes another mail", resendHumanInitialization, async (world) => {
    const { userId } = await imported(world);
    return {
      request: { userId },
      expected: {
        ok({ details }, events) {
          expect(events.map(({ type }) => type)).toEqual([initialization]);
          const { creationDate: _first, ...last } = detailsOf(events);
          expect(details).toMatchObject(last);
        },
      },
    };
  }),
  row("sends it to another address", resendHumanInitialization, async (world) => {
    const { userId } = await imported(world);
    return {
      request: { userId, email: "lovelace@example.com" },
      expected: {
        ok: (_, events) =>
          expect(events.map(({ type, payload }) => [type, JSON.parse(payload).email])).toEqual([
            ["user.human.email.changed", "lovelace@example.com"],
            [initialization, undefined],
          ]),
      },
    };
  }),
  row("refuses what is no address", resendHumanInitialization, async (world) => {
    const { userId } = await imported(world);
    const expected = { code: 3, reason: "INVALID_FIELDS", fields: ["email"] };
    return { request: { userId, email: "lovelace" }, expected };
  }),
  row("refuses a person who has the account", resendHumanInitialization, async (world) => {
    const email = { email: "ada@example.com", isEmailVerified: true };
    const { userId } = await imported(world, { email, password });
    return { request: { userId }, expected: { code: 9, reason: "USER_INITIALIZED" } };
  }),
  row("refuses a machine", resendHumanInitialization, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: machine };
  }),
]);

runCases("AddPasswordlessRegistration", [
  row("makes a link", addPasswordlessRegistration, async (world) => {
    const { userId } = await imported(world);
    return {
      request: { userId },
      expected: {
        ok({ link, expiration, details }, events) {
          expect(expiration).toMatchObject(durationFromMs(3_600_000));
          const { origin, pathname, searchParams } = new URL(link);
          expect(origin + pathname).toBe("https://iam.example.com/ui/passwordless/init");
          expect(searchParams.get("userID")).toBe(userId);
          expect(searchParams.get("orgID")).toBe(world.server.admin.organization);
          expect(events.map(({ type, payload }) => [type, JSON.parse(payload)])).toEqual([
            [
              "user.human.passwordless.initialization.code.added",
              {
                codeId: searchParams.get("codeID"),
                codeHash: hashSecret(searchParams.get("code") ?? ""),
                expirationMs: events[0]!.timeMs + 3_600_000,
              },
            ],
          ]);
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    };
  }),
  row("refuses a machine", addPasswordlessRegistration, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: machine };
  }),
]);
