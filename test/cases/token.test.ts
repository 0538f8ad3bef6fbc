import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { AddPersonalAccessTokenResponse } from "../../gen/iam/management/v1/user_pb.js";
import { user, userLimits } from "../../src/domain/user/state/user.ts";
import { isToken } from "../../src/secrets/tokens.ts";
import { type Case, row, runCases, type World } from "../harness/cases.ts";
import { givenUser, type TestServer } from "../harness/server.ts";
import { binaryOnly, detailsOf, fact, granted, sha256 } from "./stored.ts";

const { addPersonalAccessToken, removePersonalAccessToken } = ManagementService.method;
const { addProject } = ManagementService.method;
const unauthenticated = { ok: false, code: 16, reason: "UNAUTHENTICATED" };
const dayMs = 24 * 60 * 60 * 1_000;
/** A time in the future, so far off that no run of the tests sees it pass. */
const futureMs = Date.UTC(2999, 11, 31, 23, 59, 59, 999);

runCases("AddPersonalAccessToken", [
  created("creates a token that does not expire", {}, {}),
  created(
    "creates a token that expires",
    { expirationDate: timestampFromMs(futureMs) },
    { expirationMs: futureMs },
  ),
  created(
    "takes the last time that there is",
    { expirationDate: { seconds: 253_402_300_799n, nanos: 999_999_999 } },
    { expirationMs: 253_402_300_799_999 },
  ),
  row("answers a token that works at once", addPersonalAccessToken, async (world) => {
    const { organization } = world.server.admin;
    const scope = { level: "organization", organization } as const;
    const membership = { scope, roles: ["ORG_OWNER"] } as const;
    const { userId } = await givenUser(world.server, organization, [membership]);
    return {
      request: { userId },
      expected: {
        async ok({ token }) {
          expect(isToken(token)).toBe(true);
          const answer = await world.call(addProject, { name: world.unique }, token);
          expect(answer).toMatchObject({ ok: true });
          const [last] = (await world.server.events()).slice(-1);
          expect(last).toMatchObject({ type: "project.added", actor: userId });
        },
      },
    };
  }),

  refusedExpiration("a time in the past", timestampFromMs(Date.now() - dayMs)),
  refusedExpiration("the beginning of Unix time", {}),
  refusedExpiration("the first time that there is", { seconds: -62_135_596_800n }),
  refusedExpiration("the year 10,000", { seconds: 253_402_300_800n }, binaryOnly),
  refusedExpiration("the year 0", { seconds: -62_135_596_801n }, binaryOnly),
  refusedExpiration("what 64 bits can say", { seconds: 2n ** 63n - 1n }, binaryOnly),
  refusedExpiration(
    "a second of nanoseconds",
    { seconds: 9_000_000_000n, nanos: 1_000_000_000 },
    binaryOnly,
  ),
  refusedExpiration("negative nanoseconds", { seconds: 9_000_000_000n, nanos: -1 }, binaryOnly),

  row("takes the last token that a user may have", addPersonalAccessToken, async ({ server }) => {
    const { userId } = await givenUserWithTokens(server, userLimits.tokens - 1);
    return {
      request: { userId },
      expected: { ok: (_m, events) => expect(events).toHaveLength(1) },
    };
  }),
  row("refuses one token more", addPersonalAccessToken, async ({ server }) => {
    const { userId } = await givenUserWithTokens(server, userLimits.tokens);
    return { request: { userId }, expected: { code: 8, reason: "LIMIT_REACHED" } };
  }),
]);

