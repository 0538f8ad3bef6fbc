import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "@jest/globals";
import {
  bodyFor,
  type DialectName,
  type Fields,
  hostileServer,
  jsonDialects,
  send,
} from "./hostile.ts";
import { exchangeHttp2, openRaw } from "./raw.ts";
import { expectRefusal, readRefusal } from "./refusal.ts";

const server = hostileServer();
const service = "/iam.management.v1.ManagementService";
/** What must stay with whoever sent it. */
const planted = "PLANTED-q";

const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };

/** The ways that have paths of their own, with the path of importing a person. */
const ways: readonly (readonly [DialectName, string])[] = [
  ["json", `${service}/ImportHumanUser`],
  ["connect-json", `${service}/ImportHumanUser`],
  ["rest", "/management/v1/users/human/_import"],
];

let logged: number;
beforeEach(() => {
  logged = server().logged().length;
});

describe.each(ways)("over %s", (dialect, path) => {
  test.each<readonly [string, string, readonly string[]]>([
    ["of a value that is no text", `{"password":{"a":"${planted}"}}`, ["password"]],
    ["of a value in other quotation marks", `{"password":'${planted}'}`, [""]],
    ["of a value without its end", `{"password":"${planted}`, [""]],
    ["of a value without quotation marks", `{"password":${planted}}`, [""]],
    ["of a value with a bad escape", `{"password":"\\${planted}"}`, [""]],
    ["of a value behind the end", `{} "${planted}"`, [""]],
    ["of an enum", `{"profile":{"gender":"${planted}"}}`, ["profile.gender"]],
    ["of a number", `{"profile":{"gender":"${planted}"},"idps":3}`, ["profile.gender", "idps"]],
    ["of an unknown field", `{"secret":"${planted}"}`, ["secret"]],
    ["in place of a name", `{"${planted}":1}`, [""]],
    ["given twice", `{"password":"${planted}","password":"${planted}"}`, ["password"]],
    ["under both names", `{"userName":"${planted}","user_name":"${planted}"}`, ["user_name"]],
    ["with half a character", `{"password":"${planted}\\ud800"}`, ["password"]],
    ["in place of the message", `"${planted}"`, [""]],
  ])("a secret stays secret: %s", async (_, body, fields) => {
    const answer = await send(server(), dialect, { path, body });
    expectRefusal(dialect, answer, { ...malformed, fields });
    const told = JSON.stringify([answer.headers, answer.body.toString()]);
    const packed = [...told.matchAll(/"value\\":\\"([\w+/=-]+)/g)].map(([, value = ""]) =>
      Buffer.from(value, "base64").toString(),
    );
    const lines = server().logged().slice(logged);
    expect(lines).toHaveLength(1);
    expect([told, ...packed, ...lines].join()).not.toContain("PLANTED");
  });
});

describe("the same is said of a message", () => {
  const body = '{"name":5,"nmae":"a"}';
  const message = /^name: must be a text; nmae: is unknown; did you mean name\?$/;
  const expected = { ...malformed, message, fields: ["name", "nmae"] };

  test.each(jsonDialects)("that is compressed, over %s", async (dialect) => {
    const packed = bodyFor(dialect, gzipSync(body), 1);
    const field = dialect.startsWith("grpc") ? "grpc-encoding" : "content-encoding";
    const fields: Fields = [[field, "gzip"]];
    expectRefusal(dialect, await send(server(), dialect, { fields, body: packed }), expected);
  });

  test.each(jsonDialects)("that comes in chunks, over %s", async (dialect) => {
    const hostile = { body: bodyFor(dialect, body), isChunked: true };
    expectRefusal(dialect, await send(server(), dialect, hostile), expected);
  });

  test("that comes byte by byte", async () => {
    const connection = await openRaw(server().port);
    const head = [
      "POST /management/v1/projects HTTP/1.1",
      "host: localhost",
      "content-type: application/json",
      `authorization: Bearer ${server().admin.token}`,
      `content-length: ${body.length}`,
    ];
    connection.write(`${head.join("\r\n")}\r\n\r\n`);
    for (const byte of Buffer.from(body)) connection.write(Buffer.from([byte]));
    expectRefusal("rest", await connection.answer(), expected);
    await connection.close();
  });
});

describe("more problems than there is room for are counted", () => {
  const path = `${service}/AddOIDCApp`;
  const body = JSON.stringify({ redirectUris: Array(500).fill(1) });

  test.each(jsonDialects.filter((dialect) => dialect !== "rest"))("over %s", async (dialect) => {
    const answer = await send(server(), dialect, { path, body: bodyFor(dialect, body) });
    const { reason, fields } = readRefusal(dialect, answer) as {
      readonly reason: string;
      readonly fields: readonly string[];
    };
    expect(reason).toBe("MALFORMED_REQUEST");
    expect(fields.slice(0, 2)).toEqual(["redirect_uris[0]", "redirect_uris[1]"]);
    expect(fields.length).toBeGreaterThan(50);
    expect(fields.length).toBeLessThan(500);
  });
});

describe("a stream", () => {
  const fields = { "content-type": "application/connect+json" };
  const call = async (path: string, body: Buffer) => {
    const { admin, port } = server();
    const head = { ":method": "POST", ":path": path, authorization: `Bearer ${admin.token}` };
    const { answer } = await exchangeHttp2(port, { ...head, ...fields }, body);
    return answer!.body.subarray(5).toString();
  };
  const json = (text: string) => bodyFor("grpc+json", text);

  test("of one message is told what is wrong with it", async () => {
    const path = "/iam.event.v1.EventService/WatchEvents";
    const { error } = JSON.parse(await call(path, json(`{"secret":"${planted}"}`)));
    expect(error).toMatchObject({ code: "invalid_argument" });
    expect(error.message).toMatch(/^secret: is unknown; the fields are /);
    expect(error.message).not.toContain("PLANTED");
  });

  test("of many messages is not told which of them it was", async () => {
    const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
    const { error } = JSON.parse(await call(path, json(`{"secret":"${planted}"}`)));
    expect(error).toMatchObject({
      code: "invalid_argument",
      message: "The body is not JSON that fits the request message.",
    });
  });
});
