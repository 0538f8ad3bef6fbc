import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { activeOwners } from "../../src/domain/user/state/user.ts";
import type { Append } from "../../src/store/store.ts";
import { beforeAppend } from "../execute/place.ts";
import { type Answer, createClients, type TestClient } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { startTwin, type Twin } from "./twin.ts";
import { change, givenOwner, happen, lastOwner } from "./users.ts";

// However many remove owners at once, and in however many processes: one that is active is left.

const { deactivateUser, lockUser, removeUser, reactivateUser, addOrgMember } =
  ManagementService.method;
const { addIAMMember, removeIAMMember, updateIAMMember } = AdminService.method;

let server: TestServer;
let twin: Twin;
let clients: readonly TestClient[];
let here: TestClient;
let elsewhere: TestClient;
/** What happens once, before the twin writes. */
let overtake: ((append: Append) => Promise<unknown>) | undefined;

type Owner = Awaited<ReturnType<typeof givenOwner>>;
type Fields = { readonly [name: string]: unknown };
type Ending = readonly [name: string, method: DescMethodUnary, request: (id: string) => Fields];

const endings: readonly Ending[] = [
  ["DeactivateUser", deactivateUser, (id) => ({ id })],
  ["RemoveUser", removeUser, (id) => ({ id })],
  ["RemoveIAMMember", removeIAMMember, (userId) => ({ userId })],
  ["LockUser", lockUser, (id) => ({ id })],
  ["UpdateIAMMember", updateIAMMember, (userId) => ({ userId, roles: ["IAM_OWNER_VIEWER"] })],
];
const [deactivation, removal, resignation] = endings as [Ending, Ending, Ending];

beforeAll(async () => {
  server = await startServer();
  twin = await startTwin(server, {
    around: (store) =>
      beforeAppend(store, async (append) => {
        const act = overtake;
        overtake = undefined;
        await act?.(append);
      }),
  });
  const created = [server, twin].map(({ url }) => createClients(url));
  clients = created.flat();
  const named = created.map((each) => each.find(({ name }) => name === "connect-proto")!);
  [here, elsewhere] = named as [TestClient, TestClient];
});

afterAll(async () => {
  for (const one of clients) one.close();
  await twin.close();
  await server.close();
});

let two: readonly [Owner, Owner];

/** The only two owners that are active. */
beforeEach(async () => {
  overtake = undefined;
  two = [await givenOwner(server), await givenOwner(server)];
  const { streams } = await server.store.holders(activeOwners, 100);
  const ids = two.map(({ userId }) => `user-${userId}`);
  for (const stream of streams.filter((one) => !ids.includes(one))) {
    await happen(server, [change("user.deactivated")], { id: stream.slice("user-".length) });
  }
});

async function ownersLeft(): Promise<number> {
  return (await server.store.holders(activeOwners, 100)).total;
}

function end(client: TestClient, [, method, request]: Ending, who: Owner, by = who) {
  const message = create(method.input, request(who.userId)) as Message;
  return client.call(method, message, { authorization: `Bearer ${by.token}` });
}

/** `OK` or the reason of the refusal. */
function cameTo(answer: Answer): string {
  return answer.ok ? "OK" : answer.reason;
}

