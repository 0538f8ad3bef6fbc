import { describe, expect, test } from "@jest/globals";
import { few } from "../../harness/in-full.ts";
import {
  type DialectName,
  dialectNames,
  dialects,
  type Fields,
  hostileServer,
  http1Request,
  isFramed,
  perDialect,
  restPath,
  rpcPath,
  send,
} from "../hostile.ts";
import { openRaw } from "../raw.ts";
import { expectNoLeak, expectRefusal, fieldsOf, type Refusal } from "../refusal.ts";

const server = hostileServer();

const rpcDialects = dialectNames.filter((name) => name !== "rest");
const paramPath = (value: string) => `/management/v1/projects/${value}/apps/api`;

const unknownPath = { status: 404, code: 5, reason: "UNKNOWN_PATH", message: /No operation/ };
const malformedPath = {
  status: 400,
  code: 3,
  reason: "MALFORMED_REQUEST",
  message: /^The path or a header cannot be decoded\.$/,
};

describe("an unknown path", () => {
  const rows: readonly { readonly name: string; readonly path: string }[] = [
    { name: "of nothing", path: "/nothing" },
    { name: "of an unknown service", path: "/iam.management.v1.NoService/AddProject" },
    { name: "of an unknown method", path: "/iam.management.v1.ManagementService/Nothing" },
    { name: "with a slash at the end", path: `${rpcPath}/` },
    { name: "with two slashes at the front", path: `/${rpcPath}` },
    { name: "in other case", path: rpcPath.toLowerCase() },
    { name: "with a step up", path: `/nothing/..${rpcPath}` },
    { name: "with an encoded step up", path: `/nothing/%2e%2e${rpcPath}` },
    { name: "with an encoded slash", path: rpcPath.replace("/Add", "%2fAdd") },
    { name: "with U+0000", path: `${rpcPath}%00` },
    { name: "with a matrix parameter", path: `${rpcPath};a=b` },
    { name: "of 10,000 characters", path: `/${"x".repeat(10_000)}` },
    { name: "of another version", path: "/management/v9/projects" },
    { name: "with a step up to REST", path: `/management/v1/x/..${restPath}` },
  ];
  test.each(perDialect(rows, () => dialectNames))("$title", async ({ dialect, path }) => {
    const answer = await send(server(), dialect, { path, body: "{}" });
    // One who asks a gRPC server for what it does not have is told so by 12.
    expectRefusal(dialect, answer, { ...unknownPath, code: isFramed(dialect) ? 12 : 5 });
  });
});

describe("two names for one thing: a path whose first character is no slash", () => {
  const health = "/grpc.health.v1.Health/Check";
  const paths = [rpcPath, restPath, paramPath("x"), health, "/healthz", "/ui/account"];
  const rows = paths.flatMap((path) =>
    ["*", "x", "."].map((first) => ({
      verb: path === "/healthz" || path === "/ui/account" ? "GET" : "POST",
      path: first + path.slice(1),
    })),
  );

  few(6).each(rows.filter(({ path }) => path.startsWith("*")))("$verb $path", async (asked) => {
    const answer = await send(server(), "json", { ...asked, body: "{}" });
    expectRefusal("json", answer, unknownPath);
  });

  // With a scheme of one's own, HTTP/2 takes any path.
  few(6).each(rows)("$verb $path over HTTP/2", async (asked) => {
    const fields: Fields = [
      [":scheme", "x"],
      ["content-type", "application/json"],
    ];
    const answer = await send(server(), "grpc", {
      ...asked,
      without: ["content-type"],
      fields,
      body: "{}",
    });
    expectRefusal("json", answer, unknownPath);
  });
});

describe("a path that cannot be decoded", () => {
  const rows: readonly { readonly name: string; readonly path: string }[] = [
    { name: "%ff", path: "/%ff" },
    { name: "%", path: "/%" },
    { name: "%ff in a method", path: `${rpcPath}%ff` },
    { name: "%ff in a parameter", path: paramPath("%ff") },
    { name: "% in a parameter", path: paramPath("%") },
    { name: "half a character in a parameter", path: paramPath("%ed%a0%80") },
  ];
  test.each(perDialect(rows, () => dialectNames))("$title", async ({ dialect, path }) => {
    expectRefusal(dialect, await send(server(), dialect, { path, body: "{}" }), malformedPath);
  });
});

