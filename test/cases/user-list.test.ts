import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { ListUsersResponseSchema } from "../../gen/iam/management/v1/user_search_pb.js";
import { type SearchQuerySchema, UserFieldName } from "../../gen/iam/user/v1/search_pb.js";
import {
  HumanSchema,
  MachineSchema,
  UserSchema,
  UserState,
} from "../../gen/iam/user/v1/user_pb.js";
import { type Case, row, runCases } from "../harness/cases.ts";
import { givenOrganization, givenUser } from "../harness/server.ts";
import { ada, detailsOfStream, givenHuman } from "./users.ts";

const { listUsers } = ManagementService.method;

type Request = MessageInitShape<typeof listUsers.input>;
type Query = MessageInitShape<typeof SearchQuerySchema>;

function refuses(name: string, request: Request, fields: readonly string[], only?: Case["only"]) {
  const expected = { code: 3, reason: "INVALID_FIELDS", fields };
  return row(`refuses ${name}`, listUsers, () => ({ request, expected }), only);
}

const named: Query = { query: { case: "userNameQuery", value: { userName: "x" } } };
const one = (query: Query["query"] & {}): Request => ({ queries: [{ query }] });

runCases("ListUsers", [
  row("tells all of the users of an organization, and nothing more", listUsers, async (world) => {
    const { server, unique } = world;
    const organization = await givenOrganization(server);
    const { userId: robot } = await givenUser(server, organization, [
      { scope: { level: "instance" }, roles: ["IAM_OWNER_VIEWER"] },
    ]);
    const person = await givenHuman(
      server,
      organization,
      { userName: unique, passwordHash: "hash" },
      [
        { type: "user.human.otp.added", payload: { secret: "sealed" } },
        { type: "user.human.email.verified", payload: {} },
      ],
    );
    const details = await detailsOfStream(server, `user-${person}`);
    const { firstName, lastName, displayName, email } = ada;
    const names = (userName: string) => {
      return { userName, loginNames: [userName], preferredLoginName: userName };
    };
    const human = create(HumanSchema, {
      profile: { firstName, lastName, displayName },
      email: { email, isEmailVerified: true },
      passwordChanged: details.creationDate!,
    });
    const result = [
      create(UserSchema, {
        ...{ id: person, details, state: UserState.ACTIVE, ...names(unique) },
        type: { case: "human", value: human },
      }),
      create(UserSchema, {
        ...{ id: robot, state: UserState.ACTIVE, ...names(robot) },
        details: await detailsOfStream(server, `user-${robot}`),
        type: { case: "machine", value: create(MachineSchema, { name: robot }) },
      }),
    ];
    const { position, timeMs } = (await server.events()).at(-1)!;
    const expected = create(ListUsersResponseSchema, {
      details: {
        ...{ totalResult: 2n, processedSequence: position },
        viewTimestamp: timestampFromMs(timeMs),
      },
      result,
    });
    return {
      request: {},
      headers: { "x-service-orgid": organization },
      expected: { ok: (message) => expect(message).toEqual(expected) },
    };
  }),
  row("tells of nobody where there is nobody", listUsers, async ({ server }) => ({
    request: { sortingColumn: UserFieldName.EMAIL },
    headers: { "x-service-orgid": await givenOrganization(server) },
    expected: {
      ok({ result, details, sortingColumn }) {
        expect([result, details?.totalResult]).toEqual([[], 0n]);
        expect(sortingColumn).toBe(UserFieldName.EMAIL);
      },
    },
  })),
  row("finds by every kind of condition at once", listUsers, async ({ server, unique }) => {
    const owner = server.admin.organization;
    const email = `${unique}@example.com`;
    const id = await givenHuman(server, owner, { userName: unique, nickName: "n", email });
    const queries: readonly Query["query"][] = [
      { case: "userNameQuery", value: { userName: unique } },
      { case: "loginNameQuery", value: { loginName: unique } },
      { case: "firstNameQuery", value: { firstName: "Ada" } },
      { case: "lastNameQuery", value: { lastName: "Lovelace" } },
      { case: "nickNameQuery", value: { nickName: "n" } },
      { case: "displayNameQuery", value: { displayName: "Ada Lovelace" } },
      { case: "emailQuery", value: { emailAddress: email } },
      { case: "stateQuery", value: { state: UserState.ACTIVE } },
      { case: "typeQuery", value: { type: 1 } },
      { case: "inUserIdsQuery", value: { userIds: [id] } },
      { case: "inUserEmailsQuery", value: { userEmails: [email] } },
      {
        case: "orQuery",
        value: { queries: [named, { query: { case: "typeQuery", value: { type: 1 } } }] },
      },
      {
        case: "andQuery",
        value: { queries: [{ query: { case: "typeQuery", value: { type: 1 } } }] },
      },
      { case: "notQuery", value: { query: named } },
    ];
    return {
      request: {
        query: { limit: 1, asc: true },
        queries: queries.map((query) => ({ query: query! })),
      },
      expected: { ok: ({ result }) => expect(result.map((each) => each.id)).toEqual([id]) },
    };
  }),

  row("takes an offset of one less", listUsers, () => ({
    request: { query: { offset: 2n ** 53n - 1n, limit: 1_000 } },
    expected: { ok: ({ result }) => expect(result).toEqual([]) },
  })),
  refuses("a query without a condition", { queries: [named, {}] }, ["queries[1].query"]),
  refuses(
    "one within others",
    one({
      case: "orQuery",
      value: { queries: [{ query: { case: "notQuery", value: { query: {} } } }] },
    }),
    ["queries[0].or_query.queries[0].not_query.query.query"],
  ),
]);
