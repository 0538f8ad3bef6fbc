import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { Role } from "../../src/domain/permission.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, type Expected, row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser, type TestServer } from "../harness/server.ts";

/** Whose tokens one may make and remove: the rules that both methods share. */

const { addPersonalAccessToken, removePersonalAccessToken } = ManagementService.method;

const notFound = {
  code: 5,
  reason: "USER_NOT_FOUND",
  message: "No user with this id exists in an organization where the caller may do this.",
};
const escalation = { code: 7, reason: "ESCALATION_DENIED" };
const denied = { code: 7, reason: "PERMISSION_DENIED" };
const accepted = {
  ok: (_message: unknown, events: readonly RecordedEvent[]) => expect(events).toHaveLength(1),
};

runCases("users of tokens", [
  ...either("refuses a user whose id looks odd", ({ unique }) => ({
    request: { userId: `a/b %2F ü ${unique}`, tokenId: "c/d %2F ü" },
    expected: notFound,
  })),
  ...either("refuses an own user when acting on another organization", async ({ server }) => ({
    request: await givenUser(server, server.admin.organization),
    headers: { "x-service-orgid": await givenOrganization(server) },
    expected: notFound,
  })),
  ...either("takes a user of the organization that the header names", async ({ server }) => {
    const organization = await givenOrganization(server);
    return {
      request: await givenUser(server, organization),
      headers: { "x-service-orgid": organization },
      expected: accepted,
    };
  }),

  ...pairs(accepted, [
    ["ORG_USER_MANAGER", []],
    ["ORG_USER_MANAGER", ["ORG_USER_MANAGER"]],
    ["ORG_OWNER", ["ORG_OWNER"]],
    ["ORG_OWNER", ["ORG_USER_MANAGER", "ORG_SETTINGS_MANAGER", "ORG_OWNER_VIEWER"]],
    ["IAM_OWNER", ["ORG_OWNER"]],
    ["IAM_OWNER", ["IAM_OWNER"]],
  ]),
  ...pairs(escalation, [
    ["ORG_USER_MANAGER", ["ORG_SETTINGS_MANAGER"]],
    ["ORG_USER_MANAGER", ["ORG_USER_MANAGER", "ORG_OWNER_VIEWER"]],
    ["ORG_USER_MANAGER", ["ORG_OWNER"]],
    ["ORG_OWNER", ["IAM_OWNER"]],
    ["ORG_OWNER", ["IAM_OWNER_VIEWER"]],
  ]),
  ...pairs(denied, [
    ["ORG_SETTINGS_MANAGER", []],
    ["ORG_OWNER_VIEWER", []],
    ["IAM_OWNER_VIEWER", []],
  ]),
  ...either(
    "refuses a user with a role in an organization where the caller has none",
    async (w) => {
      const { organization } = w.server.admin;
      const elsewhere = await givenOrganization(w.server);
      const scope = { level: "organization", organization: elsewhere } as const;
      return {
        request: await givenUser(w.server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]),
        token: (await givenHolder(w.server, ["ORG_OWNER"])).token,
        expected: escalation,
      };
    },
  ),
  ...either("is nobody's right on themselves", async ({ server }) => {
    const { token, ...request } = await givenUser(server, server.admin.organization);
    return { request, token, expected: denied };
  }),
  row("adds a token to the caller", addPersonalAccessToken, async ({ server }) => {
    const { userId, token } = await givenHolder(server, ["ORG_USER_MANAGER"]);
    return { request: { userId }, token, expected: accepted };
  }),
  row("removes the token of the call", removePersonalAccessToken, async ({ server, call }) => {
    const { userId, tokenId, token } = await givenHolder(server, ["ORG_USER_MANAGER"]);
    return {
      request: { userId, tokenId },
      token,
      expected: {
        async ok() {
          const again = await call(addPersonalAccessToken, { userId }, token);
          expect(again).toMatchObject({ ok: false, reason: "UNAUTHENTICATED" });
        },
      },
    };
  }),
]);

interface EitherMethod {
  readonly request: { readonly userId: string; readonly tokenId: string };
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly expected: Exclude<Expected, { ok: unknown }> | typeof accepted;
}

function either(
  name: string,
  given: (world: World) => EitherMethod | Promise<EitherMethod>,
): readonly Case[] {
  return [
    row(`adding ${name}`, addPersonalAccessToken, given),
    row(`removing ${name}`, removePersonalAccessToken, given),
  ];
}

type Pair = readonly [caller: Role, users: readonly Role[]];

/** What one who holds a role may do to a user of the same organization who holds others. */
function pairs(expected: EitherMethod["expected"], rows: readonly Pair[]): readonly Case[] {
  return rows.flatMap(([caller, users]) =>
    either(`by ${caller} for ${users.join(" and ") || "a user without roles"}`, async (world) => ({
      request: await givenHolder(world.server, users),
      token: (await givenHolder(world.server, [caller])).token,
      expected,
    })),
  );
}

function givenHolder(server: TestServer, roles: readonly Role[]) {
  const { organization } = server.admin;
  const memberships = roles.map((role) => ({
    scope: role.startsWith("IAM_")
      ? ({ level: "instance" } as const)
      : ({ level: "organization", organization } as const),
    roles: [role],
  }));
  return givenUser(server, organization, memberships);
}
