import { create, type Message, type MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { ListUsersResponse } from "../../gen/iam/management/v1/user_search_pb.js";
import { UserFieldName } from "../../gen/iam/user/v1/search_pb.js";
import { user } from "../../src/domain/user/state/user.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { isFull } from "../harness/extent.ts";
import { givenOrganization, startServer, type TestServer } from "../harness/server.ts";
import { granted } from "./stored.ts";
import { startTwin } from "./twin.ts";
import { ada } from "./users.ts";

// The pages of ListUsers where there are many users, through one client.

const { listUsers } = ManagementService.method;

type Request = MessageInitShape<typeof listUsers.input>;

/** Users in one append, in the order of their numbers. */
async function givenMany({ execute }: TestServer, owner: string, count: number) {
  const ids = Array.from({ length: count }, () => v7());
  const writes = Object.fromEntries(ids.map((id) => [id, { noun: user, id, owner }]));
  const added = (id: string) => ({
    type: "user.human.added" as const,
    payload: { ...ada, userName: id, nickName: "the same" },
  });
  const outcome = await execute({
    actor: "test",
    writes,
    relies: {},
    decide: () => ({ events: Object.fromEntries(ids.map((id) => [id, [added(id)]])) }),
  });
  expect(outcome.kind).toBe("done");
  return ids;
}

/** Seven pages of users. */
const limit = isFull ? 143 : 17;
const count = 7 * limit;

let server: TestServer;
let client: TestClient;
let organization: string;
let ids: readonly string[];

beforeAll(async () => {
  server = await startServer();
  client = createClients(server.url)[1]!;
  organization = await givenOrganization(server);
  ids = [
    ...(await givenMany(server, organization, 3 * limit)),
    ...(await givenMany(server, organization, 4 * limit)),
  ];
  await givenMany(server, await givenOrganization(server), 3);
});

afterAll(async () => {
  client.close();
  await server.close();
});

async function list(request: Request): Promise<ListUsersResponse> {
  const message = create(listUsers.input, request) as Message;
  const headers = {
    authorization: `Bearer ${server.admin.token}`,
    "x-service-orgid": organization,
  };
  const answer = granted<ListUsersResponse>(await client.call(listUsers, message, headers));
  expect(answer.details).toMatchObject({
    totalResult: BigInt(count),
    processedSequence: await server.head(),
  });
  return answer;
}

describe("pages", () => {
  const newest = () => [...ids].reverse();

  test.each([
    ["100 where nothing is said", {}, 100],
    ["100 where the limit is 0", { query: { limit: 0 } }, 100],
    ["1", { query: { limit: 1 } }, 1],
    ["1,000", { query: { limit: 1_000 } }, 1_000],
  ])("hold %s, the newest first", async (_, request, held) => {
    const { result } = await list(request);
    expect(result.map(({ id }) => id)).toEqual(newest().slice(0, held));
  });

  test.each([
    ["the oldest", UserFieldName.UNSPECIFIED, true],
    ["the newest", UserFieldName.CREATION_DATE, false],
    ["the oldest of equals", UserFieldName.NICK_NAME, true],
    ["the newest of equals", UserFieldName.NICK_NAME, false],
  ])("one after another hold everybody once, %s first", async (_, sortingColumn, asc) => {
    const pages = await Promise.all(
      Array.from({ length: 8 }, (_page, index) => {
        return list({ sortingColumn, query: { asc, limit, offset: BigInt(index * limit) } });
      }),
    );
    expect(pages.map(({ result }) => result.length)).toEqual([...Array(7).fill(limit), 0]);
    const all = pages.flatMap(({ result }) => result.map(({ id }) => id));
    expect(all).toEqual(asc ? ids : newest());
  });

  test("past the end are empty", async () => {
    expect((await list({ query: { offset: BigInt(count) } })).result).toEqual([]);
    const { result } = await list({ query: { offset: BigInt(count - 1) } });
    expect(result.map(({ id }) => id)).toEqual([ids[0]]);
  });

  test("of a list of 100 ids hold these, of one more nothing", async () => {
    const ask = (userIds: readonly string[]) =>
      client.call(
        listUsers,
        create(listUsers.input, {
          queries: [{ query: { case: "inUserIdsQuery", value: { userIds: [...userIds] } } }],
        }) as Message,
        { authorization: `Bearer ${server.admin.token}`, "x-service-orgid": organization },
      );
    const { result } = granted<ListUsersResponse>(await ask(ids.slice(0, 100)));
    expect(result).toHaveLength(100);
    const fields = ["queries[0].in_user_ids_query.user_ids"];
    expect(await ask(ids.slice(0, 101))).toMatchObject({ ok: false, code: 3, fields });
  });
});

test("that cannot be found in time are refused, and it is said what to ask instead", async () => {
  const slow = await startTwin(server, {
    around: (store) => ({ ...store, list: async () => undefined }),
  });
  const there = createClients(slow.url)[1]!;
  const authorization = `Bearer ${server.admin.token}`;
  const answer = await there.call(listUsers, create(listUsers.input) as Message, { authorization });
  const message = expect.stringContaining("equals or starts-with");
  expect(answer).toMatchObject({ ok: false, code: 8, reason: "SEARCH_TOO_LONG", message });
  there.close();
  await slow.close();
});

describe("conditions that nest", () => {
  const tooDeep = "INVALID_FIELDS";
  const unread = "MALFORMED_REQUEST";
  const depths = [
    [5, "200"],
    [6, tooDeep],
    [49, tooDeep],
    [51, unread],
    [1_000, unread],
    [2_000, unread],
  ] as const;

  /** The reason of the refusal, or the status. */
  async function sent(contentType: string, body: string | Uint8Array<ArrayBuffer>) {
    const headers = { authorization: `Bearer ${server.admin.token}`, "content-type": contentType };
    const url = `${server.url}/${ManagementService.typeName}/ListUsers`;
    const response = await fetch(url, { method: "POST", headers, body });
    return /"reason":"(\w+)"/.exec(await response.text())?.[1] ?? String(response.status);
  }

  test.each(depths)("%i deep in JSON", async (depth, expected) => {
    const open = '{"notQuery":{"query":'.repeat(depth - 1);
    const body = `{"queries":[${open}{"typeQuery":{}}${"}}".repeat(depth - 1)}]}`;
    expect(await sent("application/json", body)).toBe(expected);
  });

  test("10,000 deep in JSON are more than a message may have", async () => {
    const open = '{"notQuery":{"query":'.repeat(10_000);
    const body = `{"queries":[${open}{"typeQuery":{}}${"}}".repeat(10_000)}]}`;
    expect(await sent("application/json", body)).toBe("TOO_MANY_ELEMENTS");
  });

  test.each(depths)("%i deep in Protobuf", async (depth, expected) => {
    // Each one is the field 1 of a not, which is the field 13 of the one around it.
    let bytes: Buffer = Buffer.from([0x42, 0]);
    for (let at = 1; at < depth; at += 1) bytes = field(0x6a, field(0x0a, bytes));
    const body = new Uint8Array(field(0x1a, bytes));
    expect(await sent("application/proto", body)).toBe(expected);
  });

  function field(tag: number, value: Buffer): Buffer {
    const length: number[] = [];
    for (let rest = value.length; ; rest >>= 7) {
      if (rest < 0x80) return Buffer.concat([Buffer.from([tag, ...length, rest]), value]);
      length.push((rest & 0x7f) | 0x80);
    }
  }
});
