import { describe, expect, test } from "@jest/globals";
import { bodyFor, hostileServer, jsonDialects, perDialect, send } from "./hostile.ts";
import { expectRefusal, type Refusal, reached } from "./refusal.ts";

const server = hostileServer();

const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };
const invalid = { status: 400, code: 3, reason: "INVALID_FIELDS" };

/** A body of the method AddProject, and what its refusal says; most are malformed. */
interface Row {
  readonly name: string;
  readonly body: string | Uint8Array;
  readonly message?: RegExp;
  readonly expected?: Refusal;
}

function runRows(rows: readonly Row[]): void {
  test.each(perDialect(rows, () => jsonDialects))("$title", async (row) => {
    const { dialect, body, message = /./, expected = { ...malformed, message } } = row;
    const answer = await send(server(), dialect, { body: bodyFor(dialect, body) });
    expectRefusal(dialect, answer, expected);
    // Nothing that is sent comes back multiplied.
    expect(answer.body.length).toBeLessThan(20_000);
  });
}

const cannotDecode = /^cannot decode message iam\.management\.v1\.AddProjectRequest from JSON: /;
const notJson = (said: string) => RegExp(`${cannotDecode.source}.*${said}`, "s");
const unknown = (key: string) => RegExp(`${cannotDecode.source}key "${key}" is unknown$`);
const nested = (open: string, close: string, depth: number) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

describe("text that is no JSON", () => {
  runRows([
    { name: "cut off in a field", body: '{"name":', message: notJson("end of JSON") },
    { name: "cut off in a text", body: '{"name":"a', message: notJson("Unterminated string") },
    { name: "with something after it", body: '{"name":"a"} x', message: notJson("after JSON") },
    { name: "two messages", body: '{"name":"a"}{"name":"b"}', message: notJson("after JSON") },
    { name: "only white space", body: " \n", message: notJson("end of JSON") },
    { name: "with a comma too many", body: '{"name":"a",}', message: notJson("property name") },
    { name: "in other quotation marks", body: "{'name':'a'}", message: notJson("property name") },
    { name: "with a comment", body: '{"name":"a" /* b */}', message: notJson("in JSON") },
    { name: "with NaN", body: '{"name":NaN}', message: notJson("not valid JSON") },
    { name: "with Infinity", body: '{"name":-Infinity}', message: notJson("in JSON") },
    { name: "with a bare U+0000", body: '{"name":"a\0b"}', message: notJson("control character") },
    { name: "10,000 open lists", body: "[".repeat(10_000), message: notJson("end of JSON") },
    { name: "10,000 open objects", body: '{"a":'.repeat(10_000), message: notJson("end of JSON") },
    { name: "Protobuf", body: Buffer.from([0x0a, 0x01, 0x61]), message: notJson("JSON") },
  ]);
});

describe("bytes that are no text", () => {
  const message = /^The body is not text: JSON must be sent as UTF-8\.$/;
  const inName = (...bytes: readonly number[]) =>
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
  runRows([
    { name: "0xff", body: inName(0xff), message },
    { name: "an overlong form", body: inName(0xc0, 0xaf), message },
    { name: "half a character as UTF-8", body: inName(0xed, 0xa0, 0x80), message },
    { name: "a character cut off", body: inName(0xe2, 0x82), message },
    { name: "past U+10FFFF", body: inName(0xf4, 0x90, 0x80, 0x80), message },
    { name: "UTF-16", body: Buffer.from('\ufeff{"name":"a"}', "utf16le"), message },
  ]);
});

describe("JSON that is no message", () => {
  runRows([
    { name: "a list", body: "[]", message: /from JSON: Array\(0\)$/ },
    { name: "a text", body: '"a"', message: /from JSON: "a"$/ },
    { name: "a number", body: "1", message: /from JSON: 1$/ },
    { name: "true", body: "true", message: /from JSON: true$/ },
    { name: "null", body: "null", message: /from JSON: null$/ },
    {
      name: "after a byte order mark, only the message counts",
      body: "\ufeff{}",
      expected: reached,
    },
  ]);
});

