import type {
  DescMessage,
  DescMethodUnary,
  MessageInitShape,
  MessageShape,
} from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { callingOf } from "../cases/phones.ts";
import { register } from "../cases/webauthn.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { inFull } from "../harness/in-full.ts";
import { givenOrganization, givenUser, startServer, type TestServer } from "../harness/server.ts";

// What a lesser user has made for another one does not rise with it.

const management = ManagementService.method;
const { addIAMMember, listOrgs } = AdminService.method;
const { beginPasskey, finishPasskey } = AccountService.method;

let server: TestServer;
let client: TestClient;
let organization: string;
let owner: string;
/** A user manager, who plants. */
let manager: { readonly userId: string; readonly token: string };

beforeAll(async () => {
  server = await startServer();
  client = createClients(server.url)[0]!;
  organization = server.admin.organization;
  const scope = { level: "organization", organization } as const;
  manager = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
  owner = (await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }])).token;
});

afterAll(async () => {
  client.close();
  await server.close();
});

/** What comes back, or the reason of the refusal. */
async function call<I extends DescMessage, O extends DescMessage>(
  token: string,
  method: DescMethodUnary<I, O>,
  init: MessageInitShape<I>,
): Promise<{ readonly message: MessageShape<O> | undefined; readonly outcome: string }> {
  const answer = await callingOf(server, client).call(method, init, token);
  return answer.ok
    ? { message: answer.message as MessageShape<O>, outcome: "OK" }
    : { message: undefined, outcome: answer.reason };
}

async function givenMachine(by = manager.token): Promise<string> {
  const request = { userName: v7(), name: "robot" };
  const { message } = await call(by, management.addMachineUser, request);
  return message!.userId;
}

async function givenToken(userId: string, by = manager.token) {
  return (await call(by, management.addPersonalAccessToken, { userId })).message!;
}

async function givenHuman(more: object = {}, by = manager.token) {
  const { message } = await call(by, management.importHumanUser, {
    userName: v7(),
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com", isEmailVerified: true },
    ...more,
  });
  const { userId, passwordlessRegistration } = message!;
  const { searchParams } = new URL(passwordlessRegistration?.link ?? server.url);
  const code = searchParams.get("code") ?? "";
  return { userId, link: { userId, codeId: searchParams.get("codeID") ?? "", code } };
}

/** Gives the user a role in the organization; answers what that voided, or the refusal. */
async function raise(userId: string, by = server.admin.token, role = "ORG_OWNER") {
  const { message, outcome } = await call(by, management.addOrgMember, { userId, roles: [role] });
  return message?.voided ?? outcome;
}

/** The same of a person whom it would lock out, who is handed a link instead. */
async function raiseByLink(userId: string) {
  expect(await raise(userId)).toBe("MEMBER_LOCKED_OUT");
  const request = { userId, roles: ["ORG_OWNER"], returnInitializationLink: true };
  const { message } = await call(server.admin.token, management.addOrgMember, request);
  expect(message?.initializationLink).toContain(`/ui/initialize?userID=${userId}&`);
  return message?.voided;
}

/** Whether a token that holds nothing but what its user holds may make an action. */
async function strike(token: string): Promise<string> {
  return (await call(token, management.createAction, { name: v7(), script: "1" })).outcome;
}

async function typesOf(userId: string): Promise<readonly string[]> {
  const events = await server.store.readStream(`user-${userId}`, 0, 100);
  return events.map(({ type }) => type);
}

