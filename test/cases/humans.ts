import type { MessageInitShape } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import { v7 } from "uuid";
import type {
  ImportHumanUserRequest,
  ImportHumanUserRequestSchema,
  ImportHumanUserResponse,
} from "../../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { idp } from "../../src/domain/idp.ts";
import type { Serves } from "../../src/domain/idp-config.ts";
import type { HumanAdded } from "../../src/domain/user/state/human-state.ts";
import type { RecordedEvent } from "../../src/event.ts";
import { type Case, row, type World } from "../harness/cases.ts";
import type { TestServer } from "../harness/server.ts";
import { detailsOf } from "./stored.ts";

/** Rows for people that read as tables: what is given, and what is stored of it. */

const { importHumanUser } = ManagementService.method;

export type GivenHuman = Exclude<
  MessageInitShape<typeof ImportHumanUserRequestSchema>,
  ImportHumanUserRequest
>;
export type Given<T> = T | ((world: World) => T | Promise<T>);

/** What one event says: sealed values opened, and ends as the time that is left when it is made. */
export type Told = readonly [type: string, payload: object];

/** The alphabet of codes, written out here so that a change in the service shows. */
export const codeForm = /^[A-HJKMNP-Z2-9]{6}$/;
const aCode: unknown = expect.stringMatching(codeForm);

export const told = {
  emailVerified: ["user.human.email.verified", {}],
  initialization: ["user.human.initialization.code.added", { code: aCode }],
  phoneVerified: ["user.human.phone.verified", {}],
  phoneCode: ["user.human.phone.code.added", { code: aCode, leftMs: 3_600_000, send: true }],
} as const satisfies { readonly [name: string]: Told };

const profile = { firstName: "Ada", lastName: "Lovelace" };
const email = { email: "ada@example.com" };

/** The smallest request that is accepted, and what is given besides. */
export function requestFor({ unique }: World, given: GivenHuman = {}): GivenHuman {
  return { userName: unique, profile, email, ...given };
}

/** A person who is created; of what is stored only what is not the default. */
export function humanStored(
  name: string,
  given: Given<GivenHuman>,
  added: Given<object> = {},
  rest: Given<readonly Told[]> = [told.initialization],
  more: (
    message: ImportHumanUserResponse,
    world: World,
    events: readonly RecordedEvent[],
  ) => void | Promise<void> = () => {},
): Case {
  return row(name, importHumanUser, async (world) => {
    const request = requestFor(world, await resolved(given, world));
    const payload = { ...defaults, userName: request.userName, ...(await resolved(added, world)) };
    const expected = [["user.human.added", payload], ...(await resolved(rest, world))];
    return {
      request,
      expected: {
        async ok(message, events) {
          const { admin, keyring } = world.server;
          expect(factsOf(keyring, events)).toEqual(expected);
          const { userId, details } = message;
          const envelope = { stream: `user-${userId}`, owner: admin.organization };
          for (const [index, event] of events.entries()) {
            expect(event).toMatchObject({ ...envelope, actor: admin.userId, version: index + 1 });
          }
          expect(details).toMatchObject(detailsOf(events));
          await more(message, world, events);
        },
      },
    };
  });
}

/** A request that breaks rules of fields. */
export function humanRefused(
  name: string,
  given: Given<GivenHuman>,
  fields: string | readonly string[],
  message?: string,
): Case {
  return row(name, importHumanUser, async (world) => ({
    request: requestFor(world, await resolved(given, world)),
    expected: {
      code: 3,
      reason: "INVALID_FIELDS",
      fields: [fields].flat(),
      ...(message === undefined ? {} : { message: `${[fields].flat()[0]}: ${message}` }),
    },
  }));
}

/** What is stored where the request says nothing. */
const defaults: Omit<HumanAdded, "userName"> = {
  firstName: "Ada",
  lastName: "Lovelace",
  nickName: "",
  displayName: "Ada Lovelace",
  preferredLanguage: "",
  gender: "UNSPECIFIED",
  email: "ada@example.com",
  passwordChangeRequired: false,
};

/** Types and payloads of events on people. A code of a link is hashed, the others are sealed. */
export function factsOf(
  keyring: TestServer["keyring"],
  events: readonly RecordedEvent[],
): readonly Told[] {
  return events.map(({ type, payload, stream, timeMs }) => {
    const { expirationMs, ...rest } = JSON.parse(payload) as { readonly [name: string]: unknown };
    const opened = Object.entries(rest).map(([name, value]) => {
      const field = sealedFields[type];
      const isSealed = field !== undefined && (name === "code" || name === "secret");
      return [name, isSealed ? keyring.open(String(value), { stream, field }) : value];
    });
    const left = expirationMs === undefined ? {} : { leftMs: Number(expirationMs) - timeMs };
    return [type, { ...Object.fromEntries(opened), ...left }];
  });
}

/** Where the secret of an event is sealed to. */
const sealedFields: { readonly [type: string]: string } = {
  "user.human.initialization.code.added": "initialization.code",
  "user.human.email.code.added": "email.code",
  "user.human.phone.code.added": "phone.code",
  "user.human.otp.added": "otp.secret",
};

/** An identity provider, made without a call. */
export async function givenIDP(
  { execute }: TestServer,
  organization: string,
  serves: Serves,
): Promise<string> {
  const id = v7();
  const config = { name: id, serves, stylingType: "UNSPECIFIED", autoRegister: false } as const;
  const outcome = await execute({
    actor: "test",
    writes: { idp: { noun: idp, id, owner: organization } },
    relies: {},
    decide: () => ({ events: { idp: [{ type: "idp.config.added" as const, payload: config }] } }),
  });
  expect(outcome.kind).toBe("done");
  return id;
}

async function resolved<T extends object>(given: Given<T>, world: World): Promise<T> {
  return typeof given === "function" ? await given(world) : given;
}
