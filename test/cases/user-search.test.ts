import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListUsersResponse } from "../../gen/iam/management/v1/user_search_pb.js";
import {
  type SearchQuery,
  type SearchQuerySchema,
  UserFieldName,
} from "../../gen/iam/user/v1/search_pb.js";
import { Type, UserState } from "../../gen/iam/user/v1/user_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { givenOrganization, givenUser, startServer, type TestServer } from "../harness/server.ts";
import { granted } from "./stored.ts";
import { ada, change, givenHuman, happen } from "./users.ts";

// What ListUsers finds, and in which order, through one client: how requests and answers travel is
// shown elsewhere.

const { listUsers } = ManagementService.method;

let server: TestServer;
let client: TestClient;
let organization: string;
/** Six users in the order of their creation; what is expected names them 1 to 6. */
let ids: readonly string[];
let foreign: string;

const initialization: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed", expirationMs: 4_000_000_000_000 },
};

beforeAll(async () => {
  server = await startServer();
  client = createClients(server.url)[1]!;
  organization = await givenOrganization(server);
  const human = (userName: string, names: string, email: string, ...more: UserEvent[]) => {
    const [firstName = "", lastName = "", nickName = "", displayName = ""] = names.split("|");
    const added = { ...ada, userName, firstName, lastName, nickName, displayName, email };
    return givenHuman(server, organization, added, more);
  };
  const machine = (userName: string, name: string, ...more: UserEvent[]) => {
    const payload = { userName, name, description: "", accessTokenType: "BEARER" } as const;
    const added: UserEvent = { type: "user.machine.added", payload };
    return happen(server, [added, ...more], { owner: organization });
  };
  const inactive = change("user.deactivated");
  ids = [
    await human("zoe", "Émile|zola||Émile Zola", "Z@example.com", initialization),
    await human("Ada", "ada|Byron|nick|Ada B", "ada@example.com"),
    await human("ärger", "Ärger|Über|Ä|ärger über", "b@example.com", inactive),
    await machine("Bob", "bot"),
    await human("ADA2", "ADA|byron||ada b", "ada@example.com"),
    await machine("élan", "Zed", inactive),
  ];
  // The same again in another organization: nothing of it may be found.
  const elsewhere = await givenOrganization(server);
  const twin = { ...ada, firstName: "ada", lastName: "Byron", nickName: "nick" };
  foreign = await givenHuman(server, elsewhere, { ...twin, userName: "Ada 3" });
  await givenUser(server, elsewhere);
});

afterAll(async () => {
  client.close();
  await server.close();
});

type Request = MessageInitShape<typeof listUsers.input>;
type Query = Exclude<MessageInitShape<typeof SearchQuerySchema>, SearchQuery>["query"] & {};
type Queries = readonly Query[];

async function list(request: Request): Promise<ListUsersResponse> {
  const answer = await client.call(listUsers, create(listUsers.input, request), {
    authorization: `Bearer ${server.admin.token}`,
    "x-service-orgid": organization,
  });
  return granted<ListUsersResponse>(answer);
}

/** The numbers of the users that all conditions hold for, in the order of their creation. */
async function found(queries: Queries): Promise<readonly number[]> {
  const { result, details } = await list({
    query: { asc: true },
    queries: queries.map((query) => ({ query })),
  });
  expect(details?.totalResult).toBe(BigInt(result.length));
  return numbersOf(result);
}

function numbersOf(result: ListUsersResponse["result"]): readonly number[] {
  return result.map(({ id }) => ids.indexOf(id) + 1);
}