describe("a token that a lesser user has made", () => {
  test("is void when its holder is raised: the attack", async () => {
    const userId = await givenMachine();
    const planted = await givenToken(userId);
    expect(await strike(planted.token)).toBe("PERMISSION_DENIED");
    expect(await raise(userId, owner)).toEqual([`token:${planted.tokenId}`]);
    expect(await strike(planted.token)).toBe("UNAUTHENTICATED");
    // One who holds as much makes another, and that one rises.
    const { token } = await givenToken(userId, owner);
    expect(await strike(token)).toBe("OK");
  });

  test("is void as a client secret is, and its holder has one no more", async () => {
    const userId = await givenMachine();
    await call(manager.token, management.generateMachineSecret, { userId });
    expect(await raise(userId, owner)).toEqual(["client-secret"]);
    const removed = await call(owner, management.removeMachineSecret, { userId });
    expect(removed.outcome).toBe("SECRET_MISSING");
  });

  test("of an organization does not come to own the instance", async () => {
    const userId = await givenMachine(owner);
    const planted = await givenToken(userId, owner);
    const request = { userId, roles: ["IAM_OWNER"] };
    const { message } = await call(server.admin.token, addIAMMember, request);
    expect(message?.voided).toEqual([`token:${planted.tokenId}`]);
    expect((await call(planted.token, listOrgs, {})).outcome).toBe("UNAUTHENTICATED");
  });

  test("of another organization does not come to own this one", async () => {
    const elsewhere = await givenOrganization(server);
    const scope = { level: "organization", organization: elsewhere } as const;
    const theirs = await givenUser(server, elsewhere, [{ scope, roles: ["ORG_OWNER"] }]);
    const userId = await givenMachine(theirs.token);
    const planted = await givenToken(userId, theirs.token);
    expect(await raise(userId)).toEqual([`token:${planted.tokenId}`]);
    expect(await strike(planted.token)).toBe("UNAUTHENTICATED");
  });

  inFull("is void where its holder made it with such a one: the attack in two steps", async () => {
    const scope = { level: "organization", organization } as const;
    const holder = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
    const planted = await givenToken(holder.userId);
    const second = await givenToken(holder.userId, planted.token);
    const third = await givenMachine(planted.token);
    const onThird = await givenToken(third, second.token);

    const request = { userId: holder.userId, roles: ["IAM_OWNER"] };
    const { message } = await call(server.admin.token, addIAMMember, request);
    expect(message?.voided).toEqual([`token:${planted.tokenId}`, `token:${second.tokenId}`]);
    // The holder has become an owner, and what was made in its name is still from the lesser user.
    expect(await raise(third)).toEqual([`token:${onThird.tokenId}`]);
    expect((await call(holder.token, listOrgs, {})).outcome).toBe("OK");
  });

  test("stays where its maker holds what the holder gains", async () => {
    const userId = await givenMachine();
    const { token } = await givenToken(userId);
    expect(await raise(userId, owner, "ORG_USER_MANAGER")).toEqual([]);
    expect(await strike(token)).toBe("PERMISSION_DENIED");
  });

  test("stays where the holder has made it itself", async () => {
    const { userId, token } = await givenUser(server, organization);
    expect(await raise(userId)).toEqual([]);
    expect(await strike(token)).toBe("OK");
  });

  test.each([["inactive"], ["removed"]])(
    "is void where its maker, who held more, is %s",
    async (end) => {
      const scope = { level: "organization", organization } as const;
      const maker = await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
      const userId = await givenMachine(maker.token);
      const planted = await givenToken(userId, maker.token);
      const { deactivateUser, removeUser } = management;
      const id = { id: maker.userId };
      await (end === "removed" ? call(owner, removeUser, id) : call(owner, deactivateUser, id));
      expect(await raise(userId)).toEqual([`token:${planted.tokenId}`]);
      expect(await strike(planted.token)).toBe("UNAUTHENTICATED");
    },
  );

  test("is void where its maker has lost the role by then, no matter who is quicker", async () => {
    const scope = { level: "organization", organization } as const;
    const maker = await givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
    const userId = await givenMachine(maker.token);
    const planted = await givenToken(userId, maker.token);
    const [raised] = await Promise.all([
      raise(userId),
      call(owner, management.removeOrgMember, { userId: maker.userId }),
    ]);
    const log = await server.events(0n);
    const position = (type: string, stream: string) =>
      log.findLast((event) => event.type === type && event.stream === `user-${stream}`)?.position;
    const lost = position("user.membership.removed", maker.userId)!;
    const isLater = position("user.membership.granted", userId)! > lost;
    expect(raised).toEqual(isLater ? [`token:${planted.tokenId}`] : []);
  });
});

describe("what a lesser user has made for a person", () => {
  const mailed = [
    "user.credentials.voided",
    "user.human.initialization.code.added",
    "user.membership.granted",
  ];

  test("a password is void, and a mail goes out behind which another is chosen", async () => {
    const email = { email: "ada@example.com", isEmailVerified: false };
    const { userId } = await givenHuman({ email, password: "correct horse battery" });
    const request = { userId, email: "ada@example.org" };
    await call(owner, management.resendHumanInitialization, request);
    expect(await raise(userId)).toEqual(["password"]);
    expect((await typesOf(userId)).slice(4)).toEqual(mailed);
  });

  test("a link to a passkey is void, and opens nothing", async () => {
    const { userId, link } = await givenHuman({ requestPasswordlessRegistration: true });
    expect(await raiseByLink(userId)).toEqual([
      ...["email", "initialization-code", `passkey-link:${link.codeId}`],
    ]);
    expect((await call("", beginPasskey, link)).outcome).toBe("CODE_INVALID");
  });

  inFull("a passkey is void whose link the maker was handed", async () => {
    const { userId, link } = await givenHuman({ requestPasswordlessRegistration: true });
    const { message } = await call("", beginPasskey, link);
    const { credential } = register(message!.options!);
    expect((await call("", finishPasskey, { ...link, credential })).outcome).toBe("OK");
    expect(await raiseByLink(userId)).toEqual([
      ...["email", "initialization-code", expect.stringMatching(/^passkey:/)],
    ]);
  });

  test("a code is void that goes to an address which the maker chose", async () => {
    const email = (address: string) => ({ email: { email: address, isEmailVerified: false } });
    const resend = (userId: string, address: string, by: string) =>
      call(by, management.resendHumanInitialization, { userId, email: address });
    const imported = await givenHuman(email("eve@example.com"));
    const changed = await givenHuman(email("ada@example.com"), owner);
    await resend(changed.userId, "eve@example.com", manager.token);
    for (const { userId } of [imported, changed]) {
      // Who holds as much sends the code again, and does not see where to.
      expect((await resend(userId, "", owner)).outcome).toBe("OK");
      expect(await raise(userId)).toBe("MEMBER_LOCKED_OUT");
      expect((await resend(userId, "ada@example.com", owner)).outcome).toBe("OK");
      expect(await raise(userId)).toEqual([]);
    }
  });

  test("a code is void that goes where a token chose which the maker has planted", async () => {
    const scope = { level: "organization", organization } as const;
    const holder = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
    const planted = await givenToken(holder.userId);
    const email = { email: "ada@example.com", isEmailVerified: false };
    const { userId } = await givenHuman({ email }, owner);
    const request = { userId, email: "eve@example.com" };
    await call(planted.token, management.resendHumanInitialization, request);
    await call(server.admin.token, addIAMMember, { userId: holder.userId, roles: ["IAM_OWNER"] });
    await call(owner, management.resendHumanInitialization, { userId });
    expect(await raise(userId)).toBe("MEMBER_LOCKED_OUT");
  });

  test("nobody is raised who could not get in any more", async () => {
    const email = { email: "eve@example.com", isEmailVerified: false };
    const { userId } = await givenHuman({ email, password: "correct horse battery" });
    const before = await typesOf(userId);
    expect(await raise(userId)).toBe("MEMBER_LOCKED_OUT");
    expect(await typesOf(userId)).toEqual(before);
  });
});
