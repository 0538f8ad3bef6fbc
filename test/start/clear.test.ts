import { setTimeout as pause } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { project } from "../../src/domain/project.ts";
import { dependantLimits } from "../../src/execute/dependants.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { clearLimits, createClearing, startClearing } from "../../src/start/clear.ts";
import { createTurns } from "../../src/start/periodic.ts";
import { StoreUnavailable } from "../../src/store/store.ts";
import { givenAppOf, recorded } from "../cases/given.ts";
import { givenGrant, givenProjectGrant, givenRole } from "../cases/grants.ts";
import { clear, givenKey, givenWholeOrg, on, ownerIn, recordedOrg } from "../cases/orgs.ts";
import { change, givenHuman, happen } from "../cases/users.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { describeFew } from "../harness/in-full.ts";
import {
  givenOrganization,
  givenProject,
  givenUser,
  startServer,
  type TestServer,
} from "../harness/server.ts";

// What is past one append ends in pieces, and does not count before.

const { addMachineUser, addOrg, eraseUser, listProjects, removeOrg } = ManagementService.method;
const { atOnce } = dependantLimits;

let server: TestServer;
let client: TestClient;
let organization: string;

beforeEach(async () => {
  server = await startServer();
  client = createClients(server.url).find(({ name }) => name === "connect-proto")!;
  organization = await givenOrganization(server, "Acme");
});
afterEach(async () => {
  client.close();
  await server.close();
});

/** `OK` or the reason of a refusal. */
async function call(
  method: Parameters<TestClient["call"]>[0],
  request: { readonly [name: string]: unknown },
  { token = server.admin.token, chosen = "" } = {},
): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, ...(chosen === "" ? {} : on(chosen)) };
  const answer = await client.call(method, create(method.input, request), headers);
  return answer.ok ? "OK" : answer.reason;
}

const remove = () => call(removeOrg, {}, { chosen: organization });

/** So many people, the last of whom was added last. */
const givenPeople = (count: number) =>
  Promise.all(
    Array.from({ length: count }, (_, i) =>
      givenHuman(server, organization, { userName: `${organization} ${i}` }),
    ),
  );

/** The streams of the organization that are there still. */
async function leftOf(id: string): Promise<readonly string[]> {
  const events = await server.store.readAll(0n, 100_000);
  const streams = [...new Set(events.filter(({ owner }) => owner === id).map((e) => e.stream))];
  const objects = await server.store.load(streams);
  return objects.filter(({ state }) => state !== undefined).map(({ stream }) => stream);
}

describeFew().each([
  [atOnce + 1, 1],
  [atOnce, 0],
  [atOnce - 1, 0],
])("of %s users", (count, left) => {
  test(`${left} are left to be removed later`, async () => {
    await givenPeople(count);
    expect(await remove()).toBe("OK");
    expect(await leftOf(organization)).toHaveLength(left);
    await clear(server);
    expect(await leftOf(organization)).toEqual([]);
  });
});

