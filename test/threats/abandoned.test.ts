import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ImportHumanUserRequestSchema } from "../../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { createPasswords, type Passwords } from "../../src/secrets/passwords/passwords.ts";
import { HashingOverloaded } from "../../src/secrets/passwords/threads.ts";
import { createSlots } from "../../src/slots.ts";
import { logsTo } from "../../src/start/logger.ts";
import { bearer } from "../access/http.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { serveWith } from "./place.ts";

// Who imports people and does not wait for the answer must not keep the hashing busy.

const { importHumanUser } = ManagementService.method;

let server: TestServer;
let real: Passwords;
let slow: Awaited<ReturnType<typeof serveWith>>;
/** Passwords that were really hashed. */
let hashed: string[];
/** Settles when a password waits to be hashed, and holds what becomes of it. */
let asked: PromiseWithResolvers<{ readonly outcome: Promise<string> }>;
/** Holds the only place where passwords are hashed until the test lets go. */
let hold: PromiseWithResolvers<void>;
let held: Promise<void>;
const queue = createSlots({
  concurrentMax: 1,
  waitingMax: 1,
  overloaded: () => new HashingOverloaded(),
});
/** The next line of the log. */
let line: PromiseWithResolvers<string>;

beforeAll(async () => {
  server = await startServer();
  real = createPasswords({ random: randomBytes });
  const passwords: Passwords = {
    ...real,
    hashPassword(password, waits) {
      const work = () => {
        hashed.push(password);
        return real.hashPassword(password);
      };
      const outcome = queue.run(work, waits?.signal);
      asked.resolve({ outcome });
      return outcome;
    },
  };
  const logs = logsTo({ write: (text) => line.resolve(text) }, "info");
  slow = await serveWith(server, { passwords, logs });
});

beforeEach(() => {
  hashed = [];
  line = Promise.withResolvers();
  asked = Promise.withResolvers();
  hold = Promise.withResolvers();
  held = queue.run(() => hold.promise);
});

afterEach(async () => {
  hold.resolve();
  await held;
});

afterAll(async () => {
  await slow.close();
  await real.close();
  await server.close();
});

function person(password: string) {
  return {
    userName: v7(),
    profile: { firstName: "Ada", lastName: "Lovelace" },
    email: { email: "ada@example.com" },
    password,
  };
}

/** A call that its caller gives up, and how; it resolves when the caller has done with it. */
interface Call {
  readonly given: Promise<unknown>;
  leave(): void;
}

const overHttp = (path: string) => (): Call => {
  const headers = { ...bearer(server.admin.token), "content-type": "application/json" };
  const sending = request({ port: slow.port, host: "127.0.0.1", method: "POST", path, headers });
  // What the connection says when it ends is no matter here.
  const given = new Promise((resolve) => sending.once("close", resolve));
  sending.on("error", () => {});
  sending.end(JSON.stringify(person("correct horse")));
  return { given, leave: () => void sending.destroy() };
};

const over = (transport: typeof createGrpcTransport) => (): Call => {
  const client = createClient(ManagementService, transport({ baseUrl: slow.url }));
  const call = new AbortController();
  const message = create(ImportHumanUserRequestSchema, person("correct horse"));
  const headers = bearer(server.admin.token);
  const given = client
    .importHumanUser(message, { signal: call.signal, headers })
    .catch(() => undefined);
  return { given, leave: () => call.abort() };
};

describe("an import that was given up while it waited to be hashed", () => {
  test.each([
    ["REST over HTTP/1.1", overHttp("/management/v1/users/human/_import")],
    ["JSON over HTTP/1.1", overHttp(`/${ManagementService.typeName}/${importHumanUser.name}`)],
    [
      "Connect over HTTP/2",
      over((options) => createConnectTransport({ ...options, httpVersion: "2" })),
    ],
    ["gRPC", over(createGrpcTransport)],
  ])("over %s is neither hashed nor written", async (_, begin) => {
    const before = await server.head();
    const { given, leave } = begin();
    const { outcome } = await asked.promise;
    leave();
    await given;
    await expect(outcome).rejects.toBeDefined();

    // The one place to wait in is free again.
    const next = queue.run(() => Promise.resolve("next"));
    hold.resolve();
    await held;
    expect(await next).toBe("next");
    expect(hashed).toEqual([]);
    expect(await server.events(before)).toEqual([]);
    expect(JSON.parse(await line.promise)).toMatchObject({ msg: "call", code: "CANCELED" });
  });

  test("is one of many; who stays is served", async () => {
    const { given, leave } = overHttp("/management/v1/users/human/_import")();
    const { outcome } = await asked.promise;
    leave();
    await given;
    await expect(outcome).rejects.toBeDefined();

    const before = await server.head();
    asked = Promise.withResolvers();
    const answer = fetch(`${slow.url}/management/v1/users/human/_import`, {
      method: "POST",
      headers: { ...bearer(server.admin.token), "content-type": "application/json" },
      body: JSON.stringify(person("battery staple")),
    });
    await asked.promise;
    hold.resolve();
    expect((await answer).status).toBe(200);
    expect(hashed).toEqual(["battery staple"]);
    const types = (await server.events(before)).map(({ type }) => type);
    expect(types).toEqual(["user.human.added", "user.human.initialization.code.added"]);
  });
});
