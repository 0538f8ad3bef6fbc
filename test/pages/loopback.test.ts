import { once } from "node:events";
import { request } from "node:http";
import { request as requestTls } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { exchangeHttp2 } from "../gateway/raw.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { createCertificate } from "../port/certificate.ts";

const { cert, key } = createCertificate("loopback");
const issuers: readonly [string, (port: number) => string][] = [
  ["http://localhost", (port: number) => `http://localhost:${port}`],
  ["http://127.0.0.1", (port: number) => `http://127.0.0.1:${port}`],
  ["http://[::1]", (port: number) => `http://[::1]:${port}`],
  ["https://localhost", (port: number) => `https://localhost:${port}`],
  ["another port", (port: number) => `http://localhost:${port - 1}`],
  ["no port", () => "http://localhost"],
  ["another scheme", (port: number) => `https://localhost:${port}`],
  ["a path", (port: number) => `http://localhost:${port}/iam`],
  ["another name", () => "https://iam.example.com"],
];

let servers: ReadonlyMap<string, TestServer>;

beforeAll(async () => {
  const started = issuers.map(async ([name, publicUrl]) => {
    const certificate = name.startsWith("https:") ? { certificate: { cert, key } } : {};
    return [name, await startServer({ publicUrl, ...certificate })] as const;
  });
  servers = new Map(await Promise.all(started));
});
afterAll(() => Promise.all([...servers.values()].map((server) => server.close())));

/** Asks as for the given name, whatever the address is; answers where it is led. */
async function ask(
  { port, url }: TestServer,
  host: string,
  path = "/",
  { method = "GET", ...headers }: { readonly [name: string]: string } = {},
) {
  const given = { accept: "text/html", ...headers, host };
  const to = { host: "127.0.0.1", port, path, method, headers: given, agent: false as const };
  const send = url.startsWith("https:") ? () => requestTls({ ...to, ca: cert }) : () => request(to);
  const [answer] = await once(send().end(), "response");
  answer.resume();
  await once(answer, "end");
  return { status: answer.statusCode as number, to: answer.headers.location as string | undefined };
}

const known = (name: string) => servers.get(name)!;
const names = (port: number) => [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`];

describe("who comes by another name of this machine is led to the one of the service", () => {
  test.each(issuers.slice(0, 4))("%s", async (name, publicUrl) => {
    const server = known(name);
    const home = publicUrl(server.port);
    for (const host of names(server.port)) {
      const isHome = new URL(home).host === host;
      for (const [path, status] of [
        ["/", 200],
        ["/account/callback?error=x", 403],
        ["/ui/initialize?userID=a&code=b%26c", 200],
        ["/oauth/v2/authorize?client_id=a&state=%2F%2Fx", 400],
        ["/oidc/v1/end_session?state=x", 200],
        ["//evil.example/x", 404],
        ["/\\evil.example", 404],
      ] as const) {
        const answer = await ask(server, host, path);
        const led = { status: 303, to: home + path };
        expect([host, path, answer]).toEqual([
          host,
          path,
          isHome ? { status, to: undefined } : led,
        ]);
      }
    }
  });

  test("over HTTP/2 as well", async () => {
    const { port } = known("http://localhost");
    const path = "/account/callback?error=b";
    const asked = { accept: "text/html", ":path": path, ":scheme": "http", ":method": "GET" };
    for (const [host, status, to] of [
      [`127.0.0.1:${port}`, 303, `http://localhost:${port}${path}`],
      [`localhost:${port}`, 403, undefined],
    ] as const) {
      const sent = { ...asked, ":authority": host };
      const { answer } = await exchangeHttp2(port, sent, Buffer.alloc(0));
      expect([answer?.status, answer?.headers.location]).toEqual([status, to]);
    }
  });
});

describe("nobody is led anywhere", () => {
  test.each(issuers.slice(4))("where the service is known by %s", async (name) => {
    const server = known(name);
    for (const host of names(server.port)) {
      expect([host, await ask(server, host)]).toEqual([host, { status: 200, to: undefined }]);
    }
  });

  test("by a name that is none of these, or has another port", async () => {
    const server = known("http://localhost");
    const { port } = server;
    for (const host of [
      ...[`evil.example:${port}`, `127.0.0.1.evil.example:${port}`, "127.0.0.1", "[::1]"],
      ...[
        `127.0.0.1:${port - 1}`,
        `127.0.0.2:${port}`,
        `localhost.:${port}`,
        `127.0.0.1:${port}/x`,
      ],
    ]) {
      expect([host, await ask(server, host)]).toEqual([host, { status: 200, to: undefined }]);
    }
  });

  test("who sends a form, or is a program", async () => {
    const server = known("http://localhost");
    const host = `127.0.0.1:${server.port}`;
    for (const [path, headers, status] of [
      ["/ui/initialize", { method: "POST" }, 415],
      ["/", { accept: "application/json" }, 404],
      ["/oauth/v2/keys", {}, 200],
      ["/.well-known/openid-configuration", {}, 200],
      ["/oidc/v1/userinfo", {}, 401],
      ["/healthz", {}, 200],
    ] as const) {
      const answer = await ask(server, host, path, headers);
      expect([path, answer]).toEqual([path, { status, to: undefined }]);
    }
  });
});
