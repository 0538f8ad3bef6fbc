import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type {
  GetUserByIDResponse,
  ListUsersResponse,
} from "../../gen/iam/management/v1/user_search_pb.js";
import {
  type SearchQuery,
  type SearchQuerySchema,
  UserFieldName,
} from "../../gen/iam/user/v1/search_pb.js";
import { UserState } from "../../gen/iam/user/v1/user_pb.js";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import { loginLimits } from "../../src/domain/user/state/login-limits.ts";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";
import type { LogKind } from "../harness/test-log.ts";
import { describeOnPostgres } from "../store/postgres-place.ts";
import { granted } from "./stored.ts";
import { change, givenHuman } from "./users.ts";

// Who is locked is so until the lock ends, which is no event: one who asks is told of that moment.

const { getUserByID, listUsers } = ManagementService.method;
const { ACTIVE, INACTIVE, INITIAL, LOCKED } = UserState;

const startMs = 1_900_000_000_000;
const untilMs = startMs + loginLimits.lockedMs;
const locked: UserEvent = { type: "user.human.locked", payload: { untilMs } };
const initialization: UserEvent = {
  type: "user.human.initialization.code.added",
  payload: { code: "sealed", expirationMs: 4_000_000_000_000 },
};
/** The events of each person, who is expected by the number: 1 to 6. */
const people: readonly (readonly UserEvent[])[] = [
  [],
  [locked],
  [initialization, locked],
  [locked, change("user.deactivated")],
  [locked, { type: "user.human.unlocked", payload: {} }],
  [{ type: "user.human.locked", payload: { untilMs: startMs } }],
];

type Query = NonNullable<Exclude<MessageInitShape<typeof SearchQuerySchema>, SearchQuery>["query"]>;
const inState = (state: UserState): Query => ({ case: "stateQuery", value: { state } });
const not = (query: Query): Query => ({ case: "notQuery", value: { query: { query } } });
const or = (...queries: readonly Query[]): Query => ({
  case: "orQuery",
  value: { queries: queries.map((query) => ({ query })) },
});

function readsLocks(kind: LogKind): void {
  let clock = startMs;
  let server: TestServer;
  let clients: readonly TestClient[];
  let organization: string;
  let ids: readonly string[];

  beforeAll(async () => {
    server = await startServer({ kind, now: () => clock });
    clients = createClients(server.url);
    organization = await givenOrganization(server);
    const made: string[] = [];
    for (const events of people) made.push(await givenHuman(server, organization, {}, events));
    ids = made;
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await server.close();
  });

  const headers = () => ({
    authorization: `Bearer ${server.admin.token}`,
    "x-service-orgid": organization,
  });
  async function list(client: TestClient, request: MessageInitShape<typeof listUsers.input>) {
    const answer = await client.call(listUsers, create(listUsers.input, request), headers());
    return granted<ListUsersResponse>(answer);
  }
  async function found(client: TestClient, query: Query): Promise<readonly number[]> {
    const { result, details } = await list(client, { query: { asc: true }, queries: [{ query }] });
    expect(details?.totalResult).toBe(BigInt(result.length));
    return result.map(({ id }) => ids.indexOf(id) + 1);
  }

  describe.each(shortened(clientNames, kind === "file" ? 3 : 1))("over %s", (name) => {
    const client = () => clients.find((one) => one.name === name)!;

    test.each<readonly [string, number, Query, readonly number[]]>([
      ["locked, at the last moment", untilMs - 1, inState(LOCKED), [2, 3]],
      ["active", untilMs - 1, inState(ACTIVE), [1, 5, 6]],
      ["initial", untilMs - 1, inState(INITIAL), []],
      ["inactive", untilMs - 1, inState(INACTIVE), [4]],
      ["not locked", untilMs - 1, not(inState(LOCKED)), [1, 4, 5, 6]],
      ["locked or active", untilMs - 1, or(inState(LOCKED), inState(ACTIVE)), [1, 2, 3, 5, 6]],
      ["locked, when it has ended", untilMs, inState(LOCKED), []],
      ["active, when it has ended", untilMs, inState(ACTIVE), [1, 2, 5, 6]],
      ["initial, when it has ended", untilMs, inState(INITIAL), [3]],
    ])("finds who is %s", async (_, atMs, query, expected) => {
      clock = atMs;
      expect(await found(client(), query)).toEqual(expected);
    });

    test("shows until when, in lists and alone, and nothing afterwards", async () => {
      for (const [atMs, states] of [
        [untilMs - 1, [ACTIVE, LOCKED, LOCKED, INACTIVE, ACTIVE, ACTIVE]],
        [untilMs, [ACTIVE, ACTIVE, INITIAL, INACTIVE, ACTIVE, ACTIVE]],
      ] as const) {
        clock = atMs;
        const listed = (await list(client(), { query: { asc: true } })).result;
        const alone = [];
        for (const id of ids) {
          const answer = await client().call(
            getUserByID,
            create(getUserByID.input, { id }),
            headers(),
          );
          alone.push(granted<GetUserByIDResponse>(answer).user);
        }
        expect(alone).toEqual(listed);
        expect(listed.map(({ state }) => state)).toEqual(states);
        const until = listed.map(({ lockedUntil }) => lockedUntil && timestampMs(lockedUntil));
        expect(until).toEqual(states.map((state) => (state === LOCKED ? untilMs : undefined)));
      }
    });

    test("sorts who is locked with those of the state behind the lock", async () => {
      clock = untilMs - 1;
      const sorted = { sortingColumn: UserFieldName.STATE, query: { asc: true } };
      const { result } = await list(client(), sorted);
      expect(result.map(({ id }) => ids.indexOf(id) + 1)).toEqual([1, 2, 5, 6, 4, 3]);
    });
  });
}

describe("in a file", () => readsLocks("file"));
describeOnPostgres("on PostgreSQL", () => readsLocks("postgres"));