describe("a path parameter", () => {
  const notFound = { status: 404, code: 5, reason: "PROJECT_NOT_FOUND" };
  const invalid = { status: 400, code: 3, reason: "INVALID_FIELDS", fields: ["project_id"] };
  const rows: readonly (readonly [string, string, Refusal])[] = [
    ["an encoded slash", "a%2fb", notFound],
    ["two dots", "..", notFound],
    ["two encoded dots", "%2e%2e", notFound],
    ["what SQL would take for its own", "'%20OR%201=1--", notFound],
    ["a name of the prototype", "__proto__", notFound],
    ["U+0000", "a%00b", { ...invalid, message: /must not contain the character U\+0000/ }],
    ["5,000 characters", "x".repeat(5_000), { ...invalid, message: /at most 200 characters/ }],
  ];
  test.each(rows)("%s", async (_name, value, expected) => {
    const answer = await send(server(), "rest", { path: paramPath(value), body: `{"name":"n"}` });
    expectRefusal("rest", answer, expected);
  });
});

test("a whole address is asked for by its path, as a proxy asks", async () => {
  const base = "http://iam.example.com";
  const found = await send(server(), "json", { verb: "GET", path: `${base}/healthz?x=/readyz` });
  expect(found).toMatchObject({ status: 200 });
  const answer = await send(server(), "rest", { path: base + paramPath("x"), body: "{" });
  expectRefusal("rest", answer, { status: 400, code: 3, reason: "MALFORMED_REQUEST" });
  expectRefusal("rest", await send(server(), "rest", { path: base }), unknownPath);
});

test("a query on a REST path is refused, since nothing reads it", async () => {
  const refused = { status: 400, code: 3, reason: "MALFORMED_REQUEST", message: /no query/ };
  const asset = "/management/v1/assets/ASSET_KIND_LOGO/ASSET_THEME_LIGHT?instance=true";
  const removal = { verb: "DELETE", path: asset, without: ["content-type"] };
  expectRefusal("rest", await send(server(), "rest", removal), refused);
  const creation = { path: `${restPath}?orgId=x`, body: `{"name":"n"}` };
  expectRefusal("rest", await send(server(), "rest", creation), refused);
});

describe("a wrong verb", () => {
  const verbs = ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY"];
  const paths: readonly (readonly [path: string, allow: string])[] = [
    [rpcPath, "POST"],
    ["/grpc.health.v1.Health/Check", "POST"],
    [restPath, "POST"],
    [paramPath("x"), "POST"],
    ["/management/v1/users/x/pats/y", "DELETE"],
    ["/healthz", "GET"],
    ["/readyz", "GET"],
  ];
  const rows = paths.flatMap(([path, allow]) =>
    [...verbs, "POST"].flatMap((verb) => (verb === allow ? [] : [{ verb, path, allow }])),
  );
  const notAllowed = { status: 405, code: 12, reason: "METHOD_NOT_ALLOWED" };

  few(8).each(rows)("$verb $path", async ({ verb, path, allow }) => {
    const hostile = { verb, path, without: ["content-type"] };
    const answer = await send(server(), "json", hostile);
    expectRefusal("json", answer, { ...notAllowed, message: RegExp(`supports ${allow}`) });
    expect(answer.headers.allow).toBe(allow);
  });

  few(3).each(paths)("HEAD %s", async (path, allow) => {
    const answer = await send(server(), "json", { verb: "HEAD", path });
    expect(answer).toMatchObject({ status: 405, headers: { allow } });
    expect(answer.body).toHaveLength(0);
  });

  test.each([
    ["is malformed", "x y: z"],
    ["is too large", `x: ${"y".repeat(20_000)}`],
  ])("HEAD whose header %s", async (_, field) => {
    const connection = await openRaw(server().port);
    connection.write(`HEAD / HTTP/1.1\r\nhost: localhost\r\n${field}\r\n\r\n`);
    const { status, headers } = await connection.answer("HEAD");
    expect([400, 431]).toContain(status);
    expect(headers).toMatchObject({ connection: "close", "content-type": "application/json" });
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });

  few(2).each(rpcDialects)("PUT over %s", async (dialect) => {
    const answer = await send(server(), dialect, { verb: "PUT" });
    expectRefusal(dialect, answer, notAllowed);
    expect(fieldsOf(dialect, answer).allow).toBe("POST");
  });

  test("CONNECT over HTTP/1.1 is not answered", async () => {
    const connection = await openRaw(server().port);
    connection.write(http1Request(server(), "json", { verb: "CONNECT" }));
    expect(await connection.ended()).toHaveLength(0);
    await connection.close();
  });

  test("one that does not exist is no HTTP/1.1", async () => {
    const answer = await send(server(), "json", { verb: "BREW" });
    expect(answer).toMatchObject({ status: 400, headers: { connection: "close" } });
    expect(JSON.parse(answer.body.toString())).toMatchObject({ code: 3 });
  });

  test("one that does not exist, over HTTP/2, asks for an unknown path", async () => {
    const answer = await send(server(), "grpc", { verb: "BREW" });
    expectRefusal("grpc", answer, { ...unknownPath, code: 12 });
  });
});

