import { expect } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { ListEventsResponse } from "../../gen/iam/admin/v1/event_search_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { reasons } from "../../src/reason.ts";
import { row, runCases, type World } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { givenJWTProvider } from "./idps.ts";
import { givenWholeOrg, on, ownerIn, ownerOf, recordedOrg } from "./orgs.ts";
import { fact, granted } from "./stored.ts";
import {
  change,
  denied,
  escalation,
  givenHuman,
  happen,
  notFound,
  unauthenticated,
} from "./users.ts";

const { addMachineUser, addOrg, addProject, getMyOrg, listProjects } = ManagementService.method;
const { eraseUser, getPersonalData, listOrgIDPs, removeOrg } = ManagementService.method;
const { getIDPByID, listEvents, listOrgs } = AdminService.method;

const removed = { type: "org.removed", payload: {} } as const;

/** An organization that was removed, whose person was removed with it. */
async function aRemoved({
  server,
}: World): Promise<{ readonly id: string; readonly person: string }> {
  const id = await givenOrganization(server);
  const person = await givenHuman(server, id);
  await happen(server, [change("user.removed")], { id: person });
  await recordedOrg(server, id, removed);
  return { id, person };
}

runCases("RemoveOrg", [
  row("removes all that belongs to it, each by an event of its own", removeOrg, async (world) => {
    const { server, unique } = world;
    const whole = await givenWholeOrg(server, unique);
    return {
      request: {},
      headers: on(whole.id),
      expected: {
        ok({ details }, events) {
          expect(details?.resourceOwner).toBe(whole.id);
          expect(details?.sequence).toBe(events[0]?.position);
          expect(events.map(({ type, stream }) => [type, stream])).toEqual([
            ["org.removed", `org-${whole.id}`],
            ["idp.removed", `idp-${whole.idp}`],
            ["flow.cleared", `flow-${whole.id}-2`],
            ["action.removed", `action-${whole.action}`],
            ["user.grant.removed", `grant-${whole.grant}`],
            ["policy.label.removed", `labelPolicy-${whole.id}`],
            ["policy.login.removed", `loginPolicy-${whole.id}`],
            ["policy.privacy.removed", `privacyPolicy-${whole.id}`],
            ["user.memberships.removed", `user-${whole.member}`],
            ["project.application.removed", `app-${whole.app}`],
            ["group.grant.removed", `grant-${whole.groupGrant}`],
            ["project.role.removed", `role-${whole.role}`],
            ["project.removed", `project-${whole.project}`],
            ["group.removed", `group-${whole.group}`],
            ["user.metadata.erased", expect.stringMatching(/^metadata-/)],
            ["user.removed", `user-${whole.person}`],
            ["user.removed", expect.stringMatching(/^user-/)],
          ]);
          expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([server.admin.userId]));
        },
      },
    };
  }),
  row("makes it unknown, and ends the tokens of its users", removeOrg, async (world) => {
    const { server, call } = world;
    const id = await givenOrganization(server);
    const token = await ownerOf(server, id);
    granted(await call(listProjects, {}, token));
    return {
      request: {},
      headers: on(id),
      expected: {
        async ok() {
          expect(await call(listProjects, {}, token)).toMatchObject(unauthenticated);
          expect(await call(addProject, { name: "x" }, token)).toMatchObject(unauthenticated);
          const query = { case: "idQuery", value: { id } } as const;
          const listed = await call(listOrgs, { queries: [{ query }] });
          expect(listed).toMatchObject({ message: { result: [] } });
        },
      },
    };
  }),
  row("frees its name and those of its users", removeOrg, async (world) => {
    const { server, unique, call } = world;
    const { id } = await givenWholeOrg(server, unique);
    const taking = [
      await call(addOrg, { name: unique }),
      await call(addMachineUser, { userName: `person ${unique}`, name: "x" }),
    ];
    expect(taking).toMatchObject([{ reason: "NAME_TAKEN" }, { reason: "NAME_TAKEN" }]);
    return {
      request: {},
      headers: on(id),
      expected: {
        async ok() {
          granted(await call(addOrg, { name: unique }));
          granted(await call(addMachineUser, { userName: `person ${unique}`, name: "x" }));
        },
      },
    };
  }),
  row("leaves its events in the log", removeOrg, async ({ server, unique, call }) => {
    const id = await givenOrganization(server, unique);
    return {
      request: {},
      headers: on(id),
      expected: {
        async ok() {
          const answer = await call(listEvents, { resourceOwner: id, asc: true });
          const { events } = granted<ListEventsResponse>(answer);
          expect(events.map(({ type }) => type?.type)).toEqual(["org.added", "org.removed"]);
        },
      },
    };
  }),
  row("removes one that is inactive", removeOrg, async ({ server }) => {
    const id = await givenOrganization(server);
    await recordedOrg(server, id, { type: "org.deactivated", payload: {} });
    return {
      request: {},
      headers: on(id),
      expected: { ok: (_answer, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("is for its owners, who go with it", removeOrg, async ({ server, call }) => {
    const id = await givenOrganization(server);
    const token = await ownerOf(server, id);
    return {
      ...{ request: {}, token },
      expected: {
        async ok(_answer, events) {
          expect(events.map(({ type }) => type)).toEqual(["org.removed", "user.removed"]);
          expect(await call(getMyOrg, {}, token)).toMatchObject(unauthenticated);
        },
      },
    };
  }),
  row("ends the roles of its users elsewhere", removeOrg, async ({ server }) => {
    const [id, other] = [await givenOrganization(server), await givenOrganization(server)];
    const { userId } = await givenUser(server, id, [ownerIn(other)]);
    return {
      request: {},
      headers: on(id),
      expected: {
        async ok() {
          const members = await server.store.holders({ kind: "user.member", scope: other }, 1);
          expect(members).toEqual({ total: 0, streams: [] });
          expect((await server.store.load([`user-${userId}`]))[0]?.state).toBeUndefined();
        },
      },
    };
  }),
  row("ends the roles of others in it, and none besides", removeOrg, async ({ server }) => {
    const [id, other] = [await givenOrganization(server), await givenOrganization(server)];
    const { userId } = await givenUser(server, other, [ownerIn(id), ownerIn(other)]);
    return {
      request: {},
      headers: on(id),
      expected: {
        async ok(_answer, events) {
          const payload = { organization: id };
          const its = { stream: `user-${userId}`, type: "user.memberships.removed", owner: other };
          expect(events.map(fact)).toMatchObject([{ type: "org.removed" }, { ...its, payload }]);
          const [found] = await server.store.load([`user-${userId}`]);
          expect(JSON.parse(found?.state ?? "").memberships).toMatchObject([ownerIn(other)]);
        },
      },
    };
  }),
  row("takes the providers along that it has for all from before", removeOrg, async (world) => {
    const { server, call } = world;
    const id = await givenOrganization(server);
    const idpId = await givenJWTProvider(server, id);
    return {
      request: {},
      headers: on(id),
      expected: {
        async ok(_answer, events) {
          expect(events.map(({ type }) => type)).toEqual(["org.removed", "idp.removed"]);
          expect(await call(getIDPByID, { id: idpId })).toMatchObject({ reason: "IDP_NOT_FOUND" });
        },
      },
    };
  }),
  row("refuses the organization of the instance", removeOrg, () => ({
    request: {},
    expected: {
      ...{ code: 9, reason: "INSTANCE_ORGANIZATION", message: reasons.INSTANCE_ORGANIZATION[1] },
    },
  })),
  row("refuses owners of it where a user holds more", removeOrg, async ({ server }) => {
    const id = await givenOrganization(server);
    const token = await ownerOf(server, id);
    const scope = { level: "instance" } as const;
    await givenUser(server, id, [{ scope, roles: ["IAM_OWNER_VIEWER"] }]);
    return { request: {}, token, expected: escalation };
  }),
  row("is for owners from elsewhere, whose roles there end", removeOrg, async ({ server }) => {
    const id = await givenOrganization(server);
    const { token } = await givenUser(server, server.admin.organization, [ownerIn(id)]);
    return {
      ...{ request: {}, token, headers: on(id) },
      expected: { ok: (_answer, events) => expect(events).toHaveLength(2) },
    };
  }),
  row("refuses one that was removed", removeOrg, async (world) => ({
    request: {},
    headers: on((await aRemoved(world)).id),
    expected: { code: 9, reason: "NOTHING_CHANGED", message: reasons.NOTHING_CHANGED[1] },
  })),
  row("tells that nobody whose role was there", removeOrg, async (world) => {
    const { id } = await aRemoved(world);
    const { organization } = world.server.admin;
    const { token } = await givenUser(world.server, organization, [ownerIn(id)]);
    return { ...{ request: {}, token, headers: on(id) }, expected: denied };
  }),
]);

runCases("a removed organization", [
  row("takes nothing new", addProject, async (world) => ({
    request: { name: world.unique },
    headers: on((await aRemoved(world)).id),
    expected: denied,
  })),
  row("is not read", getMyOrg, async (world) => ({
    request: {},
    headers: on((await aRemoved(world)).id),
    expected: denied,
  })),
  row("lets its people be erased by the owner of the instance", eraseUser, async (world) => {
    const { id, person: userId } = await aRemoved(world);
    return {
      request: { userId, reason: "asked" },
      headers: on(id),
      expected: {
        ok: (_answer, events) =>
          expect(events.map(({ type, owner }) => [type, owner])).toEqual([["user.erased", id]]),
      },
    };
  }),
  row("keeps its people from all whose role was there", eraseUser, async (world) => {
    const { id, person: userId } = await aRemoved(world);
    const { organization } = world.server.admin;
    const { token } = await givenUser(world.server, organization, [ownerIn(id)]);
    return { request: { userId }, token, headers: on(id), expected: denied };
  }),
  row("lets no user of another organization be erased", eraseUser, async (world) => {
    const { server } = world;
    const userId = await givenHuman(server, server.admin.organization);
    return { request: { userId }, headers: on((await aRemoved(world)).id), expected: notFound };
  }),
  row("lets what is kept of its people be read", getPersonalData, async (world) => {
    const { id, person: userId } = await aRemoved(world);
    return {
      request: { userId },
      headers: on(id),
      expected: { ok: ({ json }) => expect(json).toContain("user.removed") },
    };
  }),
  row("keeps that from all whose role was there", getPersonalData, async (world) => {
    const { id, person: userId } = await aRemoved(world);
    const { organization } = world.server.admin;
    const { token } = await givenUser(world.server, organization, [ownerIn(id)]);
    return { request: { userId }, token, headers: on(id), expected: denied };
  }),
  row("shows no provider for all any more", listOrgIDPs, async (world) => {
    const { server } = world;
    const id = await givenOrganization(server);
    const idpId = await givenJWTProvider(server, id);
    await recordedOrg(server, id, removed);
    return {
      request: { queries: [{ query: { case: "idpIdQuery" as const, value: { id: idpId } } }] },
      expected: { ok: ({ result }) => expect(result).toEqual([]) },
    };
  }),
]);
