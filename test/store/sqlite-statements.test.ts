import { afterAll, beforeAll, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { startServer, type TestServer } from "../harness/server.ts";

// How many statements one call runs for its append, besides those of the commit that it may share.

const prototype = Object.getPrototypeOf(new Database(":memory:").prepare("SELECT 1"));
const methods = ["run", "get", "all", "iterate"] as const;
const originals = methods.map((method) => prototype[method]);
const ran: string[] = [];

let server: TestServer;
let projectId: unknown;
beforeAll(async () => {
  server = await startServer();
  projectId = (await call("AddProject", { name: "Statements" })).id;
  for (const [i, method] of methods.entries()) {
    prototype[method] = function (this: Database.Statement, ...values: unknown[]) {
      ran.push(this.source);
      return originals[i].apply(this, values);
    };
  }
});
afterAll(async () => {
  for (const [i, method] of methods.entries()) prototype[method] = originals[i];
  await server.close();
});

async function call(method: string, body: object): Promise<{ readonly [name: string]: unknown }> {
  const path = `/iam.management.v1.ManagementService/${method}`;
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${server.admin.token}`,
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as { readonly [name: string]: unknown };
}

/** What every commit runs once, however many appends share it. */
const ofCommit = [
  /^BEGIN IMMEDIATE$/,
  /^SELECT revision FROM projection$/,
  /^PRAGMA (?:user|data)_version$/,
  /^UPDATE head SET /,
  /^COMMIT$/,
];

const person = (name: string) => ({
  userName: name,
  profile: { firstName: "Ada", lastName: name },
  email: { email: `${name}@example.com` },
});

test.each<[method: string, count: number, body: (name: string) => object]>([
  ["AddAPIApp", 6, (name) => ({ projectId, name, authMethodType: 1 })],
  ["AddOIDCApp", 6, (name) => ({ projectId, name, redirectUris: ["https://a.example/b"] })],
  ["AddMachineUser", 6, (name) => ({ userName: name, name })],
  ["ImportHumanUser", 12, person],
])("%s runs %d of its own", async (method, count, body) => {
  // Lists and statements are made the first time.
  for (const time of [1, 2]) await call(method, body(`${method}-${time}`.toLowerCase()));
  ran.length = 0;
  await call(method, body(`${method}-3`.toLowerCase()));
  const begun = ran.indexOf("BEGIN IMMEDIATE");
  const appended = ran.slice(begun, ran.indexOf("COMMIT", begun) + 1);
  const own = appended.filter((text) => !ofCommit.some((known) => known.test(text)));
  expect({ count: own.length, own }).toEqual({ count, own });
});
