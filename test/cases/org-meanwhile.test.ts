import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import type { Membership } from "../../src/domain/permission.ts";
import { activeOwners } from "../../src/domain/user/state/user.ts";
import { beforeAppend } from "../execute/place.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { givenOrganization, givenUser, startServer, type TestServer } from "../harness/server.ts";
import { ownerIn, recordedOrg } from "./orgs.ts";
import { startTwin, type Twin } from "./twin.ts";
import { change, givenHuman, givenOwner, happen } from "./users.ts";

// One process writes what another makes impossible at the same moment: it is decided anew.

const { addOrg, addProject, deactivateOrg, deactivateUser } = ManagementService.method;
const { removeOrg, updateOrg } = ManagementService.method;
const { setPhone } = UserService.method;

let server: TestServer;
let twin: Twin;
let clients: readonly TestClient[];
let elsewhere: TestClient;
/** What happens once, before the twin writes. */
let overtake: (() => Promise<unknown>) | undefined;
let organization: string;

beforeAll(async () => {
  server = await startServer();
  twin = await startTwin(server, {
    around: (store) =>
      beforeAppend(store, async () => {
        const act = overtake;
        overtake = undefined;
        await act?.();
      }),
  });
  clients = createClients(twin.url);
  elsewhere = clients.find(({ name }) => name === "connect-proto")!;
});

afterAll(async () => {
  for (const one of clients) one.close();
  await twin.close();
  await server.close();
});

beforeEach(async () => {
  organization = await givenOrganization(server);
});

const deactivated = (id = organization) =>
  recordedOrg(server, id, { type: "org.deactivated", payload: {} });

/** `OK` or the reason of the refusal that the twin answers. */
async function call(
  method: DescMethodUnary,
  request: { readonly [name: string]: unknown },
  token = server.admin.token,
  on = organization,
): Promise<string> {
  const message = create(method.input, request) as Message;
  const headers = { authorization: `Bearer ${token}`, "x-service-orgid": on };
  const answer = await elsewhere.call(method, message, headers);
  return answer.ok ? "OK" : answer.reason;
}

test("nothing new is written into an organization that is deactivated meanwhile", async () => {
  const owner = await givenOwner(server);
  expect(await call(addProject, { name: "before" }, owner.token)).toBe("OK");
  overtake = () => deactivated();
  expect(await call(addProject, { name: "after" }, owner.token)).toBe("ORGANIZATION_INACTIVE");
  expect(await call(addProject, { name: "later" }, owner.token)).toBe("ORGANIZATION_INACTIVE");
});

test("nor by a user of it", async () => {
  const scope = { level: "instance" } as const;
  const { token } = await givenUser(server, organization, [{ scope, roles: ["IAM_OWNER"] }]);
  expect(await call(addOrg, { name: `1 ${organization}` }, token)).toBe("OK");
  overtake = () => deactivated();
  expect(await call(addOrg, { name: `2 ${organization}` }, token)).toBe("UNAUTHENTICATED");
});

test("nor where the user that a call is about says the organization", async () => {
  const userId = await givenHuman(server, organization);
  const request = { userId, phone: "+41791234567" };
  overtake = () => deactivated();
  expect(await call(setPhone, request)).toBe("ORGANIZATION_INACTIVE");
  expect(await call(setPhone, { ...request, userId: "unknown" })).toBe("USER_NOT_FOUND");
});

const removed = (id = organization) =>
  recordedOrg(server, id, { type: "org.removed", payload: {} });

test.each([
  [addProject, { name: "late" }],
  [updateOrg, { name: "late" }],
  [deactivateOrg, {}],
] as const)("nothing is done in one that is removed meanwhile", async (method, request) => {
  const owner = await givenOwner(server);
  expect(await call(addProject, { name: "before" }, owner.token)).toBe("OK");
  overtake = () => removed();
  expect(await call(method, request, owner.token)).toBe("PERMISSION_DENIED");
  expect(await call(method, request, owner.token)).toBe("PERMISSION_DENIED");
});

