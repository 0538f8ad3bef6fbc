import type { DescMethodUnary } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { OrgState } from "../../gen/iam/org/v1/org_pb.js";
import { takingLimits } from "../../src/domain/org.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { reasons } from "../../src/reason.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { oneClient } from "./given.ts";
import { on, ownerIn, ownerOf, recordedOrg } from "./orgs.ts";
import { fact, granted } from "./stored.ts";

const { addOrg, addProject, deactivateOrg, getMyOrg, reactivateOrg, updateOrg } =
  ManagementService.method;
const { listProjects, eraseUser, removeUser } = ManagementService.method;
const { listOrgs } = AdminService.method;

const inactive = {
  ...{ code: 9, reason: "ORGANIZATION_INACTIVE", message: reasons.ORGANIZATION_INACTIVE[1] },
};
const unchanged = { code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] };
const unauthenticated = { ok: false, code: 16, reason: "UNAUTHENTICATED" };
const denied = { code: 7, reason: "PERMISSION_DENIED" };
const deactivated = { type: "org.deactivated", payload: {} } as const;

async function anInactive({ server }: World, name?: string): Promise<string> {
  const organization = await givenOrganization(server, name);
  await recordedOrg(server, organization, deactivated);
  return organization;
}

/** A row in which a method that needs no fields leaves one event on the organization. */
function leaves(title: string, method: DescMethodUnary, type: string, isInactive: boolean) {
  return row(title, method, async (world) => {
    const { server } = world;
    const owner = isInactive ? await anInactive(world) : await givenOrganization(server);
    const stream = `org-${owner}`;
    const version = isInactive ? 3 : 2;
    return {
      request: {},
      headers: on(owner),
      expected: {
        ok(message, events) {
          const actor = server.admin.userId;
          expect(events.map(fact)).toEqual([{ stream, version, type, owner, actor, payload: {} }]);
          const [{ position: sequence }] = events as [RecordedEvent];
          expect(message).toMatchObject({ details: { sequence, resourceOwner: owner } });
        },
      },
    };
  });
}

runCases("GetMyOrg", [
  row("reads the organization of the caller", getMyOrg, ({ server: { admin } }) => ({
    request: {},
    expected: {
      ok({ org }) {
        const expected = { id: admin.organization, name: "Default", state: OrgState.ACTIVE };
        expect(org).toMatchObject(expected);
        expect(org?.details?.resourceOwner).toBe(admin.organization);
      },
    },
  })),
  row("reads one that is inactive", getMyOrg, async (world) => {
    const id = await anInactive(world, world.unique);
    return {
      request: {},
      headers: on(id),
      expected: {
        ok: ({ org }) =>
          expect(org).toMatchObject({ id, name: world.unique, state: OrgState.INACTIVE }),
      },
    };
  }),
]);

runCases("UpdateOrg", [
  row("renames the organization, whose name is free again", updateOrg, async (world) => {
    const { server, unique, call } = world;
    const owner = await givenOrganization(server, `old ${unique}`);
    return {
      request: { name: `Nеw ${unique}` },
      headers: on(owner),
      expected: {
        async ok({ details }, events) {
          const event = { stream: `org-${owner}`, version: 2, type: "org.changed", owner };
          const payload = { name: `Nеw ${unique}`, nameClaim: `new ${unique}` };
          expect(events.map(fact)).toMatchObject([{ ...event, payload: { name: payload.name } }]);
          expect(details).toMatchObject({ resourceOwner: owner });
          granted(await call(addOrg, { name: `old ${unique}` }));
          const taken = await call(addOrg, { name: `new ${unique}` });
          expect(taken).toMatchObject({ code: 6, reason: "NAME_TAKEN" });
        },
      },
    };
  }),
  row("takes the same name in other letters", updateOrg, async ({ server, unique }) => ({
    request: { name: `ORG ${unique}` },
    headers: on(await givenOrganization(server, `org ${unique}`)),
    expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
  })),
  row("refuses the name that it has", updateOrg, async ({ server, unique }) => ({
    request: { name: unique },
    headers: on(await givenOrganization(server, unique)),
    expected: unchanged,
  })),
  row("refuses the name of another organization", updateOrg, async ({ server, unique }) => {
    await givenOrganization(server, unique);
    return {
      request: { name: unique.toUpperCase() },
      headers: on(await givenOrganization(server)),
      expected: { code: 6, reason: "NAME_TAKEN" },
    };
  }),
  ...["", "  ", "a\0b", "n".repeat(201)].map((name) =>
    row(`refuses the name ${JSON.stringify(name.slice(0, 5))}`, updateOrg, () => ({
      request: { name },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["name"] },
    })),
  ),
  row("refuses an inactive organization", updateOrg, async (world) => ({
    request: { name: world.unique },
    headers: on(await anInactive(world)),
    expected: inactive,
  })),
]);

