import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { AccessTokenType } from "../../gen/iam/user/v1/user_pb.js";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { detailsOf, fact } from "./stored.ts";

const { addMachineUser } = ManagementService.method;

interface Given {
  readonly userName?: string;
  readonly name?: string;
  readonly description?: string;
  readonly accessTokenType?: AccessTokenType;
  readonly userId?: string;
}

runCases("AddMachineUser", [
  stored("creates a user with the defaults", {}, { accessTokenType: "BEARER" }),
  stored("stores opaque tokens", { accessTokenType: AccessTokenType.BEARER }, {}),
  stored("stores JWT tokens", { accessTokenType: AccessTokenType.JWT }, { accessTokenType: "JWT" }),
  stored("takes a name of 200 emoji", { name: "😀".repeat(200) }, {}),
  stored("takes a description of 500 emoji", { description: "😀".repeat(500) }, {}),
  row("takes a login name of 200 characters", addMachineUser, ({ unique }) => ({
    request: { userName: unique.padEnd(200, "n"), name: "a" },
    expected: {
      ok: (_message, [event]) =>
        expect(fact(event!).payload).toMatchObject({ userName: unique.padEnd(200, "n") }),
    },
  })),

  refused("an id", { userId: "mine" }, "user_id"),
  ...(["userName", "name"] as const).flatMap((field) => {
    const named = field === "name" ? "name" : "user_name";
    return [refused(`a ${field} of white space`, { [field]: "\t " }, named)];
  }),
  refused("everything wrong at once", { userName: "", name: "", userId: "mine" }, [
    "user_name",
    "name",
    "user_id",
  ]),

  row(
    "refuses a login name of another organization, in any case",
    addMachineUser,
    async (world) => {
      const organization = await givenOrganization(world.server);
      const { userId } = await givenUser(world.server, organization);
      return {
        request: { userName: userId.toUpperCase(), name: "a" },
        expected: { code: 6, reason: "NAME_TAKEN" },
      };
    },
  ),
  row("creates a user of the organization that the header names", addMachineUser, async (world) => {
    const organization = await givenOrganization(world.server);
    return {
      request: { userName: world.unique, name: "a" },
      headers: { "x-service-orgid": organization },
      expected: {
        ok({ details }, [event]) {
          expect(event!.owner).toBe(organization);
          expect(details?.resourceOwner).toBe(organization);
        },
      },
    };
  }),
  row("is open to who manages users", addMachineUser, async ({ server, unique }) => {
    const { organization } = server.admin;
    const scope = { level: "organization", organization } as const;
    const manager = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
    return {
      request: { userName: unique, name: "a" },
      token: manager.token,
      expected: { ok: (_message, [event]) => expect(event!.actor).toBe(manager.userId) },
    };
  }),
]);

function stored(title: string, given: Given, changed: { readonly accessTokenType?: string }) {
  return row(title, addMachineUser, ({ server: { admin }, unique }: World) => {
    const names = { userName: unique, name: "Reporter", description: "" };
    return {
      request: { ...names, ...given },
      expected: {
        ok({ userId, details }, events) {
          const payload = { ...names, ...given, accessTokenType: "BEARER", ...changed };
          const event = { stream: `user-${userId}`, version: 1, type: "user.machine.added" };
          const envelope = { owner: admin.organization, actor: admin.userId };
          expect(events.map(fact)).toEqual([{ ...event, ...envelope, payload }]);
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    };
  });
}

function refused(what: string, given: Given, fields: string | readonly string[]) {
  return row(`refuses ${what}`, addMachineUser, ({ unique }) => ({
    request: { userName: unique, name: "Reporter", ...given },
    expected: { code: 3, reason: "INVALID_FIELDS", fields: [fields].flat() },
  }));
}
