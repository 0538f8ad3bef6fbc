import type { DescMessage } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "@jest/globals";
import { BadRequestSchema } from "../../../gen/google/rpc/error_details_pb.js";
import { Health } from "../../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../../gen/grpc/reflection/v1/reflection_pb.js";
import { AccountService } from "../../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../../gen/iam/admin/v1/admin_service_pb.js";
import { AssetService } from "../../../gen/iam/asset/v1/asset_service_pb.js";
import { AuthService } from "../../../gen/iam/auth/v1/auth_service_pb.js";
import { EventService } from "../../../gen/iam/event/v1/event_service_pb.js";
import { GroupService } from "../../../gen/iam/group/v1/group_service_pb.js";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../../gen/iam/user/v2/user_service_pb.js";
import { reasonOf } from "../../../src/gateway/call/errors.ts";
import { toParsable } from "../../../src/gateway/connect/json-fault.ts";
import { isFull } from "../../harness/extent.ts";
import { fc } from "../../harness/laws.ts";
import { allKinds } from "../call/all-kinds.ts";

const { addOIDCApp, addPersonalAccessToken, addSAMLApp, createAction } = ManagementService.method;
const { importHumanUser, listUsers } = ManagementService.method;
const { finishPasskey } = AccountService.method;

/** What is said of a text; undefined where it is a message, or one as far as types can tell. */
function explain(schema: DescMessage, json: string) {
  try {
    toParsable(schema, Buffer.from(json));
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof ConnectError)) throw thrown;
    const [violation] = thrown.findDetails(BadRequestSchema).flatMap((one) => one.fieldViolations);
    return { ...violation!, reason: reasonOf(thrown) };
  }
}

type Row = readonly [field: string, description: string, schema: DescMessage, json: string];

const int32 = "must be a whole number from -2147483648 to 2147483647";
const uint32 = "must be a whole number from 0 to 4294967295";
const uint64 = "must be a whole number from 0 to 18446744073709551615";
const number = "must be a number";
const nested = (depth: number) => `${'{"self":'.repeat(depth)}{}${"}".repeat(depth)}`;
const duration = 'must be a duration, for example "5s", within 10,000 years';
const time = 'must be a time, for example "2026-01-31T12:00:00Z"';

test.each<Row>([
  ["userName", "must be a text", importHumanUser.input, '{"userName": 5}'],
  [
    "profile.first_nam",
    "is unknown; did you mean firstName?",
    importHumanUser.input,
    '{"profile": {"first_nam": "a"}}',
  ],
  ["email", "must be an object", importHumanUser.input, '{"email": "a@b"}'],
  ["idps[0].configId", "must be a text", importHumanUser.input, '{"idps": [{"configId": 1}]}'],
  ["idps[0]", "must be an object", importHumanUser.input, '{"idps": [null]}'],
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
  ["none.a", "is unknown; there are none", allKinds, '{"none": {"a": 1}}'],
  ["none", "has an unknown field; there are none", allKinds, '{"none": {"a b": 1}}'],
  ["sint32", int32, allKinds, '{"sint32": 1.5}'],
  ["uint32", uint32, allKinds, '{"uint32": -1}'],
  ["fixed64", uint64, allKinds, '{"fixed64": "18446744073709551616"}'],
  ["float", number, allKinds, '{"float": 1e99}'],
  ["double", number, allKinds, '{"double": 1e999}'],
  ["map", "must be an object", allKinds, '{"map": []}'],
  ["list[0]", "must be a text", allKinds, '{"list": [null]}'],
  ["bool", "must be true or false", allKinds, '{"bool": 0}'],
  ["", "must be an object", listUsers.input, "[]"],
  ["self.self.int32", int32, allKinds, '{"self": {"int32": 1, "self": {"int32": {}}}}'],
  [
    "queries[1].config_",
    "is unknown; ",
    listUsers.input,
    '{"queries": [{"userNameQuery": {}}, {"config_": 1}]}',
  ],
  [
    "queries[0].orQuery.queries[1].emailQuery.emailAddress",
    "must be a text",
    listUsers.input,
    '{"queries": [{"orQuery": {"queries": [{}, {"emailQuery": {"emailAddress": 1}}]}}]}',
  ],
  ["selves[0]", "must be an object", allKinds, '{"selves": [1]}'],
  ["selves[1].list", "must be a list", allKinds, '{"selves": [{"list": []}, {"list": 1}]}'],
  ["selves[1].duration", duration, allKinds, '{"selves": [{}, {"duration": "1.0000000001s"}]}'],
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
  ["", "must nest messages at most 100 deep", allKinds, nested(100)],
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
  expect(told?.reason).toBe("MALFORMED_REQUEST");
});

test("at a hundred messages in each other nothing is wrong yet", () => {
  expect(explain(allKinds, nested(99))).toBeUndefined();
});

const services = [
  AccountService,
  AdminService,
  AssetService,
  AuthService,
  EventService,
  GroupService,
  ManagementService,
  UserService,
];

describe("of whatever the parser refuses", () => {
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
    const numRuns = isFull ? 2_000 : 500;
    fc.assert(law, { numRuns });
    expect(Math.min(said.placed, said.elsewhere)).toBeGreaterThan(numRuns / 20);
  });
});
