import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { createToken } from "../../../src/secrets/tokens.ts";
import { logsTo } from "../../../src/start/logger.ts";
import { shortened } from "../../harness/extent.ts";
import { endProcesses, inDirectory, startProcess } from "../../harness/process.ts";
import { givenOrganization, startServer, type TestServer } from "../../harness/server.ts";
import { openRaw } from "../raw.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});

afterAll(async () => {
  await endProcesses();
  await server.close();
});

const service = ManagementService.typeName;

interface Line {
  readonly msg: string;
  readonly requestId: string;
  readonly [member: string]: unknown;
}

/** What the body makes the server log, when it has answered. */
async function linesOf(body: () => Promise<unknown>): Promise<readonly Line[]> {
  const before = server.logged().length;
  await body();
  return server
    .logged()
    .slice(before)
    .map((line) => JSON.parse(line) as Line);
}

function post(path: string, body: string, headers: { readonly [name: string]: string } = {}) {
  return fetch(server.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "content-type": "application/json",
      ...headers,
    },
    body,
  });
}

describe("a call leaves one line", () => {
  test("with who called what for whom, and how it went", async () => {
    const organization = await givenOrganization(server);
    let response: Response | undefined;
    const lines = await linesOf(async () => {
      const headers = { "x-service-orgid": organization };
      response = await post(`/${service}/AddProject`, '{"name": "logged"}', headers);
      await response.arrayBuffer();
    });
    expect(lines).toMatchObject([
      {
        level: 30,
        msg: "call",
        requestId: response?.headers.get("x-request-id"),
        method: `${service}/AddProject`,
        code: "OK",
        durationMs: expect.any(Number),
        caller: server.admin.userId,
        organization,
      },
    ]);
  });

  test.each([
    {
      name: "a refusal",
      path: "/management/v1/projects",
      body: '{"name": ""}',
      code: "INVALID_FIELDS",
    },
    { name: "rubbish", path: "/management/v1/projects", body: "{", code: "MALFORMED_REQUEST" },
    {
      name: "a conflict",
      path: "/management/v1/orgs",
      body: '{"name": "Default"}',
      code: "NAME_TAKEN",
    },
    {
      name: "a stranger",
      path: "/management/v1/orgs",
      body: "{}",
      headers: { authorization: "" },
      code: "UNAUTHENTICATED",
    },
  ])("with the reason of $name", async ({ path, body, headers, code }) => {
    let response: Response | undefined;
    const lines = await linesOf(async () => {
      response = await post(path, body, headers);
      await response.arrayBuffer();
    });
    expect(lines).toMatchObject([{ msg: "call", code, method: expect.stringContaining(service) }]);
    expect(lines[0]?.requestId).toBe(response?.headers.get("x-request-id"));
  });

  test("where it reaches no method, with the path but not the query", async () => {
    const lines = await linesOf(async () => {
      await (await post("/nothing/here?token=planted", "{}")).arrayBuffer();
    });
    expect(lines).toMatchObject([
      { msg: "refused", verb: "POST", path: "/nothing/here", code: "UNKNOWN_PATH" },
    ]);
  });

  test("over gRPC, of a service without callers", async () => {
    const client = createClient(Health, createGrpcTransport({ baseUrl: server.url }));
    const lines = await linesOf(() => client.check({}));
    expect(lines).toMatchObject([
      { msg: "call", method: "grpc.health.v1.Health/Check", code: "OK" },
    ]);
    expect(lines[0]).not.toHaveProperty("caller");
  });
});

