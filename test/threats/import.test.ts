import { connect } from "node:http2";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { bearer, createHttp, type Http } from "../access/http.ts";
import { givenIDP, requestFor } from "../cases/humans.ts";
import { type Calling, callingOf } from "../cases/phones.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { inFull } from "../harness/in-full.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";
import { evil, fromHeaders, lies } from "./lies.ts";

const { importHumanUser } = ManagementService.method;
const path = "/management/v1/users/human/_import";

let server: TestServer;
let http: Http;
let clients: readonly TestClient[];
let worlds: readonly Calling[];

beforeAll(async () => {
  server = await startServer();
  http = createHttp(server.port);
  clients = createClients(server.url);
  worlds = clients.map((client) => callingOf(server, client));
});

afterAll(async () => {
  http.close();
  for (const client of clients) client.close();
  await server.close();
});

function body(more: object = {}): string {
  return JSON.stringify({
    userName: v7(),
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com" },
    ...more,
  });
}

function send(more: object, headers: { readonly [name: string]: string } = {}) {
  const all = { ...bearer(server.admin.token), ...headers };
  return http.send({ path, headers: all, body: body(more) });
}

describe(`${fromHeaders}: links are made of headers`, () => {
  const link = { requestPasswordlessRegistration: true };

  async function expectUnmoved(text: string, before: bigint): Promise<void> {
    const { passwordlessRegistration } = JSON.parse(text) as {
      readonly passwordlessRegistration: { readonly link: string };
    };
    const { origin } = new URL(passwordlessRegistration.link);
    expect(origin).toBe("https://iam.example.com");
    expect(text).not.toContain(evil);
    const events = await server.events(before);
    expect(events).toHaveLength(3);
    expect(events.map(({ payload }) => payload).join()).not.toContain(evil);
  }

  test.each(lies)("%s: %s", async (name, value) => {
    const before = await server.head();
    const { status, text } = await send(link, { [name]: value });
    expect(status).toBe(200);
    await expectUnmoved(text, before);
  });

  test(":authority of HTTP/2", async () => {
    const before = await server.head();
    const session = connect(server.url);
    try {
      const stream = session.request({
        ":method": "POST",
        ":path": path,
        ":authority": evil,
        ":scheme": "https",
        "content-type": "application/json",
        ...bearer(server.admin.token),
      });
      stream.end(body(link));
      stream.setEncoding("utf8");
      let text = "";
      for await (const chunk of stream) text += chunk;
      await expectUnmoved(text, before);
    } finally {
      await new Promise<void>((resolve) => session.close(resolve));
    }
  });
});

describe("CVE-2025-64717: an account is linked although its provider must not be used", () => {
  test.each([
    ["another organization's", () => givenOrganization(server)],
    ["the caller's, for people of another organization", async () => server.admin.organization],
  ])("%s", async (_, ownerOf) => {
    const idpId = await givenIDP(server, await ownerOf(), "ORGANIZATION");
    const target = await givenOrganization(server);
    const before = await server.head();
    const idps = [{ configId: idpId, externalUserId: "ada" }];
    const { status, outcome } = await send({ idps }, { "x-service-orgid": target });
    expect([status, outcome]).toEqual([409, "9 IDP_NOT_USABLE"]);
    expect(await server.events(before)).toEqual([]);
  });

  test("one that does not exist is refused in the same words", async () => {
    const foreign = await givenIDP(server, await givenOrganization(server), "ORGANIZATION");
    const answers = await Promise.all(
      [foreign, v7()].map((configId) => send({ idps: [{ configId, externalUserId: "a" }] })),
    );
    expect(answers[1]?.text).toBe(answers[0]?.text);
    expect(answers[0]?.outcome).toBe("9 IDP_NOT_USABLE");
  });
});

describe("CVE-2026-55670: an id is chosen or used again", () => {
  test.each(["userId", "user_id", "id"])("as the field %s", async (field) => {
    const before = await server.head();
    const { outcome } = await send({ [field]: server.admin.userId });
    expect(outcome).toBe("3 MALFORMED_REQUEST");
    expect(await server.events(before)).toEqual([]);
  });

  inFull("by many imports: each has a stream of its own", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send({})));
    const ids = answers.map(({ text }) => (JSON.parse(text) as { userId: string }).userId);
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) {
      const events = await server.store.readStream(`user-${id}`, 0, 10);
      expect(events.filter(({ type }) => type === "user.human.added")).toHaveLength(1);
    }
  });
});

describe("CVE-2024-1722: two take what only one may have", () => {
  const attempts = 21;

  test.each([
    [
      "a login name",
      "NAME_TAKEN",
      async (index: number, unique: string) => ({
        userName: index % 2 ? unique.toUpperCase() : unique,
      }),
    ],
    [
      "an account at a provider",
      "IDP_LINK_TAKEN",
      async (_index: number, unique: string) => ({
        userName: v7(),
        idps: [{ configId: unique, externalUserId: "ada" }],
      }),
    ],
  ])("%s, at once and from every client", async (_, reason, given) => {
    const unique = await givenIDP(server, server.admin.organization, "INSTANCE");
    const before = await server.head();
    const answers = await Promise.all(
      Array.from({ length: attempts }, async (_one, index) => {
        const world = worlds[index % worlds.length]!;
        const request = requestFor({ ...world } as Parameters<typeof requestFor>[0]);
        return world.call(importHumanUser, { ...request, ...(await given(index, unique)) });
      }),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.filter((answer) => !answer.ok && answer.reason === reason)).toHaveLength(
      attempts - 1,
    );
    const types = (await server.events(before)).map(({ type }) => type);
    expect(types.filter((type) => type === "user.human.added")).toHaveLength(1);
  });
});
