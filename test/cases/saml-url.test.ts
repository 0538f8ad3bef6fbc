import { create, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import type { AddSAMLAppResponse } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { givenOrganization, givenProject, givenUser, type TestServer } from "../harness/server.ts";
import { entity } from "../saml/document.ts";
import { documentOf, expectSAMLApp } from "./saml-apps.ts";
import {
  addByURL,
  type GivenURL,
  listenForSAML,
  type SAMLListener,
  samlHost,
  startFetching,
} from "./saml-listener.ts";
import { granted } from "./stored.ts";

// GHSA-29jh-8cfq-rr8x, CVE-2026-1180, CVE-2026-4366, CVE-2024-49753. What the fetcher refuses is
// shown in test/fetch; here, that the operation asks it, what it answers, and what it leaves.

const { addSAMLApp } = ManagementService.method;

let listener: SAMLListener;
let server: TestServer;
let clients: readonly TestClient[];

beforeAll(async () => {
  listener = await listenForSAML();
  server = await startFetching(listener, "127.0.0.0/8");
  clients = createClients(server.url);
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.close();
  await listener.close();
});

beforeEach(() => {
  listener.forget();
});

describe.each(shortened(clientNames))("over %s", (clientName) => {
  test("a document is fetched once, and stored with where it came from", async () => {
    const entityId = v7();
    const document = `\ufeff${documentOf(entityId)}<!-- 😀 -->\r\n`;
    const url = listener.serve(entityId, (response) => response.end(document));
    const client = clients.find(({ name }) => name === clientName)!;
    const projectId = await givenProject(server, server.admin.organization);
    const request = {
      projectId,
      name: "Fetched",
      metadata: { case: "metadataUrl", value: url },
    } as const;
    const head = await server.head();
    const answer = await client.call(addSAMLApp, create(addSAMLApp.input, request) as Message, {
      authorization: `Bearer ${server.admin.token}`,
    });

    const message = granted<AddSAMLAppResponse>(answer);
    const config = { entityId, metadataXml: document, metadataUrl: url };
    const place = { projectId, name: "Fetched" };
    expectSAMLApp(server, place, message, await server.events(head), config);
    expect(listener.requests()).toEqual([`/${entityId}`]);
  });
});

describe("what is fetched is checked as what is given", () => {
  test.each([
    ["a page", "<html>secret</html>", /^The root element is html; it must be EntityDescriptor /],
    [
      "nothing",
      "",
      /^The XML is not well-formed: document must contain a root element \(line 1, column 0\)\.$/,
    ],
    ["a DOCTYPE", entity({ before: "<!DOCTYPE a>" }), /^The XML must not have a DOCTYPE /],
    ["no XML", "secret", /^The XML is not well-formed: text data outside of root node /],
    ["no entity ID", entity({ attributes: "" }), /^The EntityDescriptor must have an entityID /],
  ])("%s", async (_what, document, message) => {
    const url = listener.serve(v7(), (response) => response.end(document));
    const { answer, events } = await addByURL(server, { url });
    expect(answer).toMatchObject({ code: 3, reason: "METADATA_INVALID", httpStatus: 400 });
    expect(answer).toMatchObject({ message: expect.stringMatching(message) });
    expect(JSON.stringify(answer)).not.toContain("secret");
    expect(events).toEqual([]);
  });

  test("an entity ID that is taken", async () => {
    const entityId = v7();
    const url = listener.serve(entityId, (response) => response.end(documentOf(entityId)));
    granted((await addByURL(server, { url })).answer);
    const { answer, events } = await addByURL(server, { url });
    expect(answer).toMatchObject({ code: 6, reason: "ENTITY_ID_TAKEN", httpStatus: 409 });
    expect(events).toEqual([]);
  });

  test("an entity ID that several want at once", async () => {
    const entityId = v7();
    const url = listener.serve(entityId, (response) => response.end(documentOf(entityId)));
    const head = await server.head();
    const calls = await Promise.all([1, 2, 3].map(() => addByURL(server, { url })));
    expect(calls.filter(({ answer }) => answer.ok)).toHaveLength(1);
    expect(calls.map(({ answer }) => answer).filter(({ ok }) => !ok)).toMatchObject([
      { code: 6, reason: "ENTITY_ID_TAKEN" },
      { code: 6, reason: "ENTITY_ID_TAKEN" },
    ]);
    expect(await server.events(head)).toHaveLength(2);
  });

  test("as many bytes as may be", async () => {
    const entityId = v7();
    const document = documentOf(entityId).padEnd(1024 * 1024, " ");
    const url = listener.serve(entityId, (response) => response.end(document));
    const { answer, events } = await addByURL(server, { url });
    expect(granted<AddSAMLAppResponse>(answer).entityId).toBe(entityId);
    expect(JSON.parse(events[1]!.payload)).toMatchObject({ metadataXml: document });
  });
});

describe("what would be refused anyhow makes the service call nobody", () => {
  const rows: readonly (readonly [string, () => Promise<Partial<GivenURL>>, object])[] = [
    ["an unknown project", async () => ({ projectId: v7() }), { reason: "PROJECT_NOT_FOUND" }],
    [
      "the project of another organization",
      async () => ({ projectId: await givenProject(server, await givenOrganization(server)) }),
      { code: 5, reason: "PROJECT_NOT_FOUND" },
    ],
    ["a blank name", async () => ({ name: " " }), { reason: "INVALID_FIELDS", fields: ["name"] }],
    [
      "a caller without a role",
      async () => ({ token: (await givenUser(server, server.admin.organization)).token }),
      { code: 7, reason: "PERMISSION_DENIED" },
    ],
    ["a caller without a token", async () => ({ token: "no token" }), { code: 16 }],
  ];

  test.each(rows)("%s", async (_what, given, expected) => {
    const url = listener.serve(v7(), (response) => response.end(documentOf(v7())));
    const { answer, events } = await addByURL(server, { url, ...(await given()) });
    expect(answer).toMatchObject(expected);
    expect(events).toEqual([]);
    expect([listener.connections(), listener.requests()]).toEqual([0, []]);
  });
});

describe("who gives the call up ends the fetch, and nothing is written", () => {
  async function post(entityId: string, headers: object, signal: AbortSignal | null = null) {
    const url = `https://${samlHost}:${listener.port}/${entityId}`;
    const path = `${ManagementService.typeName}/AddSAMLApp`;
    return fetch(`${server.url}/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${server.admin.token}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ projectId: server.project, name: entityId, metadataUrl: url }),
      signal,
    });
  }

  test("when its deadline passes", async () => {
    const entityId = v7();
    const held = listener.hold(entityId);
    const head = await server.head();
    const response = await post(entityId, { "connect-timeout-ms": "1000" });
    expect(response.status).toBe(504);
    expect(await response.json()).toMatchObject({ code: 4 });
    // Connect's own deadline ends the connection to the listener too.
    await held.closed;
    expect(await server.events(head)).toEqual([]);
  });

  test("when it goes away", async () => {
    const entityId = v7();
    const held = listener.hold(entityId);
    const head = await server.head();
    const leaving = new AbortController();
    const answer = post(entityId, {}, leaving.signal).then(
      () => "answered",
      (error: unknown) => (error as Error).name,
    );
    await held.asked;
    leaving.abort();
    expect(await answer).toBe("AbortError");
    await held.closed;
    expect(await server.events(head)).toEqual([]);
  });
});
