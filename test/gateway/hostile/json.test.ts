import { describe, expect, test } from "@jest/globals";
import { OIDCGrantTypeSchema } from "../../../gen/iam/app/v1/app_pb.js";
import { PrivateLabelingSettingSchema } from "../../../gen/iam/project/v1/project_pb.js";
import { few } from "../../harness/in-full.ts";
import { bodyFor, hostileServer, jsonDialects, perDialect, send } from "../hostile.ts";
import { expectRefusal, type Refusal, reached } from "../refusal.ts";

const server = hostileServer();
const [styles, grants] = [PrivateLabelingSettingSchema, OIDCGrantTypeSchema].map(({ values }) =>
  values.map(({ name }) => name),
) as [string[], string[]];

const malformed = { status: 400, code: 3, reason: "MALFORMED_REQUEST" };
const invalid = { status: 400, code: 3, reason: "INVALID_FIELDS" };

/** A body of the method AddProject, and what its refusal says; most are malformed. */
interface Row {
  readonly name: string;
  readonly body: string | Uint8Array;
  readonly expected: Refusal;
}

function runRows(rows: readonly Row[]): void {
  test.each(perDialect(rows, () => jsonDialects))("$title", async (row) => {
    const { dialect, body, expected } = row;
    const answer = await send(server(), dialect, { body: bodyFor(dialect, body) });
    expectRefusal(dialect, answer, expected);
    // Nothing that is sent comes back multiplied.
    expect(answer.body.length).toBeLessThan(20_000);
  });
}

/** The refusal with one violation, whose text is all that the message says. */
function told(field: string, description: string): Refusal {
  const text = `${field || "the body"}: ${description}`.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return { ...malformed, message: RegExp(`^${text}$`), fields: [field] };
}
const notJson = (column: number, fault: string) =>
  told("", `must be JSON: ${fault} in line 1, column ${column}`);
const noValue = told("", "must be JSON: a value is missing or misspelt");
const cut = told("", "must be JSON: it ends too soon");
const known =
  "name, projectRoleAssertion, projectRoleCheck, hasProjectCheck, privateLabelingSetting";
const unknown = (key: string) => told(key, `is unknown; the fields are ${known}`);
const unnamed = told("", `has an unknown field; the fields are ${known}`);
const nested = (open: string, close: string, depth: number) =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

describe("text that is no JSON", () => {
  const more = "unexpected non-whitespace character after JSON";
  const control = "bad control character in string literal";
  const comma = "expected ',' or '}' after property value";
  runRows([
    { name: "cut off in a field", body: '{"name":', expected: cut },
    { name: "cut off in a text", body: '{"name":"a', expected: notJson(11, "unterminated string") },
    { name: "with something after it", body: '{"name":"a"} x', expected: notJson(14, more) },
    { name: "two messages", body: '{"name":"a"}{"name":"b"}', expected: notJson(13, more) },
    {
      name: "with a comma too many",
      body: '{"name":"a",}',
      expected: notJson(13, "expected double-quoted property name"),
    },
    {
      name: "in other quotation marks",
      body: "{'name':'a'}",
      expected: notJson(2, "expected property name or '}'"),
    },
    { name: "with a comment", body: '{"name":"a" /* b */}', expected: notJson(13, comma) },
    { name: "with NaN", body: '{"name":NaN}', expected: noValue },
    {
      name: "with Infinity",
      body: '{"name":-Infinity}',
      expected: notJson(10, "no number after minus sign"),
    },
    { name: "with a bare U+0000", body: '{"name":"a\0b"}', expected: notJson(11, control) },
    { name: "4,000 open lists", body: "[".repeat(4_000), expected: cut },
    { name: "4,000 open objects", body: '{"a":'.repeat(4_000), expected: cut },
    { name: "only a space", body: " ", expected: cut },
    {
      name: "with a fault in another line",
      body: ' \r\n\n {"name" 1}',
      expected: told("", "must be JSON: expected ':' after property name in line 3, column 10"),
    },
    { name: "Protobuf", body: Buffer.from([0x0a, 0x01, 0x61]), expected: malformed },
  ]);
});

