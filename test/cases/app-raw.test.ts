import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { RecordedEvent } from "../../src/event.ts";
import { jsonFailure } from "../harness/clients.ts";
import { givenProject, startServer, type TestServer } from "../harness/server.ts";

/** What no client of the table can say or show: JSON as it is written, paths as they are sent. */

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  await server.close();
});

test("noneCompliant is written where it is false too", async () => {
  const { status, json } = await post(oidc(server.project), {
    name: "Compliant",
    redirectUris: ["https://app.example.com/callback"],
  });
  expect(status).toBe(200);
  expect(json).toMatchObject({ noneCompliant: false });
  // What is empty is left out, as JSON in its canonical form does.
  expect(Object.keys(json).sort()).toEqual([
    "appId",
    "clientId",
    "clientSecret",
    "details",
    "noneCompliant",
  ]);
});

test("no secret is written where there is none", async () => {
  const api = await post(`/management/v1/projects/${server.project}/apps/api`, {
    name: "Key",
    authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT",
  });
  expect(Object.keys(api.json).sort()).toEqual(["appId", "clientId", "details"]);
});

test("details are written as they are documented", async () => {
  const { json, events } = await post(oidc(server.project), { name: "Details" });
  const { position, timeMs } = events.at(-1)!;
  const time = new Date(timeMs).toISOString();
  expect(json.details).toEqual({
    sequence: String(position),
    creationDate: time.replace(".000Z", "Z"),
    changeDate: time.replace(".000Z", "Z"),
    resourceOwner: server.admin.organization,
  });
});

test.each([
  ["camel case", { redirectUris: ["https://a.example"], clockSkew: "1.5s", appType: 2 }],
  ["snake case", { redirect_uris: ["https://a.example"], clock_skew: "1.500s", app_type: 2 }],
  [
    "the names of values",
    { redirectUris: ["https://a.example"], clockSkew: "1.5s", appType: "OIDC_APP_TYPE_NATIVE" },
  ],
])("a request may be written in %s", async (how, settings) => {
  const { status, events } = await post(oidc(server.project), { name: how, ...settings });
  expect(status).toBe(200);
  expect(JSON.parse(events[1]!.payload)).toMatchObject({
    redirectUris: ["https://a.example"],
    clockSkewNanos: 1_500_000_000,
    appType: "NATIVE",
  });
});

test.each<readonly [string, object, string, string?]>([
  ["an unknown field", { name: "a", redirectUri: "https://a.example" }, "redirectUri"],
  [
    "an unknown name of a value",
    { name: "a", appType: "OIDC_APP_TYPE_TV" },
    "appType",
    "INVALID_FIELDS",
  ],
  ["a duration without a unit", { name: "a", clockSkew: "1" }, "clockSkew"],
  [
    "an entry that is no URI, however the list is called",
    { name: "a", redirect_uris: ["no"] },
    "redirectUris[0]",
    "INVALID_FIELDS",
  ],
  ["a name by its other name", { name: "a", redirect_uri: "" }, "redirect_uri"],
  ["a text for a list", { name: "a", redirectUris: "https://a.example" }, "redirectUris"],
])(
  "%s is refused by the field's name",
  async (_what, body, named, reason = "MALFORMED_REQUEST") => {
    const { status, json, events } = await post(oidc(server.project), body);
    expect(jsonFailure(json, status)).toMatchObject({
      ...{ code: 3, reason },
      message: expect.stringContaining(`${named}: `),
      fields: [named],
      httpStatus: 400,
    });
    expect(events).toEqual([]);
  },
);

test.each(["projectId", "project_id"])("the path counts, whatever %s says", async (field) => {
  const other = await givenProject(server, server.admin.organization);
  for (const written of [other, "unknown", "", "p".repeat(201)]) {
    const { status, events } = await post(oidc(server.project), {
      name: `${field} ${written.slice(0, 7)}`,
      [field]: written,
    });
    expect(status).toBe(200);
    expect(JSON.parse(events[0]!.payload)).toMatchObject({ projectId: server.project });
  }
});

test.each([
  ["an empty id", oidc(""), 400, "INVALID_FIELDS"],
  ["a zero character", oidc("%00"), 400, "INVALID_FIELDS"],
  ["an encoded letter", oidc("%70"), 404, "PROJECT_NOT_FOUND"],
  ["a slash that is not encoded", oidc("a/b"), 404, "UNKNOWN_PATH"],
  ["half an escape", oidc("%7"), 400, "MALFORMED_REQUEST"],
  ["an escape that is no UTF-8", oidc("%ff"), 400, "MALFORMED_REQUEST"],
])("%s in a path", async (_what, path, httpStatus, reason) => {
  const { status, json, events } = await post(path, { name: "a" });
  expect(jsonFailure(json, status)).toMatchObject({ httpStatus, reason });
  expect(events).toEqual([]);
});

function oidc(project: string): string {
  return `/management/v1/projects/${project}/apps/oidc`;
}

interface Posted {
  readonly status: number;
  readonly json: { readonly [name: string]: unknown };
  readonly events: readonly RecordedEvent[];
}

async function post(path: string, body: object): Promise<Posted> {
  const before = await server.head();
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  const json = (await response.json()) as Posted["json"];
  return { status: response.status, json, events: await server.events(before) };
}
