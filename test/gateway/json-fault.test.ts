import { type DescMessage, fromJsonString } from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { explainJson } from "../../src/gateway/json-fault.ts";
import { allKinds, enumNames } from "./all-kinds.ts";
import { bodyFor, type DialectName, hostileServer, send } from "./hostile.ts";
import { exchangeHttp2 } from "./raw.ts";
import { expectRefusal } from "./refusal.ts";

const { addOIDCApp, addPersonalAccessToken, addSAMLApp, createAction } = ManagementService.method;
const { importHumanUser, listUsers } = ManagementService.method;
const { finishPasskey } = AccountService.method;

/** What is said of a text; undefined where it is a message. */
function explain(schema: DescMessage, json: string) {
  try {
    fromJsonString(schema, json);
    return undefined;
  } catch (thrown) {
    const { violations = [], reason } = explainJson(schema, thrown as Error);
    return { ...violations[0]!, reason };
  }
}

type Row = readonly [field: string, description: string, schema: DescMessage, json: string];

const int32 = "must be a whole number from -2147483648 to 2147483647";
const uint32 = "must be a whole number from 0 to 4294967295";
const uint64 = "must be a whole number from 0 to 18446744073709551615";
const number = "must be a number";
const gender = "must be one of GENDER_UNSPECIFIED, GENDER_FEMALE, GENDER_MALE, GENDER_DIVERSE";
const nested = (depth: number) => `${'{"self":'.repeat(depth)}{}${"}".repeat(depth)}`;
const duration = 'must be a duration such as "5s", within 10,000 years';
const time = 'must be a time such as "2026-01-31T12:00:00Z"';

test.each<Row>([
  ["userName", "must be a text", importHumanUser.input, '{"userName": 5}'],
  ["profile.gender", gender, importHumanUser.input, '{"profile": {"gender": "GENDER_X"}}'],
  [
    "profile.first_nam",
    "is unknown; did you mean firstName?",
    importHumanUser.input,
    '{"profile": {"first_nam": "a"}}',
  ],
  ["email", "must be an object", importHumanUser.input, '{"email": "a@b"}'],
  ["idps[].configId", "must be a text", importHumanUser.input, '{"idps": [{"configId": 1}]}'],
  ["idps[]", "must be an object", importHumanUser.input, '{"idps": [null]}'],
  ["idps", "must be a list", importHumanUser.input, '{"idps": {}}'],
  ["expirationDate", time, addPersonalAccessToken.input, '{"expirationDate": "tomorrow"}'],
  [
    "expirationDate",
    "must be a time of the years 1 to 9999",
    addPersonalAccessToken.input,
    '{"expirationDate": "0000-01-31T12:00:00Z"}',
  ],
  ["metadataXml", "must be bytes in base64", addSAMLApp.input, '{"metadataXml": "$"}'],
  [
    "metadataUrl",
    "must not be given together with metadataXml",
    addSAMLApp.input,
    '{"metadataXml": "", "metadata_url": "https://a"}',
  ],
  ["timeout", duration, createAction.input, '{"timeout": "1.0000000001s"}'],
  ["redirectUris[1]", "must be a text", addOIDCApp.input, '{"redirectUris": ["", 1]}'],
  ["", "a is unknown; there are none", allKinds, '{"none": {"a": 1}}'],
  ["", "None has an unknown field; there are none", allKinds, '{"none": {"a b": 1}}'],
  ["", `sint32 ${int32}`, allKinds, '{"sint32": 1.5}'],
  ["", `uint32 ${uint32}`, allKinds, '{"uint32": -1}'],
  ["", `fixed64 ${uint64}`, allKinds, '{"fixed64": "18446744073709551616"}'],
  ["", `float ${number}`, allKinds, '{"float": 1e99}'],
  ["", `double ${number}`, allKinds, '{"double": 1e999}'],
  ["", "map must be an object", allKinds, '{"map": []}'],
  ["", "list[] must be a text", allKinds, '{"list": [null]}'],
  ["", "bool must be true or false", allKinds, '{"bool": 0}'],
  ["", `enum must be one of ${enumNames.slice(0, 20).join(", ")}, …`, allKinds, '{"enum": 1e10}'],
  ["", "must be an object", listUsers.input, "[]"],
  // Several paths lead to these.
  [
    "",
    "TextQueryMethod must be one of ",
    listUsers.input,
    '{"queries": [{"emailQuery": {"method": "x"}}]}',
  ],
  ["", "int32 must", allKinds, '{"self": {"int32": {}}}'],
  ["", "config_ is unknown; ", listUsers.input, '{"queries": [{"config_": 1}]}'],
  ["", "All must be an object", allKinds, '{"selves": [1]}'],
  ["", "id is given twice", finishPasskey.input, '{"credential": {"id": 1, "id": 2}}'],
  ["", "a name is given twice", allKinds, '{"a b": 1, "a b": 2}'],
  ["", "email is given twice", importHumanUser.input, '{"email": {"email": "", "email": ""}}'],
  [
    "email.isEmailVerified",
    "is given twice",
    importHumanUser.input,
    '{"email": {"isEmailVerified": true, "isEmailVerified": true}}',
  ],
  [
    "userName",
    "is given twice, as userName and as user_name",
    importHumanUser.input,
    '{"userName": "a", "user_name": "b"}',
  ],
  ["", "must have at most 100 messages in each other", allKinds, nested(100)],
  [
    "",
    "must be JSON: expected property name or '}' in line 2, column 3",
    importHumanUser.input,
    "{\n  'password': 'PLANTED'}",
  ],
])("at %j it says %j", (field, description, schema, json) => {
  const told = explain(schema, json);
  expect(told?.field).toBe(field);
  expect(told?.description).toContain(description);
  const isEnum = description.includes("must be one of ");
  expect(told?.reason).toBe(isEnum ? "INVALID_FIELDS" : "MALFORMED_REQUEST");
});