describe("an unknown field", () => {
  runRows([
    { name: "with a letter too few", body: '{"nme":"a"}', message: unknown("nme") },
    { name: "in other case", body: '{"Name":"a"}', message: unknown("Name") },
    { name: "that is null", body: '{"name":"a","x":null}', message: unknown("x") },
    { name: "without a name", body: '{"name":"a","":1}', message: unknown("") },
    { name: "with the type", body: '{"@type":"x","name":"a"}', message: unknown("@type") },
    { name: "of an extension", body: '{"name":"a","[x.y]":1}', message: unknown("\\[x\\.y\\]") },
    { name: "with a number for a name", body: '{"name":"a","1":"b"}', message: unknown("1") },
    { name: "with U+0000 in its name", body: '{"na\\u0000me":"a"}', message: unknown("na\0me") },
    { name: "with half a character", body: '{"\\ud800":1}', message: unknown("\ufffd") },
    ...["__proto__", "constructor", "prototype", "toString", "$typeName", "$unknown"].map(
      (key) => ({
        name: `called ${key}`,
        body: `{"name":"a","${key}":{"name":"b"}}`,
        message: unknown(key.replace("$", "\\$")),
      }),
    ),
    {
      name: "in 10,000 levels",
      body: `{"x":${nested('{"x":', "}", 10_000)}}`,
      message: unknown("x"),
    },
    {
      name: "of 40,000 characters, which are not all repeated",
      body: `{"${"k".repeat(40_000)}":1}`,
      message: /key "k{900,1000}…$/,
    },
  ]);
});

describe("a field given twice", () => {
  const twice = /duplicate object key "name"$/;
  const bothNames = /AddProjectRequest\.has_project_check from JSON: set multiple times$/;
  runRows([
    { name: "by the same name", body: '{"name":"a","name":"b"}', message: twice },
    { name: "with the same value", body: '{"name":"a","name":"a"}', message: twice },
    { name: "once as null", body: '{"name":null,"name":"b"}', message: twice },
    { name: "once escaped", body: '{"name":"a","n\\u0061me":"b"}', message: twice },
    {
      name: "by both of its names",
      body: '{"name":"a","hasProjectCheck":true,"has_project_check":false}',
      message: bothNames,
    },
    {
      name: "by its other name, as null",
      body: '{"name":"a","hasProjectCheck":true,"has_project_check":null}',
      message: bothNames,
    },
    {
      name: "that is unknown",
      body: '{"__proto__":1,"__proto__":2}',
      message: /duplicate object key "__proto__"$/,
    },
  ]);
});