describe("a request target with a scheme and a host", () => {
  const emptyName = { status: 400, code: 3, reason: "INVALID_FIELDS", fields: ["name"] };
  const rows: readonly (readonly [string, DialectName, string, Refusal])[] = [
    ["is the path in it", "json", `http://evil.example${rpcPath}`, emptyName],
    ["is the path in it, with a query", "json", `http://evil.example${rpcPath}?a=/b`, emptyName],
    ["is the REST path in it", "rest", `https://evil.example${restPath}`, emptyName],
    ["whose host is malformed", "json", `http://[bad${rpcPath}`, malformedPath],
    ["whose host is malformed, over REST", "rest", `http://[bad${restPath}`, malformedPath],
    ["whose port is malformed", "json", `http://evil.example:port${rpcPath}`, malformedPath],
    ["without a host", "json", `http://${rpcPath}`, malformedPath],
    ["with another scheme", "json", `ftp://evil.example${rpcPath}`, unknownPath],
  ];
  test.each(rows)("%s", async (_name, dialect, path, expected) => {
    expectRefusal(dialect, await send(server(), dialect, { path, body: "{}" }), expected);
  });
});

describe("the header host", () => {
  const emptyName = { status: 400, code: 3, reason: "INVALID_FIELDS", fields: ["name"] };
  const hosts = ["", " ", "[x", "evil.example", "a/../b?c#d", "x:port", "\u00ff", "user@x", "a b"];
  const rows = hosts.map((host) => ({ name: `"${host}"`, host }));
  const http1 = dialectNames.filter((name) => dialects[name].http === 1);
  const json = http1.filter((name) => dialects[name].body === "json" && !isFramed(name));

  test.each(perDialect(rows, () => json))("$title misleads nobody", async ({ dialect, host }) => {
    const fields: Fields = [["host", host]];
    expectRefusal(dialect, await send(server(), dialect, { fields, body: "{}" }), emptyName);
  });

  test.each(http1)("given twice over %s is refused", async (dialect) => {
    const fields: Fields = [
      ["host", "localhost"],
      ["host", "evil.example"],
    ];
    expectRefusal(dialect, await send(server(), dialect, { fields }), {
      status: 400,
      code: 3,
      reason: "MALFORMED_REQUEST",
      message: /header host was given more than once: send it once/,
    });
  });

  test("missing is refused by Node", async () => {
    const answer = await send(server(), "json", { without: ["host"] });
    expect(answer).toMatchObject({ status: 400, headers: { connection: "close" } });
    expectNoLeak(answer);
  });
});
