import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import type { MailedLink } from "../../src/domain/user/state/passkey-link.ts";
import { hashSecret } from "../../src/secrets/tokens.ts";
import { row, runCases } from "../harness/cases.ts";
import { givenUser } from "../harness/server.ts";
import { imported, password } from "./accounts.ts";
import { someClients } from "./given.ts";
import { told } from "./humans.ts";
import { detailsOf } from "./stored.ts";
import { change, escalation, givenHuman, outrank } from "./users.ts";

/** Mails and links for people who have yet to get in. */

const { addPasswordlessRegistration, resendHumanInitialization, sendPasswordlessRegistration } =
  ManagementService.method;

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

const send = sendPasswordlessRegistration;
const impossible = { code: 9, reason: "RESET_IMPOSSIBLE" };
const verified: UserEvent = { type: "user.human.email.verified", payload: {} };
const initializing: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed" },
};

runCases("SendPasswordlessRegistration", [
  row("makes a mail with a link, which it does not answer", send, async ({ server }) => {
    const userId = await givenHuman(server, server.admin.organization, {}, [verified]);
    return {
      request: { userId },
      expected: {
        ok(answer, events) {
          expect(events.map(({ type }) => type)).toEqual(["user.human.passwordless.link.added"]);
          const { codeHash, code: sealed } = JSON.parse(events[0]!.payload) as MailedLink;
          const place = { stream: `user-${userId}`, field: "passwordless.code" };
          const code = server.keyring.open(sealed, place);
          expect(hashSecret(code)).toBe(codeHash);
          // Nobody guesses it.
          expect(Buffer.from(code, "base64url")).toHaveLength(32);
          expect(Object.keys(answer).filter((name) => !name.startsWith("$"))).toEqual(["details"]);
          expect(answer.details?.sequence).toBe(events[0]?.position);
        },
      },
    };
  }),
  ...(
    [
      ["a person whose address nobody has verified", []],
      ["a person who has yet to take the account over", [verified, initializing]],
      ["a person who is inactive", [verified, change("user.deactivated")]],
      ["a person who is locked", [verified, change("user.locked")]],
    ] as const
  ).map(([who, events]) =>
    row(
      `refuses ${who}`,
      send,
      async ({ server }) => ({
        request: { userId: await givenHuman(server, server.admin.organization, {}, events) },
        expected: impossible,
      }),
      someClients,
    ),
  ),
  row("refuses a machine", send, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    return { request: { userId }, expected: impossible };
  }),
  row("refuses who holds less than the person", send, async ({ server }) => {
    const userId = await givenHuman(server, server.admin.organization, {}, [verified]);
    const token = await outrank(server, userId);
    return { request: { userId }, token, expected: escalation };
  }),
]);