runCases("RemovePersonalAccessToken", [
  row("removes a token, and leaves the others", removePersonalAccessToken, async (world) => {
    const { server, call } = world;
    const { organization, userId: actor } = server.admin;
    const scope = { level: "organization", organization } as const;
    const membership = { scope, roles: ["ORG_OWNER"] } as const;
    const { userId, token, tokenId } = await givenUser(server, organization, [membership]);
    const other = granted<AddPersonalAccessTokenResponse>(
      await call(addPersonalAccessToken, { userId }),
    );
    const works = await call(addProject, { name: `${world.unique} before` }, token);
    expect(works).toMatchObject({ ok: true });
    return {
      request: { userId, tokenId },
      expected: {
        async ok({ details }, events) {
          const event = { stream: `user-${userId}`, version: 5, type: "user.token.removed" };
          const payload = { tokenId };
          const owner = organization;
          expect(events.map(fact)).toEqual([{ ...event, owner, actor, payload }]);
          const [first] = await server.store.readStream(`user-${userId}`, 0, 1);
          expect(details).toMatchObject({
            ...detailsOf(events),
            creationDate: timestampFromMs(first!.timeMs),
          });
          const name = world.unique;
          expect(await call(addProject, { name }, token)).toMatchObject(unauthenticated);
          expect(await call(addProject, { name }, other.token)).toMatchObject({ ok: true });
        },
      },
    };
  }),
  row("makes room for another token", removePersonalAccessToken, async ({ server, call }) => {
    const { userId, tokenId } = await givenUserWithTokens(server, userLimits.tokens);
    const another = { userId };
    expect(await call(addPersonalAccessToken, another)).toMatchObject({ reason: "LIMIT_REACHED" });
    return {
      request: { userId, tokenId },
      expected: {
        ok: async () =>
          expect(await call(addPersonalAccessToken, another)).toMatchObject({ ok: true }),
      },
    };
  }),
  row("refuses a token that the user never had", removePersonalAccessToken, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    const request = { userId, tokenId: "unknown" };
    return { request, expected: { code: 5, reason: "TOKEN_NOT_FOUND" } };
  }),
  row("refuses a token of another user", removePersonalAccessToken, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    const { tokenId } = await givenUser(server, server.admin.organization);
    return { request: { userId, tokenId }, expected: { code: 5, reason: "TOKEN_NOT_FOUND" } };
  }),
  row("refuses a token that was removed", removePersonalAccessToken, async ({ server, call }) => {
    const { userId, tokenId } = await givenUser(server, server.admin.organization);
    granted(await call(removePersonalAccessToken, { userId, tokenId }));
    return { request: { userId, tokenId }, expected: { code: 5, reason: "TOKEN_NOT_FOUND" } };
  }),
  row("refuses the name of a property", removePersonalAccessToken, async ({ server }) => {
    const { userId } = await givenUser(server, server.admin.organization);
    const request = { userId, tokenId: "__proto__" };
    return { request, expected: { code: 5, reason: "TOKEN_NOT_FOUND" } };
  }),
]);

function created(
  title: string,
  given: { readonly expirationDate?: { readonly seconds?: bigint; readonly nanos?: number } },
  stored: { readonly expirationMs?: number },
) {
  return row(title, addPersonalAccessToken, async ({ server }: World) => {
    const { organization: owner, userId: actor } = server.admin;
    const { userId } = await givenUser(server, owner);
    return {
      request: { userId, ...given },
      expected: {
        ok({ tokenId, token, details }, events) {
          expect(token).toMatch(/^iam_pat_[0-9A-Za-z]{49}$/);
          const event = { stream: `user-${userId}`, version: 3, type: "user.token.added" };
          const payload = { tokenId, tokenHash: sha256(token), ...stored };
          expect(events.map(fact)).toEqual([{ ...event, owner, actor, payload }]);
          expect(details).toMatchObject(detailsOf(events));
        },
      },
    };
  });
}

function refusedExpiration(
  what: string,
  expirationDate: { readonly seconds?: bigint; readonly nanos?: number },
  only?: Case["only"],
) {
  return row(
    `refuses ${what} as the end`,
    addPersonalAccessToken,
    async ({ server }) => ({
      request: {
        userId: (await givenUser(server, server.admin.organization)).userId,
        expirationDate,
      },
      expected: { code: 3, reason: "INVALID_FIELDS", fields: ["expiration_date"] },
    }),
    only,
  );
}

/** A user who has so many tokens already, the last of them with the answered id. */
async function givenUserWithTokens({ execute, admin }: TestServer, count: number) {
  const [userId, tokenId] = [v7(), v7()];
  const names = { userName: userId, name: userId, description: "" };
  const ids = Array.from({ length: count - 1 }, () => v7());
  const outcome = await execute({
    actor: "test",
    writes: { user: { noun: user, id: userId, owner: admin.organization } },
    relies: {},
    decide: () => ({
      events: {
        user: [
          {
            type: "user.machine.added" as const,
            payload: { ...names, accessTokenType: "BEARER" as const },
          },
          ...[...ids, tokenId].map((id) => ({
            type: "user.token.added" as const,
            payload: { tokenId: id, tokenHash: sha256(id) },
          })),
        ],
      },
    }),
  });
  expect(outcome.kind).toBe("done");
  return { userId, tokenId };
}
