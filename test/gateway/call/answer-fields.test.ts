import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createHttp } from "../../access/http.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

let servers: readonly TestServer[];

beforeAll(async () => {
  servers = await Promise.all([true, false].map((nativeWire) => startServer({ nativeWire })));
});

afterAll(() => Promise.all(servers.map((server) => server.close())));

const listOrgs = "/iam.admin.v1.AdminService/ListOrgs";
const json = { "content-type": "application/json" };

test.each<[string, string, string, { readonly [name: string]: string }, number]>([
  ["an answer", "POST", listOrgs, json, 200],
  ["an answer by REST", "POST", "/admin/v1/orgs/_search", json, 200],
  ["a refusal", "POST", listOrgs, { ...json, authorization: "Bearer no" }, 401],
  ["a refusal of what is unusual", "POST", listOrgs, { "content-type": "text/html" }, 415],
  ["a path that is none", "GET", "/wp-login.php", {}, 404],
  ["another verb", "PUT", "/healthz", {}, 405],
  ["health", "GET", "/healthz", {}, 200],
  ["readiness", "GET", "/readyz", {}, 200],
  ["a page", "GET", "/ui/done", {}, 200],
])("%s is kept by nobody, and is what it says", async (_, method, path, headers, status) => {
  for (const { url, admin } of servers) {
    const authorization = `Bearer ${admin.token}`;
    const response = await fetch(url + path, {
      ...{ method, headers: { authorization, ...headers } },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
    await response.text();
    const shown = ["cache-control", "x-content-type-options"].map((n) => response.headers.get(n));
    expect([response.status, ...shown]).toEqual([status, "no-store", "nosniff"]);
  }
});

test("so is the answer to what is no request", async () => {
  for (const { port } of servers) {
    const socket = connect(port, "127.0.0.1");
    socket.end("no request\r\n\r\n");
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\r\ncache-control: no-store\r\n/);
    expect(answer).toContain("\r\nx-content-type-options: nosniff\r\n");
  }
});

const secret = `iam_pat_${"a".repeat(49)}`;

test("a line of the log holds no id that does not look like one", async () => {
  for (const { port, admin, logged, url } of servers) {
    const http = createHttp(port);
    const before = logged().length;
    for (const organization of [secret, "x".repeat(8_000), admin.organization]) {
      const headers = { authorization: `Bearer ${admin.token}`, "x-service-orgid": organization };
      const path = "/iam.management.v1.ManagementService/AddProject";
      await http.send({ path, headers, body: "{}" });
    }
    for (const path of [`/v1/${secret}`, `/${"S".repeat(43)}/x`, "/a%2Fb/projects/1"]) {
      await (await fetch(url + path)).text();
    }
    http.close();
    const lines = logged().slice(before);
    expect(lines.join("")).not.toMatch(/iam_pat_|xxxx|SSSS|%2F/);
    const ids = lines.map((line) => JSON.parse(line).organization);
    expect(ids.filter((id) => id !== undefined)).toEqual([admin.organization]);
    const paths = lines.flatMap((line) => JSON.parse(line).path ?? []);
    expect(paths).toEqual(["/v1/…", "/…/x", "/…/projects/1"]);
  }
});
