import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcWebTransport } from "@connectrpc/connect-web";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { startServer, type TestServer } from "../harness/server.ts";

const allowed = "https://admin.example.com";
const alsoAllowed = "http://localhost:3000";
const other = "https://evil.example.com";

let server: TestServer;
let closed: TestServer;

beforeAll(async () => {
  server = await startServer({ corsOrigins: [allowed, alsoAllowed] });
  closed = await startServer();
});

afterAll(() => Promise.all([server.close(), closed.close()]));

const rpc = "/iam.management.v1.ManagementService/AddProject";

/** How each protocol of a browser calls: what its preflight names, and what it sends. */
const protocols = [
  {
    name: "gRPC-Web",
    path: rpc,
    asks: "authorization,content-type,grpc-timeout,idempotency-key,x-grpc-web,x-service-orgid,x-user-agent",
    headers: { "content-type": "application/grpc-web+proto", "x-grpc-web": "1" },
    body: Buffer.from([0, 0, 0, 0, 0]),
    // The empty name is refused in the answer's last frame or its headers.
    status: 200,
  },
  {
    name: "Connect",
    path: rpc,
    asks: "authorization,connect-protocol-version,connect-timeout-ms,content-type,x-service-orgid",
    headers: { "content-type": "application/json", "connect-protocol-version": "1" },
    body: "{}",
    status: 400,
  },
  {
    name: "REST",
    path: "/management/v1/projects",
    asks: "accept-language,authorization,content-type,x-service-orgid",
    headers: { "content-type": "application/json" },
    body: "{}",
    status: 400,
  },
];

function preflight(url: string, origin: string, asks: string, verb = "POST"): Promise<Response> {
  return fetch(url, {
    method: "OPTIONS",
    headers: {
      origin,
      "access-control-request-method": verb,
      "access-control-request-headers": asks,
    },
  });
}

function list(response: Response, name: string): readonly string[] {
  return (response.headers.get(name) ?? "").toLowerCase().split(", ");
}

function corsHeaders(response: Response): readonly string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith("access-control-"));
}

describe.each(protocols)("$name", ({ path, asks, headers, body, status }) => {
  const call = ({ url, admin }: TestServer, origin: string, token = admin.token) =>
    fetch(url + path, {
      method: "POST",
      headers: { ...headers, origin, authorization: `Bearer ${token}` },
      body,
    });

  test.each([allowed, alsoAllowed])("is open to pages of %s", async (origin) => {
    const asked = await preflight(server.url + path, origin, asks);
    expect(asked.status).toBe(204);
    expect(asked.headers.get("access-control-allow-origin")).toBe(origin);
    expect(list(asked, "access-control-allow-methods")).toContain("post");
    const allows = list(asked, "access-control-allow-headers");
    for (const name of asks.split(",")) expect(allows).toContain(name);
    expect(asked.headers.get("vary")).toBe("Origin");

    const answer = await call(server, origin);
    expect(answer.status).toBe(status);
    expect(answer.headers.get("access-control-allow-origin")).toBe(origin);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    expect(list(answer, "access-control-expose-headers")).toEqual(
      expect.arrayContaining([
        "grpc-status",
        "grpc-message",
        "grpc-status-details-bin",
        "x-request-id",
        "www-authenticate",
        "idempotent-replayed",
      ]),
    );
    expect(answer.headers.get("vary")).toBe("Origin");
    await answer.arrayBuffer();
  });

  test("tells pages that are open to it even what is refused", async () => {
    const answer = await call(server, allowed, "none");
    expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
    expect(list(answer, "access-control-expose-headers")).toContain("grpc-status");
    await answer.arrayBuffer();
  });

  test.each([other, "null", `${allowed}.evil.example`, allowed.toUpperCase(), "http://localhost"])(
    "is closed to pages of %s",
    async (origin) => {
      const asked = await preflight(server.url + path, origin, asks);
      expect(asked.headers.get("access-control-allow-origin")).toBeNull();
      const answer = await call(server, origin);
      expect(answer.headers.get("access-control-allow-origin")).toBeNull();
      expect(answer.headers.get("vary")).toBe("Origin");
      await answer.arrayBuffer();
    },
  );

  test("says nothing of origins where none is configured", async () => {
    const asked = await preflight(closed.url + path, allowed, asks);
    expect(asked.status).toBe(405);
    const answer = await call(closed, allowed);
    expect(answer.status).toBe(status);
    for (const response of [asked, answer]) {
      expect(corsHeaders(response)).toEqual([]);
      expect(response.headers.get("vary")).toBeNull();
      await response.arrayBuffer();
    }
  });
});

test.each(["POST", "PUT", "DELETE", "GET"])("a preflight for %s is allowed", async (verb) => {
  const asked = await preflight(`${server.url}/management/v1/orgs`, allowed, "authorization", verb);
  expect(asked.status).toBe(204);
  expect(list(asked, "access-control-allow-methods")).toContain(verb.toLowerCase());
});

test("an unknown path is as open as a known one, so that pages can read the refusal", async () => {
  const answer = await fetch(`${server.url}/nothing`, { headers: { origin: allowed } });
  expect(answer.status).toBe(404);
  expect(answer.headers.get("access-control-allow-origin")).toBe(allowed);
  await answer.arrayBuffer();
});

test("OPTIONS that is no preflight is refused like any other wrong verb", async () => {
  for (const { url } of [server, closed]) {
    const answer = await fetch(`${url}/management/v1/orgs`, { method: "OPTIONS" });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
    expect(await answer.json()).toMatchObject({ details: [{ reason: "METHOD_NOT_ALLOWED" }] });
  }
});

test.each([
  { name: "gRPC-Web", of: createGrpcWebTransport },
  { name: "Connect", of: createConnectTransport },
])("a browser's $name client reads answer and refusal", async ({ of }) => {
  const pageFetch: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      headers: new Headers([...new Headers(init?.headers), ["origin", allowed]]),
    });
  const transport = of({ baseUrl: server.url, fetch: pageFetch });
  const client = createClient(ManagementService, transport);
  const headers = { authorization: `Bearer ${server.admin.token}` };
  const name = `made by ${of.name}`;
  expect(await client.addProject({ name }, { headers })).toMatchObject({ id: expect.any(String) });
  await expect(client.addProject({ name: "" }, { headers })).rejects.toMatchObject({ code: 3 });
});