describe("bytes that are no text", () => {
  const expected = {
    ...malformed,
    message: /^The body is not valid UTF-8: JSON must be sent as UTF-8\.$/,
    fields: [],
  };
  const inName = (...bytes: readonly number[]) =>
    Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
  runRows([
    { name: "0xff", body: inName(0xff), expected },
    { name: "an overlong form", body: inName(0xc0, 0xaf), expected },
    { name: "half a character as UTF-8", body: inName(0xed, 0xa0, 0x80), expected },
    { name: "a character cut off", body: inName(0xe2, 0x82), expected },
    { name: "past U+10FFFF", body: inName(0xf4, 0x90, 0x80, 0x80), expected },
    { name: "UTF-16", body: Buffer.from('\ufeff{"name":"a"}', "utf16le"), expected },
  ]);
});

describe("JSON that is no message", () => {
  const expected = told("", "must be an object");
  runRows([
    { name: "a list", body: "[]", expected },
    { name: "a text", body: '"a"', expected },
    { name: "a number", body: "1", expected },
    { name: "true", body: "true", expected },
    { name: "null", body: "null", expected },
    {
      name: "after a byte order mark, only the message counts",
      body: "\ufeff{}",
      expected: reached,
    },
  ]);
});

describe("an unknown field", () => {
  const meant = (key: string, name: string) => told(key, `is unknown; did you mean ${name}?`);
  runRows([
    { name: "with a letter too few", body: '{"nme":"a"}', expected: meant("nme", "name") },
    { name: "in other case", body: '{"Name":"a"}', expected: meant("Name", "name") },
    { name: "that is null", body: '{"name":"a","x":null}', expected: unknown("x") },
    { name: "without a name", body: '{"name":"a","":1}', expected: unnamed },
    { name: "with the type", body: '{"@type":"x","name":"a"}', expected: unnamed },
    { name: "of an extension", body: '{"name":"a","[x.y]":1}', expected: unnamed },
    { name: "with a number for a name", body: '{"name":"a","1":"b"}', expected: unnamed },
    { name: "with U+0000 in its name", body: '{"na\\u0000me":"a"}', expected: unnamed },
    { name: "with half a character", body: '{"\\ud800":1}', expected: unnamed },
    ...["__proto__", "constructor", "prototype", "toString", "$typeName", "$unknown"].map(
      (key) => ({
        name: `called ${key}`,
        body: `{"name":"a","${key}":{"name":"b"}}`,
        expected: key.startsWith("$") ? unnamed : unknown(key),
      }),
    ),
    {
      name: "in 4,000 levels",
      body: `{"x":${nested('{"x":', "}", 4_000)}}`,
      expected: unknown("x"),
    },
    {
      name: "of 40,000 characters, which are not repeated",
      body: `{"${"k".repeat(40_000)}":1}`,
      expected: unnamed,
    },
  ]);
});

describe("a field given twice", () => {
  const twice = told("name", "is given twice");
  const bothNames = told(
    "hasProjectCheck",
    "is given twice, as hasProjectCheck and as has_project_check",
  );
  runRows([
    { name: "by the same name", body: '{"name":"a","name":"b"}', expected: twice },
    { name: "with the same value", body: '{"name":"a","name":"a"}', expected: twice },
    { name: "once as null", body: '{"name":null,"name":"b"}', expected: twice },
    { name: "once escaped", body: '{"name":"a","n\\u0061me":"b"}', expected: twice },
    {
      name: "by both of its names",
      body: '{"name":"a","hasProjectCheck":true,"has_project_check":false}',
      expected: bothNames,
    },
    {
      name: "by its other name, as null",
      body: '{"name":"a","hasProjectCheck":true,"has_project_check":null}',
      expected: bothNames,
    },
    {
      name: "that is unknown",
      body: '{"__proto__":1,"__proto__":2}',
      expected: told("", "__proto__ is given twice"),
    },
  ]);
});