test("at a hundred messages in each other nothing is wrong yet", () => {
  expect(explain(allKinds, nested(99))).toBeUndefined();
});

describe("of whatever the parser refuses", () => {
  const services = [AccountService, AdminService, EventService, ManagementService, UserService];
  const inputs = [...services, Health, ServerReflection].flatMap(({ methods }) =>
    methods.map(({ input }) => input),
  );
  const planted = "PLANTED";
  const leaves = [
    ...[null, true, 0, 1.5, -1, 2 ** 31, 2 ** 33, {}, [], "", "1", "-1", planted],
    ...["5s", "5", "-1.5s", "1.0000000001s", "2026-01-31T12:00:00Z", "0000-01-31T12:00:00Z"],
    ...["YQ==", "YQ", "a b", "NaN", "\ud800", "E1", "GENDER_MALE"],
  ];
  const texts = [...leaves.map((each) => JSON.stringify(each)), "1e999", planted, `"${planted}`];
  const leaf = fc.constantFrom(...texts);
  const known = new Map<string, fc.Arbitrary<string>>();

  /** Texts in which every value is now right and now wrong. */
  const valuesOf = (schema: DescMessage | undefined, depth: number): fc.Arbitrary<string> => {
    if (schema === undefined || depth === 0) return leaf;
    const key = `${schema.typeName} ${depth}`;
    const values =
      known.get(key) ??
      fc.oneof({ arbitrary: objectsOf(schema, depth), weight: 4 }, { arbitrary: leaf, weight: 1 });
    known.set(key, values);
    return values;
  };
  const objectsOf = (schema: DescMessage, depth: number): fc.Arbitrary<string> => {
    const members = schema.fields.flatMap((field) => {
      const value = valuesOf(field.message, depth - 1);
      const list = fc.array(value, { maxLength: 2 }).map((each) => `[${each.join()}]`);
      const given = field.fieldKind === "list" ? fc.oneof(list, value) : value;
      return [field.name, field.jsonName].map((name) => given.map((it) => `"${name}":${it}`));
    });
    const other = leaf.map((value) => `"${planted} ":${value}`);
    return fc
      .array(fc.oneof(...members, other), { maxLength: 3 })
      .map((each) => `{${each.join()}}`);
  };

  test("something is said, and nothing that was sent", () => {
    const schemas = [allKinds, ...new Set(inputs)];
    const anyText = fc
      .constantFrom(...schemas)
      .chain((schema) => valuesOf(schema, 3).map((json) => ({ schema, json })));
    const said = { placed: 0, elsewhere: 0 };
    const law = fc.property(anyText, ({ schema, json }) => {
      const told = explain(schema, json);
      if (told === undefined) return;
      said[told.field === "" ? "elsewhere" : "placed"] += 1;
      expect(told.description).toMatch(/must|is unknown|has an unknown field|is given twice/);
      // What another release of the parser says in other words is not understood.
      expect(told.description).not.toContain("fits the request message");
      expect(JSON.stringify(told)).not.toContain(planted);
    });
    fc.assert(law, { numRuns: 2_000 });
    expect(Math.min(said.placed, said.elsewhere)).toBeGreaterThan(100);
  });
});

