import { type DescMessage, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { expect, test } from "@jest/globals";
import { ManagementService } from "../../../gen/iam/management/v1/management_service_pb.js";
import { requestLimits } from "../../../src/gateway/call/elements.ts";
import { fieldLimits } from "../../../src/gateway/call/fields.ts";
import { violationsOf } from "../../harness/violations.ts";
import { allKinds } from "./all-kinds.ts";

/** What the check of a message says, path by path. */
async function toldOf(schema: DescMessage, json: JsonValue): Promise<readonly string[]> {
  const found = await violationsOf(schema, fromJson(schema, json));
  return found.map(({ field, description }) => `${field}: ${description}`);
}

const { addOrgMember, addOIDCApp, addSAMLApp, importHumanUser, listUsers } =
  ManagementService.method;
const app = { projectId: "p", name: "n" };
const person = {
  userName: "a",
  profile: { firstName: "a", lastName: "a" },
  email: { email: "a@b" },
};

test.each<readonly [string, DescMessage, JsonValue, readonly string[]]>([
  [
    "what is missing",
    importHumanUser.input,
    { ...person, userName: "", profile: { firstName: "a" }, idps: [{ configId: "a" }] },
    [
      "user_name: is required",
      "profile.last_name: is required",
      "idps[0].external_user_id: is required",
    ],
  ],
  [
    "what is too short without being empty",
    importHumanUser.input,
    { ...person, password: "short" },
    ["password: must be at least 8 characters"],
  ],
  [
    "what is too long",
    addSAMLApp.input,
    { ...app, name: "n".repeat(201), metadataUrl: "https://a" },
    ["name: must be at most 200 characters"],
  ],
  [
    "a oneof of which nothing is there",
    addSAMLApp.input,
    app,
    ["metadata: give metadata_xml or metadata_url"],
  ],
  [
    "a oneof of many members",
    listUsers.input,
    { queries: [{}] },
    [
      "queries[0].query: give one of user_name_query, first_name_query, last_name_query, " +
        "nick_name_query, display_name_query, email_query, state_query, type_query, " +
        "login_name_query, in_user_ids_query, or_query, and_query, not_query, " +
        "in_user_emails_query",
    ],
  ],
  [
    "lists that are too short",
    addOrgMember.input,
    { userId: "u", roles: [] },
    ["roles: must have at least 1 entry"],
  ],
  [
    "lists that are too long",
    addOrgMember.input,
    { userId: "u", roles: Array(21).fill("a") },
    ["roles: must have at most 20 entries"],
  ],
  [
    "entries of lists",
    addOrgMember.input,
    { userId: "u", roles: ["ORG_OWNER", ""] },
    ["roles[1]: is required"],
  ],
  [
    "numbers of enums that are not defined",
    addOIDCApp.input,
    { ...app, version: 7 },
    ["version: must be one of OIDC_VERSION_1_0"],
  ],
  [
    "more entries than any list may have",
    listUsers.input,
    { queries: Array(101).fill({ stateQuery: {} }) },
    ["queries: must have at most 100 entries"],
  ],
])("says in words for people: %s", async (_, schema, json, told) => {
  expect(await toldOf(schema, json)).toEqual(told);
});

test.each([
  [fieldLimits.stringCharacters, []],
  [fieldLimits.stringCharacters + 1, ["string: must be at most 2048 characters"]],
])("takes %i characters where the contract says nothing: %j", async (length, told) => {
  expect(await toldOf(allKinds, { string: "😀".repeat(length) })).toEqual(told);
});

const { violations: max } = requestLimits;

test.each<readonly [string, DescMessage, (count: number) => JsonValue]>([
  [
    "that the contract states",
    importHumanUser.input,
    (count) => ({ ...person, idps: Array(count).fill({ configId: "a" }) }),
  ],
  [
    "that hold for all fields",
    listUsers.input,
    (count) => ({
      queries: [
        { inUserIdsQuery: { userIds: Array(100).fill("\0") } },
        { inUserIdsQuery: { userIds: Array(count - 100).fill("\0") } },
      ],
    }),
  ],
  [
    "of messages in themselves",
    listUsers.input,
    (count) => {
      const half = (size: number) => ({ orQuery: { queries: Array(size).fill({}) } });
      return { queries: [half(50), half(count - 50)] };
    },
  ],
])("stops at %s after as many as a refusal tells", async (_, schema, json) => {
  expect(await toldOf(schema, json(max))).toHaveLength(max);
  expect(await toldOf(schema, json(max + 1))).toHaveLength(max);
});