test("one that is removed meanwhile is not removed again", async () => {
  const owner = await givenOwner(server);
  overtake = () => removed();
  expect(await call(removeOrg, {}, owner.token)).toBe("PERMISSION_DENIED");
  expect(await call(removeOrg, {}, owner.token)).toBe("NOTHING_CHANGED");
});

test("nor does a user do anything whose organization is removed meanwhile", async () => {
  const { token } = await givenUser(server, organization, [ownerIn(organization)]);
  expect(await call(addProject, { name: "before" }, token)).toBe("OK");
  overtake = () => removed();
  expect(await call(addProject, { name: "after" }, token)).toBe("UNAUTHENTICATED");
});

test("nobody in one that was removed is changed by those who hold a role there", async () => {
  const { token } = await givenUser(server, server.admin.organization, [ownerIn(organization)]);
  const userId = await givenHuman(server, organization);
  const request = { userId, phone: "+41791234567" };
  expect(await call(setPhone, request, token)).toBe("OK");
  await removed();
  expect(await call(setPhone, request, token)).toBe("USER_NOT_FOUND");
});

describe("of two owners in two organizations", () => {
  let home: string;
  let one: Awaited<ReturnType<typeof givenOwner>>;
  let other: typeof one;

  beforeEach(async () => {
    home = await givenOrganization(server);
    one = await givenOwner(server, organization);
    other = await givenOwner(server, home);
    const { streams } = await server.store.holders(activeOwners, 100);
    const ids = streams.map((stream) => stream.slice("user-".length));
    for (const id of ids.filter((held) => held !== one.userId && held !== other.userId)) {
      await happen(server, [change("user.deactivated")], { id });
    }
  });

  test("one organization can be deactivated, and the other owner is the last", async () => {
    expect(await call(deactivateOrg, {}, other.token)).toBe("OK");
    const request = { id: other.userId };
    expect(await call(deactivateUser, request, other.token, home)).toBe("LAST_OWNER");
    expect(await call(deactivateOrg, {}, other.token, home)).toBe("LAST_OWNER");
  });

  test("the organization of neither is removed once it has the last", async () => {
    const another = await givenOrganization(server);
    const { token } = await givenUser(server, another, [ownerIn(another)]);
    expect(await call(removeOrg, {}, other.token)).toBe("OK");
    expect(await call(removeOrg, {}, other.token, home)).toBe("LAST_OWNER");
    expect(await call(deactivateUser, { id: other.userId }, other.token, home)).toBe("LAST_OWNER");
    expect(await call(removeOrg, {}, token, another)).toBe("OK");
  });

  test("the one is not deactivated whose other goes with the organization meanwhile", async () => {
    overtake = () => deactivated();
    const request = { id: other.userId };
    expect(await call(deactivateUser, request, other.token, home)).toBe("LAST_OWNER");
  });

  test("an organization is not deactivated whose other owner goes meanwhile", async () => {
    overtake = () => happen(server, [change("user.deactivated")], { id: other.userId });
    expect(await call(deactivateOrg, {}, one.token)).toBe("LAST_OWNER");
  });

  test.each<readonly [string, (elsewhere: string) => Membership]>([
    ["instance", () => ({ scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] })],
    [
      "organization",
      (elsewhere) => ({
        scope: { level: "organization", organization: elsewhere },
        roles: ["ORG_OWNER"],
      }),
    ],
    [
      "project",
      (elsewhere) => ({
        scope: { level: "project", organization: elsewhere, project: "unknown" },
        roles: ["PROJECT_OWNER"],
      }),
    ],
  ])("nor one where a user gets a role of another %s meanwhile", async (_, membershipIn) => {
    const place = await givenOrganization(server);
    const scope = { level: "organization", organization: place } as const;
    const { token } = await givenUser(server, place, [{ scope, roles: ["ORG_OWNER"] }]);
    const { userId: id } = await givenUser(server, place);
    const payload = membershipIn(home);
    overtake = () => happen(server, [{ type: "user.membership.granted", payload }], { id });
    expect(await call(deactivateOrg, {}, token, place)).toBe("ESCALATION_DENIED");
    await happen(server, [{ type: "user.removed", payload: {} }], { id });
    expect(await call(deactivateOrg, {}, token, place)).toBe("OK");
  });
});
