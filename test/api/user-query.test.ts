import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "@jest/globals";
import { ListUsersRequestSchema } from "../../gen/iam/management/v1/user_search_pb.js";
import {
  type SearchQuery,
  SearchQuerySchema,
  type UserNameQuerySchema,
} from "../../gen/iam/user/v1/search_pb.js";
import type { Type, UserState } from "../../gen/iam/user/v1/user_pb.js";
import { TextQueryMethod } from "../../gen/iam/v1/search_pb.js";
import { queryLimits, queryViolations, readUserQueries } from "../../src/api/user/query.ts";
import { isFull } from "../harness/extent.ts";
import { violationsOf } from "../harness/violations.ts";

type Query = SearchQuery["query"];

function query(one: Query): SearchQuery {
  return create(SearchQuerySchema, { query: one } as MessageInitShape<typeof SearchQuerySchema>);
}

function named(value: MessageInitShape<typeof UserNameQuerySchema> = {}): SearchQuery {
  return query(create(SearchQuerySchema, { query: { case: "userNameQuery", value } }).query);
}

function or(queries: readonly SearchQuery[]): SearchQuery {
  return create(SearchQuerySchema, {
    query: { case: "orQuery", value: { queries: [...queries] } },
  });
}

function and(queries: readonly SearchQuery[]): SearchQuery {
  return create(SearchQuerySchema, {
    query: { case: "andQuery", value: { queries: [...queries] } },
  });
}

function not(inner: SearchQuery): SearchQuery {
  return create(SearchQuerySchema, { query: { case: "notQuery", value: { query: inner } } });
}

function times(count: number): readonly SearchQuery[] {
  return Array.from({ length: count }, () => named());
}

/** A condition within so many others. */
function within(around: (inner: SearchQuery) => SearchQuery, count: number): SearchQuery {
  let nested = named();
  for (let index = 0; index < count; index += 1) nested = around(nested);
  return nested;
}

/** The fields that are wrong with conditions; none where they are a filter. */
function wrong(queries: readonly SearchQuery[]): readonly string[] {
  return queryViolations("queries", queries).map(({ field }) => field);
}

test("the limits are these", () => {
  expect(queryLimits).toEqual({ depth: 5, conditions: 20 });
});

describe("conditions within conditions", () => {
  const arounds = [
    ["or", (inner: SearchQuery) => or([inner])],
    ["and", (inner: SearchQuery) => and([inner])],
    ["not", not],
    ["the second of or", (inner: SearchQuery) => or([named(), inner])],
  ] as const;

  test.each(arounds)("of %s reach five deep, and no deeper", (_, around) => {
    expect(wrong([within(around, 4)])).toEqual([]);
    expect(wrong([within(around, 5)])).toEqual(["queries"]);
    // The deepest counts, wherever it stands.
    expect(wrong([named(), within(around, 5), named()])).toEqual(["queries"]);
  });

  test.each(arounds)("of %s do not exhaust the stack, however deep", (_, around) => {
    expect(wrong([within(around, isFull ? 100_000 : 20_000)])).toEqual(["queries"]);
  });

  test("that are too deep say so in words", () => {
    const description = "must nest at most 5 deep and hold at most 20 conditions in all";
    expect(queryViolations("queries", [within(not, 5)])).toEqual([
      { field: "queries", description },
    ]);
  });
});

describe("conditions in all", () => {
  test.each<readonly [string, readonly SearchQuery[]]>([
    ["next to each other", times(20)],
    ["in an or, which counts too", [or(times(19))]],
    ["in several", [or(times(9)), and(times(9))]],
    ["in all depths", [not(or([and(times(8)), and(times(8))]))]],
  ])("may be twenty %s, and one more not", (_, queries) => {
    expect(wrong(queries)).toEqual([]);
    expect(wrong([...queries, named()])).toEqual(["queries"]);
  });

  test("are counted as they are, not as different ones", () => {
    const one = named();
    const many = Array.from({ length: 19 }, () => one);
    expect(wrong([or(many)])).toEqual([]);
    expect(wrong([or([...many, one])])).toEqual(["queries"]);
  });

  test("may be as many as fit into a request without harm", () => {
    const wide = Array.from({ length: 1_000 }, () => or(times(100)));
    expect(wrong(wide)).toEqual(["queries"]);
  });
});