describe("secrets", () => {
  const planted = {
    "a token that exists": "",
    "a token that does not": createToken(randomBytes),
    "a truncated token": createToken(randomBytes).slice(0, -4),
    "an authorization header": "Basic cGxhbnRlZDpjcmVkZW50aWFscw==",
    "a value of a field that does not exist": "planted-password-in-unknown-field",
    "a value of a field with another type": "planted-password-in-wrong-type",
    "text that is no JSON": "planted-password-in-no-json",
    "a value in a refused body": "planted-password-in-refused-body",
    "a header value": "planted-header-value",
    "a cookie": "planted-cookie-value",
    "a query parameter": "planted-query-value",
    "a name in a malformed request": "planted-malformed-header",
  };
  const answers: string[] = [];
  const given: { clientSecret: string; token: string } = { clientSecret: "", token: "" };

  beforeAll(async () => {
    planted["a token that exists"] = server.admin.token;
    const ask = async (...call: Parameters<typeof post>) => {
      const response = await post(...call);
      const text = await response.text();
      if (!response.ok) answers.push(text, JSON.stringify([...response.headers]));
      return text;
    };
    const app = `/management/v1/projects/${server.project}/apps/api`;
    const created = JSON.parse(await ask(app, '{"name": "with a secret"}'));
    given.clientSecret = created.clientSecret;
    const machine = await ask("/management/v1/users/machine", '{"userName": "m", "name": "m"}');
    const { userId } = JSON.parse(machine);
    given.token = JSON.parse(await ask(`/management/v1/users/${userId}/pats`, "{}")).token;

    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    await ask(app, "{}", bearer(planted["a token that does not"]));
    await ask(app, "{}", bearer(planted["a truncated token"]));
    await ask(app, "{}", { authorization: planted["an authorization header"] });
    const unknown = planted["a value of a field that does not exist"];
    await ask(app, JSON.stringify({ name: "x", password: unknown }));
    await ask(
      app,
      JSON.stringify({ name: { password: planted["a value of a field with another type"] } }),
    );
    await ask(app, `{"name": "x", "password": ${planted["text that is no JSON"]}}`);
    const refused = `${planted["a value in a refused body"]}${"x".repeat(200)}`;
    await ask(app, JSON.stringify({ name: refused }));
    await ask(`${app}?key=${planted["a query parameter"]}`, "{}", {
      "x-planted": planted["a header value"],
      cookie: planted["a cookie"],
      accept: planted["a header value"],
      "content-type": `text/plain`,
    });
    const raw = await openRaw(server.port);
    raw.write(`GET / HTTP/1.1\r\n${planted["a name in a malformed request"]} x\r\n\r\n`);
    answers.push((await raw.answer("GET")).body.toString());
    await raw.close();
  });

  const places = {
    "the log": () => Promise.resolve(server.logged().join("")),
    "the events": () => stored("events"),
    "the objects": () => stored("objects"),
    "the texts": () => stored("texts"),
    "the refusals": () => Promise.resolve(answers.join("\n")),
  };

  function stored(table: string): Promise<string> {
    const db = new Database(join(server.dataDir, "iam.db"), { readonly: true });
    const rows = db.prepare(`SELECT * FROM ${table}`).all();
    db.close();
    return Promise.resolve(JSON.stringify(rows));
  }

  describe.each(Object.entries(places))("are not in %s:", (_place, read) => {
    test("it is not empty", async () => {
      expect((await read()).length).toBeGreaterThan(100);
    });

    test.each(Object.keys(planted) as (keyof typeof planted)[])("%s", async (name) => {
      expect(planted[name].length).toBeGreaterThan(10);
      expect(await read()).not.toContain(planted[name]);
    });

    test.each(["clientSecret", "token"] as const)("the %s that was given out", async (name) => {
      expect(given[name].length).toBeGreaterThan(40);
      expect(await read()).not.toContain(given[name]);
    });
  });
});

describe("the process", () => {
  test.each(
    shortened([
      { level: "info", says: ["started", "refused", "stopping", "stopped"] },
      { level: "warn", says: [] },
    ]),
  )("logs to standard error, one JSON text per line, at the level $level", async (row) => {
    await inDirectory(async (directory) => {
      const flags = ["--port=0", `--data-dir=${directory}`, `--log-level=${row.level}`];
      const started = startProcess(flags);
      const answer = await fetch(`${await started.listening}/nothing`);
      expect(answer.status).toBe(404);
      await answer.arrayBuffer();
      started.kill("SIGTERM");
      await started.ended;
      const lines = started.stderr().split("\n").slice(0, -1);
      expect(lines.map((line) => JSON.parse(line).msg)).toEqual(row.says);
      expect(started.stdout()).toMatch(/listening on http\S+\nOpenID Connect issuer: http\S+\n$/);
    });
  });
});

test("the log withholds members that are secret by their name, wherever they are passed", () => {
  const lines: string[] = [];
  const { log } = logsTo({ write: (line) => void lines.push(line) }, "info");
  const secret = "planted-secret-value";
  const names = [
    "authorization",
    "clientSecret",
    "clientSecretHash",
    "password",
    "token",
    "tokenHash",
  ];
  for (const name of names) {
    log.info({ [name]: secret, in: { [name]: secret, deeper: { [name]: secret } } }, "kept");
  }
  expect(lines).toHaveLength(names.length);
  expect(lines.join("")).not.toContain(secret);
  expect(lines.join("").match(/\[Redacted\]/g)).toHaveLength(3 * names.length);
});