describe("what is left of a removed organization", () => {
  /** One user more than are removed at once; the last one is left. */
  async function givenRest() {
    await givenPeople(atOnce);
    const { userId, token } = await givenUser(server, organization);
    expect(await remove()).toBe("OK");
    expect(await leftOf(organization)).toEqual([`user-${userId}`]);
    return { userId, token };
  }

  test("does not count, holds its names for a while, and can be erased", async () => {
    const { userId, token } = await givenRest();
    expect(await call(listProjects, {}, { token })).toBe("UNAUTHENTICATED");
    expect(await call(addOrg, { name: "Acme" })).toBe("OK");
    const named = { userName: userId, name: "x" };
    expect(await call(addMachineUser, named)).toBe("NAME_TAKEN");
    expect(await call(eraseUser, { userId, reason: "" }, { chosen: organization })).toBe("OK");
    expect(await call(addMachineUser, named)).toBe("OK");
  });

  test("is found by the next process, and ends one who is cut off", async () => {
    const whole = await givenWholeOrg(server, v7());
    const people = await Promise.all(Array.from({ length: 3 }, () => givenHuman(server, whole.id)));
    for (const id of people) await givenKey(server, whole.id, id);
    // A removal with nothing taken along is all that a process did before it was killed.
    await ended(whole.id);
    const sizes = [(await leftOf(whole.id)).length];
    while (sizes.at(-1) !== 0) {
      // Each piece is that of a process that has seen nothing, and is killed behind it.
      const execute = createExecute(server.store, Date.now);
      await clear({ store: server.store, execute }, { atOnce: 2, pieces: 1 });
      sizes.push((await leftOf(whole.id)).length);
    }
    expect(sizes.every((size, i) => i === 0 || size < sizes[i - 1]!)).toBe(true);
    const [member] = await server.store.load([`user-${whole.member}`]);
    expect(JSON.parse(member?.state ?? "").memberships).toEqual([]);
    const types = (await server.store.readAll(0n, 100_000)).filter(
      ({ actor }) => actor === "removal",
    );
    expect(types).toHaveLength(22);
  });

  test("ends for each of several organizations, so many pieces in a turn", async () => {
    const others = [organization, await givenOrganization(server), await givenOrganization(server)];
    for (const id of others) {
      await givenHuman(server, id);
      await givenHuman(server, id);
      await ended(id);
    }
    const left = async () => (await Promise.all(others.map(leftOf))).map(({ length }) => length);
    await clear(server, { atOnce: 1, pieces: 3 });
    expect(await left()).toEqual([0, 1, 2]);
    await clear(server, { atOnce: 1, pieces: 3 });
    expect(await left()).toEqual([0, 0, 0]);
  });

  test("ends by one node at a time, and a minute after one was killed", async () => {
    let nowMs = Date.now();
    const { everyMs } = clearLimits;
    const turns = { ...server, now: () => nowMs, name: "clear", everyMs, isUrgent: true };
    const node = () =>
      createTurns(turns, createClearing({ ...server, limits: { atOnce: 1, pieces: 1 } }));
    const [one, other] = [node(), node()];
    const left = async () => (await leftOf(organization)).length;
    await givenPeople(3);
    await ended(organization);
    await Promise.all([one(), other()]);
    expect(await left()).toBe(2);
    await other();
    expect(await left()).toBe(1);
    const expiresMs = nowMs + everyMs;
    await server.store.artifacts.write([{ kind: "count", key: "clear:turn", expiresMs }], nowMs);
    nowMs += everyMs - 1;
    await other();
    expect(await left()).toBe(1);
    nowMs += 1;
    await other();
    expect(await left()).toBe(0);
  });

  test("ends at the start of a process, and no piece more is begun at its end", async () => {
    await givenPeople(2);
    await ended(organization);
    const log = { warn: () => {} };
    const parts = { ...server, now: Date.now, log, limits: { atOnce: 1 } };
    await startClearing(parts)();
    expect((await leftOf(organization)).length).toBeGreaterThan(0);
    const stop = startClearing(parts);
    const isLeft = async () => (await leftOf(organization)).length > 0;
    for (let tries = 0; tries < 1_000 && (await isLeft()); tries += 1) await pause(5);
    await stop();
    expect(await isLeft()).toBe(false);
  });

  test("ends from the start of a process on, though it fails at first", async () => {
    await givenPeople(1);
    await ended(organization);
    const lines: string[] = [];
    let fails = 1;
    const stop = startClearing({
      ...{ execute: server.execute, now: Date.now, everyMs: 10 },
      store: {
        ...server.store,
        search: (query) => {
          fails -= 1;
          return fails >= 0
            ? Promise.reject(new StoreUnavailable("busy"))
            : server.store.search(query);
        },
      },
      log: { warn: (_members: object, text: string) => void lines.push(text) } as never,
    });
    while ((await leftOf(organization)).length > 0) await pause(5);
    await stop();
    expect(lines).toEqual(["periodic work failed"]);
  });
});

