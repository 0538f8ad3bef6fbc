import { type DescMessage, fromJsonString } from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Health } from "../../gen/grpc/health/v1/health_pb.js";
import { ServerReflection } from "../../gen/grpc/reflection/v1/reflection_pb.js";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import { EventService } from "../../gen/iam/event/v1/event_service_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import { jsonProblems } from "../../src/gateway/json-problem.ts";
import { allKinds, enumNames } from "./all-kinds.ts";

const { addOIDCApp, addSAMLApp, importHumanUser, listUsers } = ManagementService.method;
const { addOrgOIDCIDP, addPersonalAccessToken } = ManagementService.method;

type Told = readonly (readonly [field: string, description: string | RegExp])[];
type Row = readonly [name: string, schema: DescMessage, json: string, told: Told];

const genders = "GENDER_UNSPECIFIED, GENDER_FEMALE, GENDER_MALE, GENDER_DIVERSE";
const int32 = "must be a whole number from -2147483648 to 2147483647";
const uint64 = "must be a whole number from 0 to 18446744073709551615";

const rows: readonly Row[] = [
  [
    "problems of all kinds at once",
    importHumanUser.input,
    `{"userName": 5, "profile": {"gender": "GENDER_X", "first_nam": "a"}, "email": "a@b",
      "idps": [{"configId": "a"}, {"configId": 1}, null], "phone": []}`,
    [
      ["user_name", "must be a text"],
      ["profile.gender", `must be one of ${genders}`],
      ["profile.first_nam", "is unknown; did you mean first_name?"],
      ["email", "must be an object"],
      ["idps[1].config_id", "must be a text"],
      ["idps[2]", "must be an object"],
      ["phone", "must be an object"],
    ],
  ],
  [
    "unknown fields, of which the first tells those that are known",
    addOrgOIDCIDP.input,
    '{"secret": 1, "pw": 2, "Issuer": 3, "clientid": 4, "scoeps": 5, "isuer": 6, "hunter 2": 7}',
    [
      ["secret", /^is unknown; the fields are name, styling_type, .*scopes/],
      ["pw", "is unknown"],
      ["Issuer", "is unknown; did you mean issuer?"],
      ["clientid", "is unknown; did you mean client_id?"],
      ["scoeps", "is unknown; did you mean scopes?"],
      ["isuer", "is unknown; did you mean issuer?"],
      ["", "has an unknown field"],
    ],
  ],
  [
    "times",
    addPersonalAccessToken.input,
    '{"expirationDate": "tomorrow"}',
    [["expiration_date", 'must be a time such as "2026-01-31T12:00:00Z"']],
  ],
  [
    "durations",
    addOIDCApp.input,
    '{"clockSkew": "5"}',
    [["clock_skew", 'must be a duration such as "5s"']],
  ],
  [
    "two members of a oneof, and what is not base64",
    addSAMLApp.input,
    '{"metadataXml": "$", "metadata_url": "https://a"}',
    [
      ["metadata_xml", "must be bytes in base64"],
      ["metadata_url", "must not be given together with metadata_xml"],
    ],
  ],
  [
    "fields that are given twice",
    importHumanUser.input,
    `{"userName": "a", "user_name": "b", "idps": [{}, {"configId": "a", "configId": "b"}],
      "x": {"y": 1, "y": 2}, "email": {"email": "a"}, "email": {"email": "b"}}`,
    [
      ["user_name", "is given twice, as userName and as user_name"],
      ["x", /^is unknown; the fields are user_name, /],
      ["idps[1].config_id", "is given twice"],
      ["email", "is given twice"],
    ],
  ],
  [
    "numbers",
    allKinds,
    `{"int32": 2147483648, "sint32": 1.5, "sfixed32": "x", "uint32": -1, "fixed32": true,
      "uint64": "18446744073709551616", "fixed64": -1, "int64": {}, "double": "x", "float": 1e99}`,
    [
      ["int32", int32],
      ["sint32", int32],
      ["sfixed32", int32],
      ["uint32", "must be a whole number from 0 to 4294967295"],
      ["fixed32", "must be a whole number from 0 to 4294967295"],
      ["uint64", uint64],
      ["fixed64", uint64],
      ["int64", "must be a whole number from -9223372036854775808 to 9223372036854775807"],
      ["double", "must be a number"],
      ["float", "must be a number"],
    ],
  ],
  [
    "maps, lists, and an enum with more names than are listed",
    allKinds,
    '{"map": [], "list": {}, "enum": "X", "bool": 0}',
    [
      ["map", "must be an object"],
      ["list", "must be a list"],
      ["enum", `must be one of ${enumNames.slice(0, 20).join(", ")}, …`],
      ["bool", "must be true or false"],
    ],
  ],
  [
    "text that is no JSON",
    importHumanUser.input,
    "{\n  'password': 'PLANTED'}",
    [["", "must be JSON: in line 2, column 3, a name in double quotes is expected"]],
  ],
  [
    "a field of a message that has none",
    allKinds,
    '{"none": {"a": 1}}',
    [["none.a", "is unknown; there are none"]],
  ],
  ["no object", listUsers.input, "[]", [["", "must be an object"]]],
  ["nothing", listUsers.input, '{"queries": null, "query": {}}', []],
];