describe("a value of the wrong kind", () => {
  const style = "privateLabelingSetting";
  const noText = told("name", "must be a text");
  const noBoolean = told("projectRoleCheck", "must be true or false");
  // Whether a name or a number, what the enum does not have breaks a rule of the field.
  const noStyle = {
    ...told("privateLabelingSetting", `must be one of ${styles.join(", ")}`),
    ...invalid,
  };
  runRows([
    { name: "a number for a text", body: '{"name":5}', expected: noText },
    { name: "a huge number for a text", body: '{"name":1e999}', expected: noText },
    { name: "a list for a text", body: '{"name":["a"]}', expected: noText },
    { name: "an object for a text", body: '{"name":{}}', expected: noText },
    {
      name: "4,000 lists for a text",
      body: `{"name":${nested("[", "]", 4_000)}}`,
      expected: noText,
    },
    {
      name: "half a character in a text",
      body: '{"name":"\\ud800"}',
      expected: told("name", "must not contain half of a surrogate pair"),
    },
    { name: "a text for a boolean", body: '{"projectRoleCheck":"true"}', expected: noBoolean },
    { name: "a number for a boolean", body: '{"projectRoleCheck":1}', expected: noBoolean },
    { name: "an unknown enum name", body: `{"name":"a","${style}":"NOPE"}`, expected: noStyle },
    {
      name: "an enum name in other case",
      body: `{"name":"a","${style}":"private_labeling_setting_unspecified"}`,
      expected: noStyle,
    },
    {
      name: "an enum name of 40,000 characters",
      body: `{"name":"a","${style}":"${"N".repeat(40_000)}"}`,
      expected: noStyle,
    },
    { name: "half an enum number", body: `{"name":"a","${style}":1.5}`, expected: noStyle },
    {
      name: "an enum number past int32",
      body: `{"name":"a","${style}":3000000000}`,
      expected: noStyle,
    },
    {
      name: "an undefined enum number",
      body: `{"name":"a","${style}":99}`,
      expected: noStyle,
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
    Array.from({ length: count }, (_none, at) => `redirectUris[${at}]`);

  const noDuration = told("clockSkew", 'must be a duration, for example "5s", within 10,000 years');
  const rows: readonly Row[] = [
    {
      name: "a text for a list",
      body: app('"redirectUris":"a"'),
      expected: told("redirectUris", "must be a list"),
    },
    {
      name: "null in a list",
      body: app('"redirectUris":[null]'),
      expected: told("redirectUris[0]", "must be a text"),
    },
    {
      name: "a list in a list",
      body: app('"redirectUris":[["a"]]'),
      expected: told("redirectUris[0]", "must be a text"),
    },
    {
      name: "U+0000 in a list",
      body: app('"redirectUris":["https://a","b\\u0000"]'),
      expected: { ...invalid, fields: ["redirectUris[1]"] },
    },
    {
      name: "30 entries with U+0000",
      body: app(`"redirectUris":${list('"\\u0000"', 30)}`),
      expected: { ...invalid, fields: uris(30) },
    },
    {
      name: "4,000 entries with U+0000, which are not listed one by one",
      body: app(`"redirectUris":${list('"\\u0000"', 4_000)}`),
      expected: { ...invalid, fields: ["redirectUris"] },
    },
    {
      name: "a duration past its range",
      body: app('"clockSkew":"9999999999999s"'),
      expected: noDuration,
    },
    { name: "a duration without a unit", body: app('"clockSkew":"5"'), expected: noDuration },
    { name: "a duration of an object", body: app('"clockSkew":{}'), expected: noDuration },
    {
      name: "an unknown name among the list's enums",
      body: app('"grantTypes":["OIDC_GRANT_TYPE_AUTHORIZATION_CODE","X"]'),
      expected: { ...told("grantTypes[1]", `must be one of ${grants.join(", ")}`), ...invalid },
    },
  ];
  few(12).each(rows)("$name", async ({ body, expected }) => {
    expectRefusal("json", await send(server(), "json", { path, body }), expected);
  });
});
