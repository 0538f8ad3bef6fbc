import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { v7 } from "uuid";
import { type ObjectDetails, ObjectDetailsSchema } from "../../gen/iam/v1/object_pb.js";
import type { Membership } from "../../src/domain/permission.ts";
import type { UserEvent } from "../../src/domain/user/state/event.ts";
import type { HumanAdded } from "../../src/domain/user/state/human-state.ts";
import { user } from "../../src/domain/user/state/user.ts";
import { givenUser, type TestServer } from "../harness/server.ts";

/** Users of every state, made without a call, and what answers say of them. */

export const notFound = {
  code: 5,
  reason: "USER_NOT_FOUND",
  message: "No user with this id exists in an organization where the caller may do this.",
};
export const noMember = { code: 5, reason: "MEMBER_NOT_FOUND" };
export const denied = { code: 7, reason: "PERMISSION_DENIED" };
export const escalation = { code: 7, reason: "ESCALATION_DENIED" };
export const lastOwner = {
  code: 9,
  reason: "LAST_OWNER",
  message:
    "The user is the last active owner of the instance with a token that does not expire: " +
    "add another owner first.",
};
export const unauthenticated = { code: 16, reason: "UNAUTHENTICATED" };

export const ada: Omit<HumanAdded, "userName"> = {
  firstName: "Ada",
  lastName: "Lovelace",
  nickName: "",
  displayName: "Ada Lovelace",
  preferredLanguage: "",
  gender: "UNSPECIFIED",
  email: "ada@example.com",
  passwordChangeRequired: false,
};

/** Records events of a user, of whom it may be the first that is heard. */
export async function happen(
  { execute }: Pick<TestServer, "execute">,
  events: readonly UserEvent[],
  { id = v7(), owner }: { readonly id?: string; readonly owner?: string },
): Promise<string> {
  const { kind } = await execute({
    actor: "test",
    writes: { user: { noun: user, id, ...(owner === undefined ? {} : { owner }) } },
    relies: {},
    decide: () => ({ events: { user: events } }),
  });
  if (kind !== "done") throw new Error(`a given of the test was not accepted: ${kind}`);
  return id;
}

/** A person, and what happened afterwards. */
export function givenHuman(
  server: Pick<TestServer, "execute">,
  owner: string,
  added: Partial<HumanAdded> = {},
  more: readonly UserEvent[] = [],
): Promise<string> {
  const id = v7();
  const payload = { ...ada, userName: id, ...added };
  return happen(server, [{ type: "user.human.added", payload }, ...more], { id, owner });
}

export function change(
  type: "user.deactivated" | "user.reactivated" | "user.locked" | "user.unlocked" | "user.removed",
): UserEvent {
  return { type, payload: {} };
}

/** The events by which a person gets a session, a passkey with the same id, and one-time codes. */
export function loggedIn(id: string, told: readonly string[] = []): readonly UserEvent[] {
  const session = { clientId: "app", factors: ["password"], browser: "b" } as const;
  const passkey = { publicKey: "", counter: 0, transports: [], name: "", codeId: v7() };
  return [
    { type: "user.human.otp.added", payload: { secret: "sealed" } },
    { type: "user.human.passwordless.token.added", payload: { ...passkey, credentialId: id } },
    { type: "user.human.session.begun", payload: { ...session, sessionId: id } },
    ...told.map((clientId): UserEvent => {
      return { type: "user.human.session.joined", payload: { sessionId: id, clientId } };
    }),
  ];
}

/** A machine user who is not active, with a token and roles. */
export async function givenInactive(
  server: TestServer,
  owner: string,
  memberships: readonly Membership[] = [],
) {
  const given = await givenUser(server, owner, memberships);
  await happen(server, [change("user.deactivated")], { id: given.userId });
  return given;
}

/** Makes a user an owner of the organization; answers the token of one who manages users alone. */
export async function outrank(server: TestServer, id: string): Promise<string> {
  const { organization } = server.admin;
  const scope = { level: "organization", organization } as const;
  const owning = { scope, roles: ["ORG_OWNER"] } as const;
  await happen(server, [{ type: "user.membership.granted", payload: owning }], { id });
  const { token } = await givenUser(server, organization, [{ scope, roles: ["ORG_USER_MANAGER"] }]);
  return token;
}

/** One more owner of the instance. */
export function givenOwner(server: TestServer, organization = server.admin.organization) {
  return givenUser(server, organization, [{ scope: { level: "instance" }, roles: ["IAM_OWNER"] }]);
}

/** The details that answer a change of an object, or that say what it was read from. */
export async function detailsOfStream(
  { store }: TestServer,
  stream: string,
): Promise<ObjectDetails> {
  const events = await store.readStream(stream, 0, 1_000);
  const last = events.at(-1)!;
  const details: MessageInitShape<typeof ObjectDetailsSchema> = {
    sequence: last.position,
    creationDate: timestampFromMs(events[0]!.timeMs),
    changeDate: timestampFromMs(last.timeMs),
    resourceOwner: last.owner,
  };
  return create(ObjectDetailsSchema, details);
}