describe.each(endings)("%s", (...ending) => {
  test("of one of two owners passes, of the other it does not", async () => {
    const [one, other] = two;
    expect(cameTo(await end(here, ending, one, other))).toBe("OK");
    const head = await server.head();
    expect(await end(here, ending, other)).toMatchObject({ ok: false, ...lastOwner });
    // Another process knows as well, and the owner can go on.
    expect(await end(elsewhere, ending, other)).toMatchObject({ ok: false, ...lastOwner });
    expect(await server.events(head)).toEqual([]);
    expect(await ownersLeft()).toBe(1);
  });

  test.each(endings)("at the same moment as another process's %s", async (...otherEnding) => {
    const [one, other] = two;
    const answers = await Promise.all([end(here, ending, one), end(elsewhere, otherEnding, other)]);
    expect(answers.map(cameTo).sort()).toEqual(["LAST_OWNER", "OK"]);
    expect(await ownersLeft()).toBe(1);
  });

  test("that another process overtakes is decided anew, on how many are left", async () => {
    const [one, other] = two;
    let first: Answer | undefined;
    overtake = async () => {
      first = await end(here, ending, other);
    };
    const second = await end(elsewhere, ending, one);
    expect([first && cameTo(first), cameTo(second)]).toEqual(["OK", "LAST_OWNER"]);
    expect(await ownersLeft()).toBe(1);
  });

  test("passes where meanwhile one owner comes and another goes", async () => {
    const [one, other] = two;
    expect(cameTo(await end(here, removal, other))).toBe("OK");
    const { userId } = await givenOwner(server);
    // The number is what it was, and one of them stays.
    overtake = async () => {
      await givenOwner(server);
      await happen(server, [change("user.removed")], { id: userId });
    };
    expect(cameTo(await end(elsewhere, ending, one))).toBe("OK");
    expect(await ownersLeft()).toBe(1);
  });

  test("of everybody at once leaves one, no matter who calls", async () => {
    const more = await Promise.all([1, 2, 3, 4].map(() => givenOwner(server)));
    const answers = await Promise.all(
      [...two, ...more].map((owner, index) => end(index % 2 ? here : elsewhere, ending, owner)),
    );
    const outcomes = answers.map(cameTo);
    expect(outcomes.filter((outcome) => outcome === "LAST_OWNER")).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === "OK")).toHaveLength(5);
    expect(await ownersLeft()).toBe(1);
  });
});

describe("an owner counts", () => {
  const call = (method: DescMethodUnary, request: Fields, { token }: Owner) =>
    here.call(method, create(method.input, request) as Message, {
      authorization: `Bearer ${token}`,
    });

  test("again from reactivation on", async () => {
    const [one, other] = two;
    expect(cameTo(await end(here, deactivation, other, one))).toBe("OK");
    expect(cameTo(await end(here, resignation, one))).toBe("LAST_OWNER");
    expect(cameTo(await call(reactivateUser, { id: other.userId }, one))).toBe("OK");
    expect(cameTo(await end(here, resignation, one))).toBe("OK");
    expect(await ownersLeft()).toBe(1);
  });

  test("from the grant on, whatever else the user is", async () => {
    const [one, other] = two;
    expect(cameTo(await end(here, resignation, other))).toBe("OK");
    const { userId } = other;
    const more = { userId, roles: ["ORG_OWNER"] };
    expect(cameTo(await call(addOrgMember, more, one))).toBe("OK");
    expect(cameTo(await end(here, resignation, one))).toBe("LAST_OWNER");
    const roles = ["IAM_OWNER_VIEWER"];
    expect(cameTo(await call(addIAMMember, { userId, roles }, one))).toBe("OK");
    expect(cameTo(await end(here, resignation, one))).toBe("LAST_OWNER");
    expect(cameTo(await end(here, resignation, other, one))).toBe("OK");
    const owns = ["IAM_OWNER_VIEWER", "IAM_OWNER"];
    expect(cameTo(await call(addIAMMember, { userId, roles: owns }, one))).toBe("OK");
    expect(cameTo(await end(here, resignation, one))).toBe("OK");
    expect(cameTo(await end(here, removal, other))).toBe("LAST_OWNER");
  });

  test("not while inactive, though the role is held and can be taken", async () => {
    const [one, other] = two;
    expect(cameTo(await end(here, deactivation, other, one))).toBe("OK");
    expect(cameTo(await end(here, removal, one))).toBe("LAST_OWNER");
    expect(cameTo(await end(here, resignation, other, one))).toBe("OK");
    expect(cameTo(await end(here, removal, other, one))).toBe("OK");
    expect(await ownersLeft()).toBe(1);
  });
});
