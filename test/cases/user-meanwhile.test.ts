import { randomBytes } from "node:crypto";
import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createFetcher } from "../../src/fetch/fetcher.ts";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import { allowing } from "../fetch/listener.ts";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";
import { documentOf } from "./saml-apps.ts";
import { listenForSAML, type SAMLListener } from "./saml-listener.ts";
import { granted } from "./stored.ts";
import { startTwin, type Twin } from "./twin.ts";
import { denied, unauthenticated } from "./users.ts";

// Work that takes long ends for one who is gone by then: what let the caller in is judged anew.

const { addSAMLApp, deactivateUser, importHumanUser, reactivateUser, removeOrgMember, removeUser } =
  ManagementService.method;

let server: TestServer;
let slow: Twin;
let listener: SAMLListener;
let real: Passwords;
/** On the server, and on its twin, where the work is slow. */
let there: readonly TestClient[];
let here: readonly TestClient[];
/** Settles when the work has begun, which then waits for `go`. */
let started: PromiseWithResolvers<void>;
let go: PromiseWithResolvers<void>;

beforeAll(async () => {
  listener = await listenForSAML();
  server = await startServer();
  real = createPasswords({ random: randomBytes });
  slow = await startTwin(server, {
    passwords: {
      ...real,
      async hashPassword(...given) {
        started.resolve();
        await go.promise;
        return await real.hashPassword(...given);
      },
    },
    fetcher: createFetcher({
      allow: allowing("127.0.0.0/8"),
      ca: listener.certificate,
      resolve: async () => ["127.0.0.1"],
    }),
  });
  there = createClients(server.url);
  here = createClients(slow.url);
});

beforeEach(() => {
  started = Promise.withResolvers();
  go = Promise.withResolvers();
});

afterAll(async () => {
  for (const client of [...there, ...here]) client.close();
  await slow.close();
  await server.close();
  await real.close();
  await listener.close();
});

type Call = readonly [method: DescMethodUnary, message: Message];
type Manager = Awaited<ReturnType<typeof givenUser>>;

const works: readonly (readonly [string, () => Call])[] = [
  [
    "a password is hashed",
    () => [
      importHumanUser,
      create(importHumanUser.input, {
        userName: v7(),
        profile: { firstName: "Ada", lastName: "Lovelace" },
        email: { email: "ada@example.com" },
        password: "correct horse",
      }),
    ],
  ],
  [
    "a document is fetched",
    () => {
      const name = v7();
      const url = listener.serve(name, async (response) => {
        started.resolve();
        await go.promise;
        response.end(documentOf(name));
      });
      const metadata = { case: "metadataUrl", value: url } as const;
      return [addSAMLApp, create(addSAMLApp.input, { projectId: server.project, name, metadata })];
    },
  ],
];

const ends: readonly (readonly [string, (caller: Manager) => Call, object])[] = [
  [
    "is removed",
    ({ userId: id }) => [removeUser, create(removeUser.input, { id })],
    unauthenticated,
  ],
  [
    "is deactivated",
    ({ userId: id }) => [deactivateUser, create(deactivateUser.input, { id })],
    unauthenticated,
  ],
  [
    "loses the role",
    ({ userId }) => [removeOrgMember, create(removeOrgMember.input, { userId })],
    denied,
  ],
];

function send(client: TestClient, [method, message]: Call, token = server.admin.token) {
  return client.call(method, message, { authorization: `Bearer ${token}` });
}

async function manager(): Promise<Manager> {
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  return givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
}

/** The call of someone to whom something happens while the work is done, and what it wrote. */
async function callWhile(client: TestClient, work: Call, token: string, happens: () => unknown) {
  const answering = send(client, work, token);
  await started.promise;
  await happens();
  const before = await server.head();
  go.resolve();
  return { answer: await answering, events: await server.events(before) };
}

describe.each(works)("while %s, a caller", (_work, work) => {
  describe.each(shortened(clientNames))("over %s", (name) => {
    test.each(ends)("%s by another process", async (_end, end, refusal) => {
      const caller = await manager();
      const client = here.find((one) => one.name === name)!;
      const { answer, events } = await callWhile(client, work(), caller.token, async () =>
        granted(await send(there[0]!, end(caller))),
      );
      expect(answer).toMatchObject({ ok: false, ...refusal });
      expect(events).toEqual([]);
    });
  });

  test.each(ends)("%s by the same process", async (_end, end, refusal) => {
    const caller = await manager();
    const [client] = here as [TestClient];
    const { answer, events } = await callWhile(client, work(), caller.token, async () =>
      granted(await send(client, end(caller))),
    );
    expect(answer).toMatchObject({ ok: false, ...refusal });
    expect(events).toEqual([]);
  });

  test("is deactivated and reactivated, and goes on", async () => {
    const caller = await manager();
    const { userId: id } = caller;
    const { answer, events } = await callWhile(here[0]!, work(), caller.token, async () => {
      granted(await send(there[0]!, [deactivateUser, create(deactivateUser.input, { id })]));
      granted(await send(there[0]!, [reactivateUser, create(reactivateUser.input, { id })]));
    });
    expect(answer).toMatchObject({ ok: true });
    expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([id]));
  });
});
