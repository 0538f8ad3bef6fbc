import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { startTwin, type Twin } from "../cases/twin.ts";
import { type Answer, createClients, type TestClient } from "../harness/clients.ts";
import { describeFew } from "../harness/in-full.ts";
import { givenUser, startServer, type TestServer } from "../harness/server.ts";

/** What was taken away does nothing more, whatever was on its way already. */

const {
  addPersonalAccessToken,
  addProject,
  deactivateUser,
  removeOrgMember,
  removePersonalAccessToken,
  removeUser,
} = ManagementService.method;

let server: TestServer;
let twin: Twin;
let clients: readonly TestClient[];
let here: TestClient;
let elsewhere: TestClient;

beforeAll(async () => {
  server = await startServer();
  twin = await startTwin(server);
  const created = [server, twin].map(({ url }) => createClients(url));
  clients = created.flat();
  [here, elsewhere] = created.map((each) => each.find(({ name }) => name === "grpc-js")!) as [
    TestClient,
    TestClient,
  ];
});

afterAll(async () => {
  for (const one of clients) one.close();
  await twin.close();
  await server.close();
});

type Manager = Awaited<ReturnType<typeof givenUser>>;

async function manager(): Promise<Manager> {
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  return givenUser(server, organization, [{ scope, roles: ["ORG_OWNER"] }]);
}

type Sent = readonly [method: DescMethodUnary, message: Message];

function send(client: TestClient, [method, message]: Sent, token: string): Promise<Answer> {
  return client.call(method, message, { authorization: `Bearer ${token}` });
}

/** As people are told to: one who loses against calls of another process repeats the call. */
async function insist(client: TestClient, sent: Sent): Promise<Answer> {
  for (;;) {
    const answer = await send(client, sent, server.admin.token);
    if (answer.ok || answer.reason !== "CONFLICT") return answer;
  }
}

let projects = 0;
const works: readonly (readonly [string, (userId: string) => Sent])[] = [
  [
    "tokens for its own user",
    (userId) => [addPersonalAccessToken, create(addPersonalAccessToken.input, { userId })],
  ],
  [
    "projects",
    () => {
      projects += 1;
      return [addProject, create(addProject.input, { name: `revoked ${projects}` })];
    },
  ],
];

const unauthenticated = { code: 16, reason: "UNAUTHENTICATED" };
const ends: readonly (readonly [string, (user: Manager) => Sent, string, object])[] = [
  [
    "token",
    ({ userId, tokenId }) => [
      removePersonalAccessToken,
      create(removePersonalAccessToken.input, { userId, tokenId }),
    ],
    "user.token.removed",
    unauthenticated,
  ],
  [
    "user",
    ({ userId: id }) => [removeUser, create(removeUser.input, { id })],
    "user.removed",
    unauthenticated,
  ],
  [
    "activity",
    ({ userId: id }) => [deactivateUser, create(deactivateUser.input, { id })],
    "user.deactivated",
    unauthenticated,
  ],
  [
    "role",
    ({ userId }) => [removeOrgMember, create(removeOrgMember.input, { userId })],
    "user.membership.removed",
    { code: 7, reason: "PERMISSION_DENIED" },
  ],
];
const processes = [
  ["in the same process", () => here],
  ["by another process", () => elsewhere],
] as const;

describeFew(2).each(works)("calls that make %s end", (_what, work) => {
  describeFew().each(ends)("with the removal of their %s", (_end, removal, type, refusal) => {
    test.each(processes)("%s", async (_where, remover) => {
      const user = await manager();
      const before = await server.head();
      const call = () => send(here, work(user.userId), user.token);
      const earlier = Array.from({ length: 10 }, call);
      const removing = insist(remover(), removal(user));
      const later = Array.from({ length: 40 }, call);
      const answers = await Promise.all([...earlier, ...later]);
      expect(await removing).toMatchObject({ ok: true });

      const events = await server.events(before);
      const end = events.findIndex((event) => event.type === type);
      expect(end).toBeGreaterThanOrEqual(0);
      expect(events.slice(end + 1)).toEqual([]);
      const refused = answers.filter(({ ok }) => !ok);
      expect(refused).toHaveLength(50 - end);
      for (const answer of refused) expect(answer).toMatchObject(refusal);
    });
  });
});