test.each(rows)("finds %s", (_, schema, json, told) => {
  const found = jsonProblems(schema, json);
  expect(found).toEqual(
    told.map(([field, description]) => ({
      field,
      description:
        typeof description === "string" ? description : expect.stringMatching(description),
    })),
  );
});

describe("the search ends", () => {
  test("at a hundred messages in each other", () => {
    const nested = (depth: number) => `${'{"self":'.repeat(depth)}{}${"}".repeat(depth)}`;
    const description = "must have at most 100 messages in each other";
    expect(jsonProblems(allKinds, nested(99))).toEqual([]);
    expect(jsonProblems(allKinds, nested(100))).toEqual([{ field: "self", description }]);
    expect(jsonProblems(allKinds, nested(10_000))).toEqual([{ field: "self", description }]);
  });

  test.each([
    ["entries", `{"list":[${Array(1_001).fill(0).join()}]}`],
    ["unknown fields", `{${Array.from({ length: 1_001 }, (_none, at) => `"x${at}":1`).join()}}`],
    ["fields given twice", `{"selves":[${Array(1_001).fill('{"list":[],"list":[]}').join()}]}`],
  ])("at a thousand problems with %s", (_, json) => {
    expect(jsonProblems(allKinds, json)).toHaveLength(1_000);
  });
});

describe("the search for what is wrong with many values", () => {
  const list = (good: number) => `{"list":[${'"",'.repeat(good)}0]}`;

  test.each([
    [19_998, ["list[19998]"]],
    [19_999, []],
  ])("finds what stands behind %i good ones at %j", (good, fields) => {
    expect(jsonProblems(allKinds, list(good)).map(({ field }) => field)).toEqual(fields);
  });
});

describe("whatever the parser refuses has problems, and nothing else has", () => {
  const services = [AdminService, EventService, ManagementService, UserService];
  const inputs = [...services, Health, ServerReflection].flatMap(({ methods }) =>
    methods.map(({ input }) => input),
  );
  const planted = "PLANTED";
  const leaves = [
    ...[null, true, 0, 1.5, -1, 2 ** 31, 2 ** 33, {}, [], "", "1", "-1", planted],
    ...["5s", "5", "-1.5s", "1.0000000001s", "2026-01-31T12:00:00Z", "0000-01-31T12:00:00Z"],
    ...["YQ==", "YQ", "a b", "NaN", "\ud800", "E1", "GENDER_MALE"],
  ];
  const leaf = fc.constantFrom("1e999", ...leaves.map((each) => JSON.stringify(each)));
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
  const refuses = (schema: DescMessage, json: string) => {
    try {
      fromJsonString(schema, json);
      return false;
    } catch {
      return true;
    }
  };

  test("and none of them repeats a value", () => {
    const schemas = [allKinds, ...new Set(inputs)];
    const anyText = fc
      .constantFrom(...schemas)
      .chain((schema) => valuesOf(schema, 3).map((json) => ({ schema, json })));
    const seen = { refused: 0, read: 0 };
    const law = fc.property(anyText, ({ schema, json }) => {
      const problems = jsonProblems(schema, json);
      const isRefused = refuses(schema, json);
      seen[isRefused ? "refused" : "read"] += 1;
      expect(problems.length > 0).toBe(isRefused);
      expect(JSON.stringify(problems)).not.toContain(planted);
    });
    fc.assert(law, { numRuns: 2_000 });
    // The law says nothing where only one of the two happens.
    expect(Math.min(seen.refused, seen.read)).toBeGreaterThan(100);
  });

  test("for the contract has no types that the search does not know", () => {
    const forms = new Set<string>([TimestampSchema.typeName, DurationSchema.typeName]);
    const met = new Set<DescMessage>();
    const meet = (schema: DescMessage): void => {
      if (met.has(schema) || forms.has(schema.typeName)) return;
      met.add(schema);
      for (const { message } of schema.fields) if (message) meet(message);
    };
    for (const input of inputs) meet(input);
    const names = [...met].map(({ typeName }) => typeName);
    expect(names.filter((name) => name.startsWith("google."))).toEqual([]);
    const kinds = new Set([...met].flatMap(({ fields }) => fields.map((field) => field.fieldKind)));
    expect(kinds).not.toContain("map");
    expect(names.length).toBeGreaterThan(inputs.length / 2);
  });
});