describe("the order", () => {
  const byCreation = [1, 2, 3, 4, 5, 6];
  const orders: { readonly [column in UserFieldName]: readonly number[] } = {
    [UserFieldName.UNSPECIFIED]: byCreation,
    [UserFieldName.CREATION_DATE]: byCreation,
    // ada, ada2, bob, zoe, ärger, élan: letters with marks come after z, as their numbers do.
    [UserFieldName.USER_NAME]: [2, 5, 4, 1, 3, 6],
    [UserFieldName.FIRST_NAME]: [4, 6, 2, 5, 3, 1],
    [UserFieldName.LAST_NAME]: [4, 6, 2, 5, 1, 3],
    [UserFieldName.NICK_NAME]: [1, 4, 5, 6, 2, 3],
    [UserFieldName.DISPLAY_NAME]: [2, 5, 4, 6, 3, 1],
    [UserFieldName.EMAIL]: [4, 6, 2, 5, 3, 1],
    [UserFieldName.STATE]: [2, 4, 5, 3, 6, 1],
    [UserFieldName.TYPE]: [1, 2, 3, 5, 4, 6],
  };

  test.each(Object.entries(orders))("by the column %s, both ways", async (column, expected) => {
    const sortingColumn = Number(column) as UserFieldName;
    const up = await list({ sortingColumn, query: { asc: true } });
    const down = await list({ sortingColumn });
    expect([numbersOf(up.result), numbersOf(down.result)]).toEqual([
      expected,
      [...expected].reverse(),
    ]);
    expect([up.sortingColumn, down.sortingColumn]).toEqual([sortingColumn, sortingColumn]);
  });
});

const {
  EQUALS,
  EQUALS_IGNORE_CASE,
  STARTS_WITH,
  STARTS_WITH_IGNORE_CASE,
  CONTAINS,
  CONTAINS_IGNORE_CASE,
  ENDS_WITH,
  ENDS_WITH_IGNORE_CASE,
} = TextQueryMethod;

describe("a text is compared", () => {
  test.each<readonly [TextQueryMethod, string, readonly number[]]>([
    [EQUALS, "Ada", [2]],
    [EQUALS, "ada", []],
    [EQUALS, "Ada ", []],
    [EQUALS, "", []],
    [EQUALS_IGNORE_CASE, "aDA", [2]],
    [EQUALS_IGNORE_CASE, "ÄRGER", [3]],
    [EQUALS_IGNORE_CASE, "A\u0308RGER", [3]],
    [EQUALS_IGNORE_CASE, "arger", []],
    [STARTS_WITH, "A", [2, 5]],
    [STARTS_WITH, "AD", [5]],
    [STARTS_WITH, "", [1, 2, 3, 4, 5, 6]],
    [STARTS_WITH_IGNORE_CASE, "ad", [2, 5]],
    [STARTS_WITH_IGNORE_CASE, "Ä", [3]],
    [CONTAINS, "o", [1, 4]],
    [CONTAINS, "DA", [5]],
    [CONTAINS, "", [1, 2, 3, 4, 5, 6]],
    [CONTAINS_IGNORE_CASE, "DA", [2, 5]],
    [CONTAINS_IGNORE_CASE, "L", [6]],
    [ENDS_WITH, "A2", [5]],
    [ENDS_WITH, "N", []],
    [ENDS_WITH_IGNORE_CASE, "A", [2]],
    [ENDS_WITH_IGNORE_CASE, "N", [6]],
    // What means something to patterns means nothing here.
    ...["%", "_", "*", "?", "[", "Ad_", "A%", "'", "\\"].flatMap((text) =>
      [EQUALS, STARTS_WITH_IGNORE_CASE, CONTAINS, ENDS_WITH_IGNORE_CASE].map(
        (method) => [method, text, []] as const,
      ),
    ),
  ])("by the method %s with %j", async (method, userName, expected) => {
    expect(await found([{ case: "userNameQuery", value: { userName, method } }])).toEqual(expected);
    const value = { loginName: userName, method };
    expect(await found([{ case: "loginNameQuery", value }])).toEqual(expected);
  });

  test.each<readonly [Query, readonly number[]]>([
    [{ case: "firstNameQuery", value: { firstName: "ada" } }, [2]],
    [{ case: "firstNameQuery", value: { firstName: "É", method: STARTS_WITH } }, [1]],
    // Machine users have none, which is empty.
    [{ case: "firstNameQuery", value: { firstName: "" } }, [4, 6]],
    [{ case: "lastNameQuery", value: { lastName: "byron" } }, [5]],
    [{ case: "lastNameQuery", value: { lastName: "BYRON", method: EQUALS_IGNORE_CASE } }, [2, 5]],
    [{ case: "lastNameQuery", value: { lastName: "" } }, [4, 6]],
    [{ case: "nickNameQuery", value: { nickName: "nick" } }, [2]],
    [{ case: "nickNameQuery", value: { nickName: "ä", method: CONTAINS_IGNORE_CASE } }, [3]],
    [{ case: "nickNameQuery", value: { nickName: "" } }, [1, 4, 5, 6]],
    [{ case: "displayNameQuery", value: { displayName: "bot" } }, [4]],
    [{ case: "displayNameQuery", value: { displayName: "zola", method: ENDS_WITH } }, []],
    [{ case: "displayNameQuery", value: { displayName: "Zola", method: ENDS_WITH } }, [1]],
    [{ case: "emailQuery", value: { emailAddress: "ada@example.com" } }, [2, 5]],
    [{ case: "emailQuery", value: { emailAddress: "z@", method: STARTS_WITH_IGNORE_CASE } }, [1]],
    [{ case: "emailQuery", value: { emailAddress: "" } }, [4, 6]],
  ])("in its own column: %j", async (query, expected) => {
    expect(await found([query])).toEqual(expected);
  });
});

