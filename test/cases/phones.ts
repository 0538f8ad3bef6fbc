import { create, type DescMethodUnary, type Message } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import type { ImportHumanUserResponse } from "../../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import type { AddPersonalAccessTokenResponse } from "../../gen/iam/management/v1/user_pb.js";
import { UserService } from "../../gen/iam/user/v2/user_service_pb.js";
import type { Role } from "../../src/domain/permission.ts";
import type { UserState } from "../../src/domain/user/state/user.ts";
import type { RecordedEvent } from "../../src/event.ts";
import type { Case, World } from "../harness/cases.ts";
import type { CallHeaders, TestClient } from "../harness/clients.ts";
import { givenUser, type TestServer } from "../harness/server.ts";
import { type GivenHuman, requestFor } from "./humans.ts";
import { granted } from "./stored.ts";

/** People with phones, and who may act on them. */

const { importHumanUser, addPersonalAccessToken, addOrgMember } = ManagementService.method;
const { verifyPhone } = UserService.method;

export const number = "+41446681800";
export const other = "+16502530000";

export const denied = {
  code: 7,
  reason: "PERMISSION_DENIED",
  message:
    "The caller does not hold the permission that this call needs on this object or organization.",
};
export const notFound = {
  code: 5,
  reason: "USER_NOT_FOUND",
  message: "No user with this id exists in an organization where the caller may do this.",
};
export const escalation = { code: 7, reason: "ESCALATION_DENIED" };
export const codeInvalid = {
  code: 3,
  reason: "CODE_INVALID",
  message: "The code is wrong, expired, already used or not pending: request a new one.",
};

/** What is needed of a world to make calls in it. */
export type Calling = Pick<World, "server" | "unique" | "call">;

/** Calls through one client, each with names that nothing else has; an empty token sends none. */
export function callingOf(
  server: TestServer,
  client: TestClient,
  headers: CallHeaders = {},
): Calling {
  return {
    server,
    unique: v7(),
    call: (method, init, token = server.admin.token) =>
      client.call(method, create(method.input, init) as Message, {
        ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      }),
  };
}

/** A person of the first organization, with a token of its own and roles there. */
export async function givenPerson(
  world: Calling,
  human: GivenHuman = {},
  roles: readonly Role[] = [],
): Promise<{ readonly userId: string; readonly token: string }> {
  const { call } = world;
  const request = requestFor(world as World, human);
  const { userId } = granted<ImportHumanUserResponse>(await call(importHumanUser, request));
  const added = await call(addPersonalAccessToken, { userId });
  const { token } = granted<AddPersonalAccessTokenResponse>(added);
  if (roles.length > 0) granted(await call(addOrgMember, { userId, roles: [...roles] }));
  return { userId, token };
}

/** A person with a number that is not verified, and the code for it. */
export async function givenCode(world: Calling) {
  const person = await givenPerson(world, { phone: { phone: number } });
  return { ...person, code: await pendingCode(world.server, person.userId) };
}

/** The code that is on its way to the phone. */
export async function pendingCode(server: TestServer, userId: string): Promise<string> {
  const phone = await phoneOf(server, userId);
  const place = { stream: `user-${userId}`, field: "phone.code" };
  return server.keyring.open(phone!.code!.code, place);
}

/** One that is not the code, and differs from it by as little as may be. */
export function wrong(code: string, nth = 0): string {
  const last = "ABCDEFGHJKMNPQRSTUVWXYZ23456789".replace(code.at(-1)!, "").charAt(nth);
  return code.slice(0, -1) + last;
}

/** Tries the code as often as said; each try must be refused, and be an event of its own. */
export async function expectMissed(
  { server, call }: Calling,
  userId: string,
  codes: readonly string[],
): Promise<void> {
  for (const verificationCode of codes) {
    const before = await server.head();
    const answer = await call(verifyPhone, { userId, verificationCode });
    expect(answer).toMatchObject({ ok: false, ...codeInvalid, fields: [] });
    expect(typesOf(await server.events(before))).toEqual(["user.human.phone.verification.failed"]);
  }
}

export async function holderOf(server: TestServer, role: Role, organization?: string) {
  const home = organization ?? server.admin.organization;
  const scope = { level: "organization", organization: home } as const;
  return await givenUser(server, home, [{ scope, roles: [role] }]);
}

export async function phoneOf({ store }: TestServer, userId: string) {
  const [stored] = await store.load([`user-${userId}`]);
  return (JSON.parse(stored?.state ?? "{}") as UserState).human?.phone;
}

export function typesOf(events: readonly RecordedEvent[]): readonly string[] {
  return events.map(({ type }) => type);
}

/** The details of version 2, which do not say when the user was created. */
export function expectDetailsV2(details: object | undefined, events: readonly RecordedEvent[]) {
  const { position, timeMs, owner } = events.at(-1)!;
  const { $typeName: _name, ...members } = details as { readonly $typeName: string };
  expect(members).toEqual({
    sequence: position,
    changeDate: timestampFromMs(timeMs),
    resourceOwner: owner,
  });
}

/** A call on a user by every method that acts on phones, for what holds for all of them. */
export function eachMethod(
  name: string,
  given: (world: World) => Promise<{ readonly userId: string; readonly token?: string }>,
  expected: { readonly code: number; readonly reason: string; readonly message?: string },
  but: readonly string[] = [],
): readonly Case[] {
  const more: { readonly [method: string]: object } = {
    SetPhone: { phone: other },
    VerifyPhone: { verificationCode: "ABCDEF" },
  };
  const methods: readonly DescMethodUnary[] = Object.values(UserService.method);
  return methods
    .filter((method) => !but.includes(method.name))
    .map((method) => ({
      name: `${method.name}: ${name}`,
      method,
      async run(world) {
        const { userId, token } = await given(world);
        const request: Message = create(method.input, { userId, ...more[method.name] });
        return { request, ...(token === undefined ? {} : { token }), expected };
      },
    }));
}