test("a user with so many keys goes with the last of them", async () => {
  const id = await givenHuman(server, organization);
  const keys = await Promise.all(
    ["a", "b", "c"].map((key) => givenKey(server, organization, id, key)),
  );
  await ended(organization);
  await clear(server, { atOnce: keys.length, pieces: 1 });
  expect(await leftOf(organization)).toEqual([`user-${id}`]);
  await clear(server, { atOnce: keys.length, pieces: 1 });
  expect(await leftOf(organization)).toEqual([]);
});

test("roles in a removed organization end though their holder is inactive", async () => {
  const { userId } = await givenUser(server, server.admin.organization, [ownerIn(organization)]);
  await happen(server, [change("user.deactivated")], { id: userId });
  await ended(organization);
  await clear(server);
  const [found] = await server.store.load([`user-${userId}`]);
  expect(JSON.parse(found?.state ?? "")).toMatchObject({ isInactive: true, memberships: [] });
});

test("roles on a project end that an earlier version left, before its applications", async () => {
  const id = await givenProject(server, organization);
  const app = `app-${await givenAppOf(server, organization, { projectId: id })}`;
  const scope = { level: "project", organization, project: id } as const;
  const home = server.admin.organization;
  const members = [
    await givenUser(server, home, [{ scope, roles: ["PROJECT_OWNER"] }]),
    await givenUser(server, organization, [{ scope, roles: ["PROJECT_OWNER"] }]),
  ];
  const removed = { type: "project.removed", payload: {} } as const;
  await recorded(server, project, organization, [removed], id);
  const chosen = organization;
  const erased = () =>
    Promise.all([
      call(eraseUser, { userId: members[0]!.userId }),
      call(eraseUser, { userId: members[1]!.userId }, { chosen }),
    ]);
  expect(await erased()).toEqual(["USER_HOLDS_ROLES", "USER_HOLDS_ROLES"]);
  await clear(server, { atOnce: 1, pieces: members.length });
  expect(await leftOf(organization)).toContain(app);
  expect(await erased()).toEqual(["OK", "OK"]);
  await clear(server);
  expect(await leftOf(organization)).toEqual([`org-${organization}`]);
});

test.each(["vendor", "customer"] as const)(
  "what a customer was granted ends with the %s, no matter who is cut off",
  async (gone) => {
    const owner = await givenOrganization(server);
    const projectId = await givenProject(server, owner);
    const roleIds = [await givenRole(server, owner, projectId)];
    const lent = { projectId, grantedOrgId: organization, roleIds };
    const projectGrantId = await givenProjectGrant(server, owner, lent);
    const own = { userId: v7(), projectId, roleIds };
    const grants = [await givenGrant(server, owner, own)];
    for (const userId of [v7(), v7(), v7()]) {
      grants.push(await givenGrant(server, organization, { ...own, userId, projectGrantId }));
    }
    await ended(gone === "vendor" ? owner : organization);
    const theirs = grants.slice(gone === "vendor" ? 0 : 1);
    const ending = [`projectGrant-${projectGrantId}`, ...theirs.map((id) => `grant-${id}`)];
    const left = async () => {
      const objects = await server.store.load(ending);
      return objects.filter(({ state }) => state !== undefined).length;
    };
    for (let before = await left(); before > 0; ) {
      const execute = createExecute(server.store, Date.now);
      for (let piece = 0; piece < 3; piece += 1) {
        await clear({ store: server.store, execute }, { atOnce: 2, pieces: 1 });
      }
      const after = await left();
      expect(after).toBeLessThan(before);
      before = after;
    }
    expect(await leftOf(organization)).toHaveLength(gone === "vendor" ? 1 : 0);
  },
);

/** Records that the organization is removed, and nothing of what belongs to it. */
async function ended(id: string): Promise<void> {
  await recordedOrg(server, id, { type: "org.removed", payload: {} });
}
