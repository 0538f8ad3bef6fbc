import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createToken } from "../../src/secrets/tokens.ts";
import { type Given, ways } from "../cases/accounts.ts";
import { type Calling, callingOf } from "../cases/phones.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { few } from "../harness/in-full.ts";
import { givenUser } from "../harness/server.ts";
import { bearer } from "./http.ts";
import { operations } from "./operations.ts";
import { type AccessWorld, startWorld } from "./world.ts";

// What lets a person in is a code: a token or an organization that comes along changes nothing.

const methods = Object.values(ways);
const names = Object.keys(ways) as readonly (keyof typeof ways)[];

let world: AccessWorld;
let clients: readonly TestClient[];

beforeAll(async () => {
  world = await startWorld();
  clients = createClients(world.server.url);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await world.close();
});

const calling = (): Calling => callingOf(world.server, clients[0]!);

/** What comes along with a call, which nobody may look at. */
const company: readonly (readonly [string, () => Promise<{ readonly [name: string]: string }>])[] =
  [
    ["nothing", async () => ({})],
    ["the token of the first user", async () => bearer(world.server.admin.token)],
    ["a token that nobody has", async () => bearer(createToken(randomBytes))],
    ["a token that is none", async () => bearer("x")],
    ["another scheme", async () => ({ authorization: "Basic YWRtaW46YWRtaW4=" })],
    ["nothing in the header", async () => ({ authorization: "" })],
    [
      "the token of a user without any role",
      async () => bearer((await givenUser(world.server, world.organizations.own)).token),
    ],
    [
      "a token that is over",
      async () => {
        const ended = { expirationMs: 1 };
        return bearer((await givenUser(world.server, world.organizations.own, [], ended)).token);
      },
    ],
    ["another organization", async () => ({ "x-service-orgid": world.organizations.foreign })],
    ["an organization that is not there", async () => ({ "x-service-orgid": v7() })],
    ["two organizations", async () => ({ "x-service-orgid": "a, b" })],
  ];

async function send(
  method: string,
  headers: { readonly [name: string]: string },
  body: object,
): Promise<object> {
  const path = `/${AccountService.typeName}/${method}`;
  const answer = await world.http.send({ path, headers, body: JSON.stringify(body) });
  const { "x-request-id": _id, date: _date, ...same } = answer.headers;
  return { ...answer, headers: same };
}

describe.each(names)("%s", (name) => {
  const way = ways[name];

  few(3).each(company)("takes the right code with %s", async (_, headers) => {
    const given: Given = await way.given(calling());
    const body = { ...given, ...(await way.more(calling(), given)) };
    const along = await headers();
    const head = await world.server.head();
    expect(await send(way.method.name, along, body)).toMatchObject({ outcome: "OK" });
    const events = await world.server.events(head);
    // Whatever was sent, it is the person who acts, and what is recorded is the person's.
    expect(new Set(events.map(({ actor }) => actor))).toEqual(
      new Set(events.map(() => given.userId)),
    );
    expect(new Set(events.map(({ owner }) => owner))).toEqual(
      new Set(events.map(() => world.server.admin.organization)),
    );
  });

  test("refuses a wrong code with the same bytes, whatever comes along", async () => {
    const body = { userId: v7(), codeId: "c", code: "ABCDEF", credential: {} };
    const { codeId, credential, ...short } = body;
    const needed = {
      ...short,
      ...(name.endsWith("Passkey") ? { codeId } : {}),
      ...(name === "finishPasskey" ? { credential } : {}),
    };
    const answers = await Promise.all(
      company.map(async ([, headers]) => send(way.method.name, await headers(), needed)),
    );
    expect(answers).toHaveLength(11);
    expect(answers[0]).toMatchObject({ status: 400, outcome: "3 CODE_INVALID" });
    expect(answers).toEqual(answers.map(() => answers[0]));
  });
});

test("each method of the service was called", () => {
  expect(methods.map(({ method }) => method)).toEqual(AccountService.methods);
});

test("a code lets nobody call anything else", async () => {
  const { code } = await ways.initialize.given(calling());
  const answer = await world.http.send({
    path: `/${ManagementService.typeName}/AddProject`,
    headers: bearer(code),
    body: JSON.stringify(operations.AddProject!.request({})),
  });
  expect(answer.outcome).toBe("16 UNAUTHENTICATED");
});
