import { getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { access } from "../../gen/iam/v1/access_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { createExecute } from "../../src/execute/execute.ts";
import { startTwin } from "../cases/twin.ts";
import { few } from "../harness/in-full.ts";
import { givenUser } from "../harness/server.ts";
import type { RequestIds } from "./given.ts";
import { bearer, createHttp } from "./http.ts";
import { rowOf } from "./operation.ts";
import { operations } from "./operations.ts";
import { type AccessWorld, type GivenUser, startWorld } from "./world.ts";

// Callers who were seen before are let in without a look at their row. What another process takes
// from them is gone for the next call of every method all the same.

const methods = [AdminService, EventService, ManagementService, UserService]
  .flatMap((service) => service.methods)
  .filter(({ methodKind }) => methodKind === "unary");

let world: AccessWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world.close());

const scope = { level: "instance" } as const;
const unauthenticated = "16 UNAUTHENTICATED";

few().each<[string, (caller: GivenUser) => UserEvent, string]>([
  [
    "token",
    ({ tokenId }) => ({ type: "user.token.removed", payload: { tokenId } }),
    unauthenticated,
  ],
  ["activity", () => ({ type: "user.deactivated", payload: {} }), unauthenticated],
  ["role", () => ({ type: "user.membership.removed", payload: { scope } }), "7 PERMISSION_DENIED"],
])("no method is for those who lost their %s in another process", async (lost, loss, refusal) => {
  // What asks for no role is not refused for want of one.
  const refusing = methods.filter(
    (method) =>
      // What takes the organization out of use would end all callers.
      !["DeactivateOrg", "RemoveOrg"].includes(method.name) &&
      (lost !== "role" || getOption(method, access).permission !== "authenticated"),
  );
  const seen = await Promise.all(
    refusing.map(async (method) => {
      const caller = await world.givenCaller("IAM_OWNER", "instance");
      expect(await call(method, caller, "{}")).not.toBe(unauthenticated);
      return [method, caller] as const;
    }),
  );
  for (const [, caller] of seen) await takeAway(caller, loss(caller));
  const head = await world.server.head();
  for (const [method, caller] of seen) {
    const valid = JSON.stringify(operations[rowOf(method)]!.request(idsFor(caller)));
    const answers = [await call(method, caller, valid), await call(method, caller, "{}")];
    expect([method.name, answers]).toEqual([method.name, [refusal, refusal]]);
  }
  expect(await world.server.events(head)).toEqual([]);
});

async function call(
  { parent, name }: (typeof methods)[number],
  { token }: GivenUser,
  body: string,
): Promise<string> {
  const path = `/${parent.typeName}/${name}`;
  return (await world.http.send({ path, headers: bearer(token), body })).outcome;
}

/** As another process does it: what this one remembers is not told of it. */
async function takeAway({ userId }: GivenUser, event: UserEvent): Promise<void> {
  const elsewhere = createExecute(world.server.store, Date.now);
  const outcome = await elsewhere({
    actor: "test",
    writes: { user: { noun: user, id: userId } },
    decide: () => ({ events: { user: [event] } }),
  });
  expect(outcome.kind).toBe("done");
}

function idsFor({ userId, tokenId }: GivenUser): RequestIds {
  const { organizations, projects, idps, apps, actions, groups } = world;
  return {
    ...{ organization: organizations.own, project: projects["own-1"], app: apps["own-1"] },
    ...{ idp: idps.own, action: actions.own, group: groups.own, user: userId, token: tokenId },
  } as RequestIds;
}

test("nor is what else is wrong told to who lost a role on the project alone", async () => {
  const scopes = (["own-1", "own-2"] as const).map((place) => world.scopeOf(place));
  const memberships = scopes.map((one) => ({ scope: one, roles: ["PROJECT_OWNER"] as const }));
  const caller = await givenUser(world.server, world.organizations.own, memberships);
  const method = methods.find(({ name }) => name === "AddSAMLApp")!;
  const body = JSON.stringify({ projectId: world.projects["own-1"], name: v7(), metadataXml: "" });
  expect(await call(method, caller, body)).toBe("3 METADATA_INVALID");
  await takeAway(caller, { type: "user.membership.removed", payload: { scope: scopes[0]! } });
  expect(await call(method, caller, body)).toBe("7 PERMISSION_DENIED");
});

test("a password is not hashed for them", async () => {
  let hashed = 0;
  const { passwords } = world.server;
  const hashPassword: typeof passwords.hashPassword = (...given) => {
    hashed += 1;
    return passwords.hashPassword(...given);
  };
  const twin = await startTwin(world.server, { passwords: { ...passwords, hashPassword } });
  const http = createHttp(twin.port);
  const caller = await world.givenCaller("IAM_OWNER", "instance");
  const importing = async () => {
    const request = operations.ImportHumanUser!.request(idsFor(caller));
    const body = JSON.stringify({ ...request, userName: v7(), password: "Correct-horse-1" });
    const path = `/${ManagementService.typeName}/ImportHumanUser`;
    return (await http.send({ path, headers: bearer(caller.token), body })).outcome;
  };
  expect([await importing(), hashed]).toEqual(["OK", 1]);
  const { tokenId } = caller;
  await takeAway(caller, { type: "user.token.removed", payload: { tokenId } });
  expect([await importing(), hashed]).toEqual([unauthenticated, 1]);
  http.close();
  await twin.close();
});