describe("what a user is", () => {
  test.each<readonly [UserState, readonly number[]]>([
    [UserState.UNSPECIFIED, []],
    [UserState.ACTIVE, [2, 4, 5]],
    [UserState.INACTIVE, [3, 6]],
    [UserState.DELETED, []],
    [UserState.LOCKED, []],
    [UserState.SUSPEND, []],
    [UserState.INITIAL, [1]],
  ])("by the state %s", async (state, expected) => {
    expect(await found([{ case: "stateQuery", value: { state } }])).toEqual(expected);
  });

  test.each<readonly [Type, readonly number[]]>([
    [Type.UNSPECIFIED, []],
    [Type.HUMAN, [1, 2, 3, 5]],
    [Type.MACHINE, [4, 6]],
  ])("by the type %s", async (type, expected) => {
    expect(await found([{ case: "typeQuery", value: { type } }])).toEqual(expected);
  });
});

describe("a list of", () => {
  test("ids finds those of the organization, each once", async () => {
    const [first = "", , , fourth = ""] = ids;
    const others = [foreign, v7(), "__proto__", "%", organization, `user-${first}`];
    const userIds = [fourth, first, fourth, ...others];
    expect(await found([{ case: "inUserIdsQuery", value: { userIds } }])).toEqual([1, 4]);
  });

  test.each([
    [["ada@example.com"], [2, 5]],
    [
      ["ada@example.com", "ada@example.com", "Z@example.com"],
      [1, 2, 5],
    ],
    [["z@example.com", "ADA@EXAMPLE.COM", "%", "ada"], []],
  ])("addresses compares exactly: %j", async (userEmails, expected) => {
    const value = { userEmails };
    expect(await found([{ case: "inUserEmailsQuery", value }])).toEqual(expected);
  });
});

describe("conditions together", () => {
  const human: Query = { case: "typeQuery", value: { type: Type.HUMAN } };
  const active: Query = { case: "stateQuery", value: { state: UserState.ACTIVE } };
  const named = (userName: string): Query => ({ case: "userNameQuery", value: { userName } });
  const not = (query: Query): Query => ({ case: "notQuery", value: { query: { query } } });
  const and = (...queries: Queries): Query => ({
    case: "andQuery",
    value: { queries: queries.map((query) => ({ query })) },
  });
  const or = (...queries: Queries): Query => ({
    case: "orQuery",
    value: { queries: queries.map((query) => ({ query })) },
  });

  test.each<readonly [string, Queries, readonly number[]]>([
    ["none", [], [1, 2, 3, 4, 5, 6]],
    ["several", [human, active], [2, 5]],
    ["and", [and(human, active)], [2, 5]],
    ["or", [or(active, named("zoe"))], [1, 2, 4, 5]],
    ["not", [not(human)], [4, 6]],
    ["not of what nobody is", [not(named("nobody"))], [1, 2, 3, 4, 5, 6]],
    ["not of not", [not(not(human))], [1, 2, 3, 5]],
    ["or of ands", [or(and(human, active), and(not(human), not(active)))], [2, 5, 6]],
    ["and of ors", [and(or(named("zoe"), active), or(not(human), named("zoe")))], [1, 4]],
    ["not of or", [not(or(human, active))], [6]],
    ["not of and", [not(and(human, active))], [1, 3, 4, 6]],
    ["alike ones", [or(human, human), and(active, active)], [2, 5]],
    ["those that exclude each other", [human, not(human)], []],
    ["five deep", [not(and(or(not(named("Ada")), not(active))))], [2]],
  ])("%s", async (_, queries, expected) => {
    expect(await found(queries)).toEqual(expected);
  });
});
