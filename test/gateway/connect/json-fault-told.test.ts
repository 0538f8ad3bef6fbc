import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { field as fieldOption } from "../../../gen/buf/validate/validate_pb.js";
import { AccountService } from "../../../gen/iam/account/v1/account_service_pb.js";
import { AdminService } from "../../../gen/iam/admin/v1/admin_service_pb.js";
import { AssetService } from "../../../gen/iam/asset/v1/asset_service_pb.js";
import { AuthService } from "../../../gen/iam/auth/v1/auth_service_pb.js";
import { EventService } from "../../../gen/iam/event/v1/event_service_pb.js";
import { GroupService } from "../../../gen/iam/group/v1/group_service_pb.js";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { UserService } from "../../../gen/iam/user/v2/user_service_pb.js";
import { noValue } from "../../../src/gateway/call/json-message.ts";
import { bodyFor, type DialectName, hostileServer, send } from "../hostile.ts";
import { exchangeHttp2 } from "../raw.ts";
import { expectRefusal } from "../refusal.ts";

const { listUsers } = ManagementService.method;
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

const server = hostileServer();
const service = "/iam.management.v1.ManagementService";
/** What must stay with one who sent it. */
const planted = "PLANTED-q";

/** The ways that have paths of their own, with the path of importing a person. */
const ways: readonly (readonly [DialectName, string])[] = [
  ["json", `${service}/ImportHumanUser`],
  ["connect-json", `${service}/ImportHumanUser`],
  ["rest", "/management/v1/users/human/_import"],
];

/** What is wrong besides, where a value of an enum is. */
const inEnum = [
  ...["userName", "INVALID_FIELDS", "profile.firstName", "profile.lastName"],
  ...["profile.gender", "email"],
] as const;

let logged: number;
beforeEach(() => {
  logged = server().logged().length;
});

describe.each(ways)("over %s", (dialect, path) => {
  test.each<readonly [string, string, string, string?, ...string[]]>([
    ["of a value that is no text", `{"password":{"a":"${planted}"}}`, "password"],
    ["of a value in other quotation marks", `{"password":'${planted}'}`, ""],
    ["of a value without its end", `{"password":"${planted}`, ""],
    ["of a value without quotation marks", `{"password":${planted}}`, ""],
    ["of a value with a bad escape", `{"password":"\\${planted}"}`, ""],
    ["of a value behind the end", `{} "${planted}"`, ""],
    ["of an unknown field", `{"secret":"${planted}"}`, "secret"],
    ["in place of a name", `{"${planted}":1}`, ""],
    ["in place of a name, twice", `{"${planted}":1,"${planted}":1}`, ""],
    ["given twice", `{"password":"${planted}","password":"${planted}"}`, "password"],
    ["under both names", `{"userName":"${planted}","user_name":"${planted}"}`, "userName"],
    ["with half a character", `{"password":"${planted}\\ud800"}`, "password"],
    ["in place of the message", `"${planted}"`, ""],
    ["of an enum", `{"profile":{"gender":"${planted}","firstName":"","lastName":""}}`, ...inEnum],
  ])("a secret stays secret: %s", async (_, body, field, reason = "MALFORMED_REQUEST", ...more) => {
    const answer = await send(server(), dialect, { path, body });
    expectRefusal(dialect, answer, { status: 400, code: 3, reason, fields: [field, ...more] });
    const told = JSON.stringify([answer.headers, answer.body.toString()]);
    const packed = [...told.matchAll(/"value\\":\\"([\w+/=-]+)/g)].map(([, value = ""]) =>
      Buffer.from(value, "base64").toString(),
    );
    const lines = server().logged().slice(logged);
    expect(lines).toHaveLength(1);
    expect([told, ...packed, ...lines].join()).not.toContain("PLANTED");
  });
});

describe("what is no value of an enum is told with the other rules that are broken", () => {
  const wrong = ["planted", 99, -3_000_000_000, 1.5, true, {}, [], "state"];
  const queries = wrong.map((state) => ({ stateQuery: { state } }));
  const nested = {
    orQuery: { queries: [{ typeQuery: { type: 1 } }, { typeQuery: { type: "x" } }] },
  };
  const fields = [
    "sortingColumn",
    ...wrong.map((_, at) => `queries[${at}].stateQuery.state`),
    "queries[8].orQuery.queries[1].typeQuery.type",
  ];

  test.each<readonly [DialectName, string]>([
    ["json", `${service}/ListUsers`],
    ["connect-json", `${service}/ListUsers`],
    ["rest", "/management/v1/users/_search"],
  ])("over %s", async (dialect, path) => {
    const body = JSON.stringify({ sortingColumn: "nope", queries: [...queries, nested] });
    const answer = await send(server(), dialect, { path, body });
    expectRefusal(dialect, answer, { status: 400, code: 3, reason: "INVALID_FIELDS", fields });
    const { message } = JSON.parse(answer.body.toString()) as { readonly message: string };
    expect(message).toMatch(/^sortingColumn: must be one of USER_FIELD_NAME_UNSPECIFIED, /);
  });

  test("and what is not of its type is told alone, before or behind it", async () => {
    for (const body of ['{"sortingColumn":"x","query":1}', '{"query":1,"sortingColumn":"x"}']) {
      const path = `${service}/ListUsers`;
      const answer = await send(server(), "json", { path, body });
      const refused = { status: 400, code: 3, reason: "MALFORMED_REQUEST", fields: ["query"] };
      expectRefusal("json", answer, refused);
    }
  });

  test("by each field of a request that has an enum: a number stands for what is none", () => {
    const inputs = services.flatMap(({ methods }) => methods.map(({ input }) => input));
    const fields = [...new Set(inputs.flatMap((input) => enumsIn(input)))];
    expect(fields.length).toBeGreaterThan(20);
    for (const field of fields) {
      const { type } = getOption(field, fieldOption);
      const rules = type.case === "repeated" ? type.value.items?.type : type;
      expect([field.toString(), rules?.case === "enum" && rules.value.definedOnly]).toEqual([
        field.toString(),
        true,
      ]);
      expect(field.enum!.values.map(({ number }) => number)).not.toContain(noValue);
    }
  });
});

test("a page token that is none is told as the caller names it", async () => {
  const request = create(listUsers.input, { query: { pageToken: "x" } });
  const said = async (type: string, body: string | Uint8Array<ArrayBuffer>) => {
    const headers = { authorization: `Bearer ${server().admin.token}`, "content-type": type };
    const answer = await fetch(`${server().url}${service}/ListUsers`, {
      ...{ method: "POST", headers, body },
    });
    return ((await answer.json()) as { readonly message: string }).message;
  };
  const { input } = listUsers;
  expect(await said("application/json", toJsonString(input, request))).toMatch(
    /^query\.pageToken: must be the nextPageToken of /,
  );
  expect(await said("application/proto", toBinary(input, request))).toMatch(
    /^query\.page_token: must be the next_page_token of /,
  );
});

function enumsIn(message: DescMessage, seen = new Set<DescMessage>()): readonly DescField[] {
  if (seen.has(message) || message.typeName.startsWith("google.")) return [];
  seen.add(message);
  return message.fields.flatMap((field) => {
    if (field.enum !== undefined) return [field];
    return field.message === undefined ? [] : enumsIn(field.message, seen);
  });
}

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