const server = hostileServer();
const service = "/iam.management.v1.ManagementService";
/** What must stay with whoever sent it. */
const planted = "PLANTED-q";

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
  test.each<readonly [string, string, string, string?]>([
    ["of a value that is no text", `{"password":{"a":"${planted}"}}`, "password"],
    ["of a value in other quotation marks", `{"password":'${planted}'}`, ""],
    ["of a value without its end", `{"password":"${planted}`, ""],
    ["of a value without quotation marks", `{"password":${planted}}`, ""],
    ["of a value with a bad escape", `{"password":"\\${planted}"}`, ""],
    ["of a value behind the end", `{} "${planted}"`, ""],
    ["of an enum", `{"profile":{"gender":"${planted}"}}`, "profile.gender", "INVALID_FIELDS"],
    ["of an unknown field", `{"secret":"${planted}"}`, "secret"],
    ["in place of a name", `{"${planted}":1}`, ""],
    ["in place of a name, twice", `{"${planted}":1,"${planted}":1}`, ""],
    ["given twice", `{"password":"${planted}","password":"${planted}"}`, "password"],
    ["under both names", `{"userName":"${planted}","user_name":"${planted}"}`, "userName"],
    ["with half a character", `{"password":"${planted}\\ud800"}`, "password"],
    ["in place of the message", `"${planted}"`, ""],
  ])("a secret stays secret: %s", async (_, body, field, reason = "MALFORMED_REQUEST") => {
    const answer = await send(server(), dialect, { path, body });
    expectRefusal(dialect, answer, { status: 400, code: 3, reason, fields: [field] });
    const told = JSON.stringify([answer.headers, answer.body.toString()]);
    const packed = [...told.matchAll(/"value\\":\\"([\w+/=-]+)/g)].map(([, value = ""]) =>
      Buffer.from(value, "base64").toString(),
    );
    const lines = server().logged().slice(logged);
    expect(lines).toHaveLength(1);
    expect([told, ...packed, ...lines].join()).not.toContain("PLANTED");
  });
});

/** How a stream answers a message in JSON that is refused. */
async function refusedByStream(path: string, message: string) {
  const { admin, port } = server();
  const fields = { authorization: `Bearer ${admin.token}` };
  const type = { "content-type": "application/connect+json" };
  const head = { ":method": "POST", ":path": path, ...fields, ...type };
  const { answer } = await exchangeHttp2(port, head, bodyFor("grpc+json", message));
  return JSON.parse(answer!.body.subarray(5).toString()).error;
}

test.each([
  ["one message", "/iam.event.v1.EventService/WatchEvents"],
  ["many messages", "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"],
])("a stream of %s is told what is wrong with one", async (_, path) => {
  const error = await refusedByStream(path, `{"secret":"${planted}"}`);
  expect(error).toMatchObject({ code: "invalid_argument" });
  expect(error.message).toMatch(/^secret: is unknown; the fields are /);
  expect(error.message).not.toContain("PLANTED");
});

test("a stream names fields as JSON does", async () => {
  const path = "/iam.event.v1.EventService/WatchEvents";
  expect(await refusedByStream(path, '{"event_types":[""]}')).toMatchObject({
    code: "invalid_argument",
    message: "eventTypes[0]: is required",
  });
});