describe("a value of the wrong kind", () => {
  const field = (name: string, said: string) =>
    RegExp(`cannot decode field iam\\.management\\.v1\\.AddProjectRequest\\.${name} .*: ${said}`);
  const style = "privateLabelingSetting";
  runRows([
    { name: "a number for a text", body: '{"name":5}', message: field("name", "expected string") },
    {
      name: "a huge number for a text",
      body: '{"name":1e999}',
      message: field("name", "expected"),
    },
    {
      name: "a list for a text",
      body: '{"name":["a"]}',
      message: field("name", "expected string"),
    },
    {
      name: "an object for a text",
      body: '{"name":{}}',
      message: field("name", "expected string"),
    },
    {
      name: "10,000 lists for a text",
      body: `{"name":${nested("[", "]", 10_000)}}`,
      message: field("name", "expected string"),
    },
    {
      name: "half a character in a text",
      body: '{"name":"\\ud800"}',
      message: field("name", "expected string: invalid UTF8"),
    },
    {
      name: "a text for a boolean",
      body: '{"name":"a","projectRoleCheck":"true"}',
      message: field("project_role_check", "expected boolean"),
    },
    {
      name: "a number for a boolean",
      body: '{"name":"a","projectRoleCheck":1}',
      message: field("project_role_check", "expected boolean"),
    },
    { name: "an unknown enum name", body: `{"${style}":"NOPE"}`, message: /from JSON: "NOPE"$/ },
    {
      name: "an enum name in other case",
      body: `{"${style}":"private_labeling_setting_unspecified"}`,
      message: /cannot decode enum iam\.project\.v1\.PrivateLabelingSetting from JSON/,
    },
    {
      name: "an enum name of 40,000 characters",
      body: `{"${style}":"${"N".repeat(40_000)}"}`,
      message: /^cannot decode enum iam\.project\.v1\.PrivateLabelingSetting from JSON: string$/,
    },
    { name: "half an enum number", body: `{"${style}":1.5}`, message: /from JSON: 1\.5$/ },
    {
      name: "an enum number past int32",
      body: `{"${style}":3000000000}`,
      message: /3000000000 out of range$/,
    },
    {
      name: "an undefined enum number",
      body: `{"name":"a","${style}":99}`,
      expected: {
        ...invalid,
        fields: ["private_labeling_setting"],
        message: /defined enum values/,
      },
    },
    {
      name: "an escaped U+0000",
      body: '{"name":"a\\u0000b"}',
      expected: { ...invalid, fields: ["name"], message: /must not contain the character U\+0000/ },
    },
    { name: "null, which is none", body: '{"name":null}', expected: reached },
  ]);
});

describe("fields of other methods", () => {
  const path = "/iam.management.v1.ManagementService/AddOIDCApp";
  const app = (fields: string) => `{"projectId":"x","name":"a",${fields}}`;
  const list = (entry: string, length: number) => `[${Array(length).fill(entry).join()}]`;
  const uris = (count: number) =>
    Array.from({ length: count }, (_none, at) => `redirect_uris[${at}]`);

  const rows: readonly Row[] = [
    {
      name: "a text for a list",
      body: app('"redirectUris":"a"'),
      message: /redirect_uris from JSON: expected Array, got "a"$/,
    },
    {
      name: "null in a list",
      body: app('"redirectUris":[null]'),
      message: /redirect_uris from JSON: list item must not be null$/,
    },
    {
      name: "a list in a list",
      body: app('"redirectUris":[["a"]]'),
      message: /redirect_uris from JSON: list item #1: expected string/,
    },
    {
      name: "U+0000 in a list",
      body: app('"redirectUris":["https://a","b\\u0000"]'),
      expected: { ...invalid, fields: ["redirect_uris[1]"] },
    },
    {
      name: "30 entries with U+0000",
      body: app(`"redirectUris":${list('"\\u0000"', 30)}`),
      expected: { ...invalid, fields: uris(30) },
    },
    {
      name: "10,000 entries with U+0000, which are not listed one by one",
      body: app(`"redirectUris":${list('"\\u0000"', 10_000)}`),
      expected: { ...invalid, fields: ["redirect_uris"] },
    },
    {
      name: "a duration past its range",
      body: app('"clockSkew":"99999999999999999s"'),
      message: /google\.protobuf\.Duration from JSON: "99999999999999999s"$/,
    },
    {
      name: "a duration without a unit",
      body: app('"clockSkew":"5"'),
      message: /google\.protobuf\.Duration from JSON: "5"$/,
    },
    {
      name: "a duration as an object",
      body: app('"clockSkew":{"seconds":1}'),
      message: /google\.protobuf\.Duration from JSON/,
    },
    {
      name: "an unknown name among the list's enums",
      body: app('"grantTypes":["OIDC_GRANT_TYPE_IMPLICIT","X"]'),
      message: /OIDCGrantType from JSON: "X"$/,
    },
  ];
  test.each(rows)(
    "$name",
    async ({ body, message = /./, expected = { ...malformed, message } }) => {
      expectRefusal("json", await send(server(), "json", { path, body }), expected);
    },
  );
});