runCases("DeactivateOrg", [
  leaves("records that it is out of use", deactivateOrg, "org.deactivated", false),
  row("refuses an inactive organization", deactivateOrg, async (world) => ({
    request: {},
    headers: on(await anInactive(world)),
    expected: unchanged,
  })),
  row("refuses that with the last owner of the instance", deactivateOrg, () => ({
    request: {},
    expected: {
      code: 9,
      reason: "LAST_OWNER",
      message:
        "No other organization has an active owner of the instance with a token that does not " +
        "expire: add one first.",
    },
  })),
  row("refuses owners of it where a user holds more", deactivateOrg, async (world) => {
    const { server } = world;
    const organization = await givenOrganization(server);
    const token = await ownerOf(server, organization);
    const scope = { level: "instance" } as const;
    await givenUser(server, organization, [{ scope, roles: ["IAM_OWNER_VIEWER"] }]);
    return { request: {}, token, expected: { code: 7, reason: "ESCALATION_DENIED" } };
  }),
  row("is for callers who hold what its users hold elsewhere", deactivateOrg, async (world) => {
    const { server } = world;
    const [organization, other] = [
      await givenOrganization(server),
      await givenOrganization(server),
    ];
    await givenUser(server, organization, [ownerIn(other)]);
    const { token } = await givenUser(server, other, [ownerIn(other), ownerIn(organization)]);
    return {
      ...{ request: {}, token, headers: on(organization) },
      expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
    };
  }),
  ...[takingLimits.beyond, takingLimits.beyond + 1].map((count) =>
    row(
      `looks at ${takingLimits.beyond} users with roles elsewhere, of ${count}`,
      deactivateOrg,
      async ({ server }) => {
        const id = await givenOrganization(server);
        const { organization } = server.admin;
        const holders = Array.from({ length: count }, () =>
          givenUser(server, id, [ownerIn(organization)]),
        );
        await Promise.all(holders);
        const message =
          "The organization has 1000 users with roles elsewhere, and may have 999: remove some " +
          "of these roles first.";
        const isRefused = count > takingLimits.beyond;
        return {
          request: {},
          headers: on(id),
          expected: isRefused
            ? { code: 8, reason: "LIMIT_REACHED", message }
            : { ok: (_answer, events) => expect(events).toHaveLength(1) },
        };
      },
      oneClient,
    ),
  ),
  row("ends the tokens of its users, until it is active again", deactivateOrg, async (world) => {
    const { server, call } = world;
    const organization = await givenOrganization(server);
    const token = await ownerOf(world.server, organization);
    granted(await call(listProjects, {}, token));
    return {
      request: {},
      headers: on(organization),
      expected: {
        async ok() {
          expect(await call(listProjects, {}, token)).toMatchObject(unauthenticated);
          expect(await call(addProject, { name: "x" }, token)).toMatchObject(unauthenticated);
          await recordedOrg(server, organization, { type: "org.reactivated", payload: {} });
          granted(await call(addProject, { name: "x" }, token));
        },
      },
    };
  }),
  row("shows it as inactive", deactivateOrg, async ({ server, call }) => {
    const id = await givenOrganization(server);
    const asked = (state: OrgState) =>
      call(listOrgs, {
        queries: [
          { query: { case: "idQuery", value: { id } } },
          { query: { case: "stateQuery", value: { state } } },
        ],
      });
    return {
      request: {},
      headers: on(id),
      expected: {
        async ok() {
          const found = [await asked(OrgState.INACTIVE), await asked(OrgState.ACTIVE)];
          expect(found).toMatchObject([
            { message: { result: [{ id, state: OrgState.INACTIVE }] } },
            { message: { result: [] } },
          ]);
        },
      },
    };
  }),
]);

runCases("ReactivateOrg", [
  leaves("records that it is in use", reactivateOrg, "org.reactivated", true),
  row("refuses an active organization", reactivateOrg, () => ({
    request: {},
    expected: unchanged,
  })),
  row("is not for its own users", reactivateOrg, async (world) => {
    const organization = await givenOrganization(world.server);
    const token = await ownerOf(world.server, organization);
    await recordedOrg(world.server, organization, deactivated);
    return { request: {}, token, expected: { code: 16, reason: "UNAUTHENTICATED" } };
  }),
]);

runCases("an inactive organization", [
  row("takes nothing new", addProject, async (world) => ({
    request: { name: world.unique },
    headers: on(await anInactive(world)),
    expected: inactive,
  })),
  row("is not read", listProjects, async (world) => ({
    request: {},
    headers: on(await anInactive(world)),
    expected: inactive,
  })),
  row("is not told from an unknown one to strangers", listProjects, async (world) => ({
    request: {},
    token: await ownerOf(world.server, await givenOrganization(world.server)),
    headers: on(await anInactive(world)),
    expected: denied,
  })),
  row("keeps its users from changes", removeUser, async (world) => {
    const organization = await anInactive(world);
    const { userId: id } = await givenUser(world.server, organization, []);
    return { request: { id }, headers: on(organization), expected: inactive };
  }),
  row("lets people be erased", eraseUser, async (world) => {
    const organization = await anInactive(world);
    const { userId } = await givenUser(world.server, organization, []);
    return {
      request: { userId, reason: "asked" },
      headers: on(organization),
      expected: {
        ok: (_answer, events) =>
          expect(events.map(({ type }) => type)).toEqual(["user.removed", "user.erased"]),
      },
    };
  }),
]);