describe("what is compared", () => {
  test("is all of them", () => {
    const value = { userName: "Ada", method: TextQueryMethod.STARTS_WITH_IGNORE_CASE };
    const text = {
      kind: "text",
      field: "userName",
      value: "Ada",
      method: "starts-with",
      ignoreCase: true,
    };
    expect(readUserQueries([], 0)).toEqual({ kind: "and", filters: [] });
    expect(readUserQueries([named(value)], 0)).toEqual({ kind: "and", filters: [text] });
    expect(readUserQueries([or([not(named(value)), and([named(value)])])], 0)).toEqual({
      kind: "and",
      filters: [
        {
          kind: "or",
          filters: [
            { kind: "not", filter: text },
            { kind: "and", filters: [text] },
          ],
        },
      ],
    });
  });

  test("is a defect where the contract was not kept", () => {
    const none = query({ case: undefined });
    const act = [
      none,
      not(none),
      or([none]),
      create(SearchQuerySchema, {
        query: { case: "notQuery", value: {} },
      }),
    ].map((each) => () => readUserQueries([each], 0));
    for (const each of act) expect(each).toThrow("a query without a condition was let through");
  });
});

describe("the rules of fields hold at every depth", () => {
  const long = "x".repeat(201);
  const ids = Array.from({ length: 101 }, (_, index) => String(index));
  const broken: readonly (readonly [MessageInitShape<typeof SearchQuerySchema>, string])[] = [
    [{}, "query"],
    [{ query: { case: "userNameQuery", value: { userName: long } } }, "user_name_query.user_name"],
    [
      { query: { case: "userNameQuery", value: { method: 8 as TextQueryMethod } } },
      "user_name_query.method",
    ],
    [{ query: { case: "stateQuery", value: { state: 7 as UserState } } }, "state_query.state"],
    [{ query: { case: "typeQuery", value: { type: 3 as Type } } }, "type_query.type"],
    [{ query: { case: "inUserIdsQuery", value: {} } }, "in_user_ids_query.user_ids"],
    [{ query: { case: "inUserIdsQuery", value: { userIds: ids } } }, "in_user_ids_query.user_ids"],
    [
      { query: { case: "inUserIdsQuery", value: { userIds: ["a", long] } } },
      "in_user_ids_query.user_ids[1]",
    ],
    [
      { query: { case: "inUserEmailsQuery", value: { userEmails: ids } } },
      "in_user_emails_query.user_emails",
    ],
    [{ query: { case: "orQuery", value: {} } }, "or_query.queries"],
    [{ query: { case: "andQuery", value: {} } }, "and_query.queries"],
    [{ query: { case: "notQuery", value: {} } }, "not_query.query"],
    [{ query: { case: "userNameQuery", value: { userName: "\0" } } }, "user_name_query.user_name"],
  ];
  const places: readonly (readonly [string, (inner: SearchQuery) => SearchQuery])[] = [
    ["", (inner) => inner],
    ["or_query.queries[0].", (inner) => or([inner])],
    ["and_query.queries[1].", (inner) => and([named(), inner])],
    ["not_query.query.", not],
    ["not_query.query.not_query.query.", (inner) => not(not(inner))],
    [
      "or_query.queries[0].and_query.queries[0].not_query.query.or_query.queries[1].",
      (inner) => or([and([not(or([named(), inner]))])]),
    ],
  ];

  test.each(broken)("%j", async (given, field) => {
    const inner = create(SearchQuerySchema, given);
    for (const [path, around] of places) {
      const request = create(ListUsersRequestSchema, { queries: [around(inner)] });
      // Each once: nothing is said twice where a message contains itself.
      const found = await violationsOf(ListUsersRequestSchema, request);
      expect(found.map((one) => one.field)).toEqual([`queries[0].${path}${field}`]);
    }
  });

  test("and let everything else through", async () => {
    const queries = places.map(([, around]) => around(named({ userName: "x".repeat(200) })));
    const request = create(ListUsersRequestSchema, { queries });
    expect(await violationsOf(ListUsersRequestSchema, request)).toEqual([]);
  });
});
