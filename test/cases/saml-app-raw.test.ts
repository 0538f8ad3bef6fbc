import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { AddSAMLAppRequestSchema } from "../../gen/iam/management/v1/app_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { jsonFailure } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { entity } from "../saml/document.ts";
import { documentOf, type Metadata, xml } from "./saml-apps.ts";
import { fact } from "./stored.ts";

/** What no client of the table can say: both kinds of metadata, and bodies beyond the limit. */

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(() => server.close());

const base64 = (document: string) => Buffer.from(document).toString("base64");

test.each([
  ["both", { metadataXml: base64(documentOf("both")), metadataUrl: "https://sp.example.com" }],
  ["both in snake case", { metadata_xml: base64("<a/>"), metadata_url: "https://a.example" }],
  ["the document twice", { metadataXml: base64("<a/>"), metadata_xml: base64("<a/>") }],
  ["a document that is no base64", { metadataXml: "<a/>" }],
  ["a document that is a list", { metadataXml: [1, 2] }],
  ["a field for the one that is set", { metadata: { case: "metadataUrl", value: "a" } }],
])("%s is refused as no request at all", async (_what, metadata) => {
  const { status, json, events } = await post(JSON.stringify({ name: v7(), ...metadata }));
  expect(jsonFailure(json, status)).toMatchObject({
    code: 3,
    reason: "MALFORMED_REQUEST",
    httpStatus: 400,
  });
  expect(events).toEqual([]);
});

test.each([
  ["null", null, null],
  ["nothing", undefined, undefined],
])("%s for both is neither", async (_what, metadataXml, metadataUrl) => {
  const { status, json } = await post(JSON.stringify({ name: v7(), metadataXml, metadataUrl }));
  expect(jsonFailure(json, status)).toMatchObject({
    reason: "INVALID_FIELDS",
    fields: ["metadata"],
  });
});

// The binary form says one after the other, and the last one is what was said (proto3, oneof).
describe("in binary, what comes last counts", () => {
  const url = binary({ case: "metadataUrl", value: "https://127.0.0.1/" });
  const document = binary(xml(documentOf("last")));

  test.each([
    ["the document", [url, document], 200, []],
    ["the URL", [document, url], 409, ["METADATA_NOT_FETCHED"]],
  ])("%s", async (_last, metadata, httpStatus, found) => {
    const place = toBinary(
      AddSAMLAppRequestSchema,
      create(AddSAMLAppRequestSchema, { projectId: server.project, name: v7() }),
    );
    const path = `${ManagementService.typeName}/${ManagementService.method.addSAMLApp.name}`;
    const response = await fetch(`${server.url}/${path}`, {
      method: "POST",
      headers: {
        ...authorized(),
        "content-type": "application/proto",
        "connect-protocol-version": "1",
      },
      body: Buffer.concat([place, ...metadata]),
    });
    const answered = Buffer.from(await response.arrayBuffer()).toString("latin1");
    expect(response.status).toBe(httpStatus);
    expect(answered.match(/METADATA_[A-Z_]+/g) ?? []).toEqual(found);
  });
});

test("a document that makes the body larger than 1 MiB is refused before it is read", async () => {
  const wrapped = (document: string) =>
    JSON.stringify({ name: "large", metadataXml: base64(document) });
  const bytesMax = 1024 * 1024;
  const start = entity({ attributes: 'entityID="large"' });
  const room = Math.floor(((bytesMax - wrapped("").length) / 4) * 3) - start.length - 2;
  const largest = start + " ".repeat(room);
  const body = wrapped(largest);
  const fitting = body + " ".repeat(bytesMax - body.length);

  const { status, json, events } = await post(`${fitting} `);
  expect(jsonFailure(json, status)).toMatchObject({
    code: 8,
    reason: "BODY_TOO_LARGE",
    httpStatus: 413,
  });
  expect(events).toEqual([]);

  const taken = await post(fitting);
  expect(taken.json).toMatchObject({ entityId: "large" });
  expect(taken.events.map(fact)[1]!.payload).toEqual({
    entityId: "large",
    metadataXml: largest,
  });
});

test("the entity ID is written next to the id", async () => {
  const { json } = await post(
    JSON.stringify({ name: "Written", metadata_xml: base64(documentOf("written")) }),
  );
  expect(Object.keys(json).sort()).toEqual(["appId", "details", "entityId"]);
});

function binary(metadata: Metadata): Uint8Array {
  return toBinary(AddSAMLAppRequestSchema, create(AddSAMLAppRequestSchema, { metadata }));
}

function authorized() {
  return { authorization: `Bearer ${server.admin.token}` };
}

async function post(body: string) {
  const head = await server.head();
  const response = await fetch(`${server.url}/management/v1/projects/${server.project}/apps/saml`, {
    method: "POST",
    headers: { ...authorized(), "content-type": "application/json" },
    body,
  });
  const json = (await response.json()) as { readonly [name: string]: unknown };
  return { status: response.status, json, events: await server.events(head) };
}
