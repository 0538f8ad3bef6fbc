import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { v7 } from "uuid";
import { few } from "../../harness/in-full.ts";
import { startServer, type TestServer } from "../../harness/server.ts";
import {
  bodyFor,
  type DialectName,
  dialectNames,
  dialects,
  hostileServer,
  send,
} from "../hostile.ts";
import { openConnections, type RawAnswer } from "../raw.ts";
import { empty, expectRefusal, fieldsOf, reached, readRefusal } from "../refusal.ts";

/** What happens when the service itself is broken: real damage, made behind its back. */

const addAPIApp = "/iam.management.v1.ManagementService/AddAPIApp";

/** Another connection to the server's file, as an operator with the sqlite3 shell has it. */
function openFile({ dataDir }: TestServer): Database.Database {
  return new Database(join(dataDir, "iam.db"));
}

/** Does something while the state of a stream, in a version of its own, cannot be read. */
async function whileDamaged(server: TestServer, stream: string, act: () => Promise<void>) {
  const file = openFile(server);
  const row = file.prepare("SELECT state, version FROM objects WHERE stream = ?").get(stream);
  const { state, version } = row as { readonly state: string; readonly version: number };
  const write = file.prepare("UPDATE objects SET state = ?, version = ? WHERE stream = ?");
  expect(write.run('{"damaged', version + 1, stream).changes).toBe(1);
  try {
    await act();
  } finally {
    write.run(state, version, stream);
    file.close();
  }
}

/** The line that tells operators everything about an answer that tells callers nothing. */
function expectLogged(server: TestServer, requestId: string | undefined): void {
  const lines = server.logged().map((line) => JSON.parse(line));
  const [failed, call] = lines.filter((line) => line.requestId === requestId);
  expect(failed).toMatchObject({
    level: 50,
    err: {
      type: "Forged",
      message: expect.stringContaining("is not what was written"),
      stack: expect.stringMatching(/at assertObject[\s\S]*src\/\w+/),
    },
  });
  expect(call).toMatchObject({ msg: "call", code: "INTERNAL" });
}

describe("a defect", () => {
  const server = hostileServer();
  const internal = {
    status: 500,
    code: 13,
    reason: "INTERNAL",
    message: /^internal error [\da-f-]{36}$/,
  };

  function expectInternal(dialect: DialectName, answer: RawAnswer): void {
    expectRefusal(dialect, answer, internal);
    const requestId = answer.headers["x-request-id"];
    expect(readRefusal(dialect, answer).message).toBe(`internal error ${requestId}`);
    expect(JSON.stringify([answer, answer.body.toString()])).not.toMatch(/damaged|Forged|row/);
    expectLogged(server(), requestId);
  }

  few(3).each(dialectNames)("before the body is read, over %s", async (dialect) => {
    const { userId } = server().admin;
    await whileDamaged(server(), `user-${userId}`, async () => {
      expectInternal(dialect, await send(server(), dialect, { body: empty(dialect) }));
    });
    expectRefusal(dialect, await send(server(), dialect, { body: empty(dialect) }), reached);
  });

  few(3).each(dialectNames)("in the handler, over %s", async (dialect) => {
    // The first start made this one, so nothing is written here.
    const { project } = server();
    const isRest = dialect === "rest";
    const path = isRest ? `/management/v1/projects/${project}/apps/api` : addAPIApp;
    const json = JSON.stringify({ ...(isRest ? {} : { projectId: project }), name: "a" });
    const field = (tag: number, text: string) => [tag, text.length, ...Buffer.from(text)];
    const proto = Buffer.from([...field(0x0a, project), ...field(0x12, "a")]);
    const body = bodyFor(dialect, dialects[dialect].body === "json" ? json : proto);
    await whileDamaged(server(), `project-${project}`, async () => {
      expectInternal(dialect, await send(server(), dialect, { path, body }));
    });
  });
});

describe("a store that is gone", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
    await server.store.close();
  });
  afterAll(async () => {
    const open = openConnections();
    await server.close();
    expect(open).toBe(0);
  });

  const unavailable = {
    status: 503,
    code: 14,
    reason: "UNAVAILABLE",
    message: /^The event log cannot be reached or written now\. Try again later\.$/,
  };
  few(3).each(dialectNames)("is told over %s", async (dialect) => {
    const answer = await send(server, dialect, { body: empty(dialect) });
    expectRefusal(dialect, answer, unavailable);
    expect(fieldsOf(dialect, answer)).not.toHaveProperty("www-authenticate");
  });

  test("makes the server not ready, and leaves it alive", async () => {
    const get = { verb: "GET", without: ["content-type"] };
    const ready = await send(server, "json", { ...get, path: "/readyz" });
    expectRefusal("json", ready, { ...unavailable, message: /accepts no calls now/ });
    expect(await send(server, "json", { ...get, path: "/healthz" })).toMatchObject({ status: 200 });
  });
});

describe("a store that another process holds", () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(async () => {
    await server.close();
  });

  test.each([
    ["json", "connect-timeout-ms", "20"],
    ["rest", "connect-timeout-ms", "20"],
    ["grpc", "grpc-timeout", "20m"],
    ["grpc-web+json", "grpc-timeout", "20m"],
  ] as const)("keeps nobody over %s past the deadline", async (dialect, name, value) => {
    const unique = v7();
    const proto = Buffer.concat([Buffer.from([0x0a, unique.length]), Buffer.from(unique)]);
    const message = dialects[dialect].body === "json" ? JSON.stringify({ name: unique }) : proto;
    const file = openFile(server);
    file.exec("BEGIN IMMEDIATE");
    const answer = await send(server, dialect, {
      fields: [[name, value]],
      body: bodyFor(dialect, message),
    });
    file.exec("ROLLBACK");
    file.close();
    expectRefusal(dialect, answer, {
      status: 504,
      code: 4,
      reason: "DEADLINE_EXCEEDED",
      message: /^The deadline that the caller set has passed\.$/,
    });
    const after = { body: bodyFor("json", JSON.stringify({ name: v7() })) };
    expect(await send(server, "json", after)).toMatchObject({ status: 200 });
  });
});
