import { create, type DescMethodUnary, type JsonObject, type Message } from "@bufbuild/protobuf";
import { expect } from "@jest/globals";
import type {
  BeginPasskeyResponse,
  FinishPasskeyRequest,
} from "../../gen/iam/account/v1/account_pb.js";
import { AccountService } from "../../gen/iam/account/v1/account_service_pb.js";
import type { ImportHumanUserResponse } from "../../gen/iam/management/v1/human_pb.js";
import { ManagementService } from "../../gen/iam/management/v1/management_service_pb.js";
import { streamOf } from "../../src/domain/noun.ts";
import { readAsking, recordDelivery } from "../../src/domain/user/credential/delivery.ts";
import { type UserState, user } from "../../src/domain/user/state/user.ts";
import type { Case, World } from "../harness/cases.ts";
import { givenUser, type TestServer } from "../harness/server.ts";
import { type GivenHuman, requestFor } from "./humans.ts";
import { type Calling, codeInvalid, pendingCode, typesOf, wrong } from "./phones.ts";
import { granted } from "./stored.ts";
import { change, happen } from "./users.ts";
import { type Device, type Registration, register } from "./webauthn.ts";

/** People who come with a code and no token. */

const { beginPasskey, checkInitialization, finishPasskey, initialize, verifyEmail, verifyPhone } =
  AccountService.method;

export const password = "correct horse battery";
export const phone = "+41446681800";

/** What came with a link or a message. */
export interface Given {
  readonly userId: string;
  readonly codeId?: string;
  readonly code: string;
}

export async function imported({ call, unique }: Calling, human: GivenHuman = {}) {
  const { importHumanUser } = ManagementService.method;
  const request = requestFor({ unique } as World, human);
  return granted<ImportHumanUserResponse>(await call(importHumanUser, request));
}

/** A person who has yet to take the account over, with the code of the mail. */
export async function givenAccount(world: Calling, human: GivenHuman = {}) {
  const { userId } = await imported(world, human);
  const { server } = world;
  const sealed = (await humanOf(server, userId))?.initialization?.code ?? "";
  const place = { stream: `user-${userId}`, field: "initialization.code" };
  return { userId, code: server.keyring.open(sealed, place) };
}

/** Records that the messages to a person have left now, as the worker does. */
export async function sendAll({ store, execute }: TestServer, userId: string): Promise<void> {
  const stream = streamOf(user, userId);
  for (const event of await store.readStream(stream, 0, 1_000)) {
    if (!/\.code\.added$/.test(event.type) || event.type.includes("passwordless")) continue;
    const asked = readAsking(event);
    await execute({
      actor: "notify",
      writes: { user: { noun: user, id: userId } },
      decide: (states, nowMs) => recordDelivery(states.user, asked, { kind: "sent" }, nowMs),
    });
  }
}

/** A person with a link to register a passkey. */
export async function givenLink(world: Calling, human: GivenHuman = {}) {
  const asked = { requestPasswordlessRegistration: true, ...human };
  const { userId, passwordlessRegistration } = await imported(world, asked);
  const { searchParams } = new URL(passwordlessRegistration!.link);
  const part = (name: string) => searchParams.get(name) ?? "";
  return { userId, codeId: part("codeID"), code: part("code") };
}

/** A person with a phone to be verified, with the code of the message. */
export async function givenPhone(world: Calling) {
  const { userId } = await imported(world, { phone: { phone } });
  return { userId, code: await pendingCode(world.server, userId) };
}

/** A person with another address to be verified, with the code of the mail. */
export async function givenEmail(world: Calling) {
  const email = { email: "ada@example.com", isEmailVerified: true };
  const { userId } = await imported(world, { email, password });
  const { updateHumanEmail } = ManagementService.method;
  granted(await world.call(updateHumanEmail, { userId, email: "lovelace@example.com" }));
  return { userId, code: await emailCodeOf(world.server, userId) };
}

/** The code of the mail by which an address is verified, as people type it. */
export async function emailCodeOf(server: TestServer, userId: string): Promise<string> {
  const sealed = (await humanOf(server, userId))?.emailCode?.code ?? "";
  return server.keyring.open(sealed, { stream: `user-${userId}`, field: "email.code" });
}

/** The last link to register a passkey that was mailed. */
export async function mailedLinkOf(server: TestServer, userId: string): Promise<Required<Given>> {
  const { codeId = "", code = "" } = (await humanOf(server, userId))?.passwordless.at(-1) ?? {};
  const place = { stream: `user-${userId}`, field: "passwordless.code" };
  return { userId, codeId, code: server.keyring.open(code, place) };
}

export async function humanOf({ store }: Pick<TestServer, "store">, userId: string) {
  const [stored] = await store.load([`user-${userId}`]);
  return (JSON.parse(stored?.state ?? "{}") as UserState).human;
}

/** The options for the link. */
export async function begun({ call }: Calling, link: Given): Promise<JsonObject> {
  const answer = await call(beginPasskey, link, "");
  return granted<BeginPasskeyResponse>(answer).options ?? {};
}

/** A passkey that a device makes for the link, and the request with it. */
export async function made(world: Calling, link: Given, device: Device = {}) {
  const registration = register(await begun(world, link), device);
  return { ...registration, request: requestWith(link, registration) };
}

export function requestWith(link: Given, { credential }: Pick<Registration, "credential">) {
  return { ...link, credential } satisfies Partial<FinishPasskeyRequest>;
}

/** A method that a code lets people call, with a code for it. */
export interface Way {
  readonly method: DescMethodUnary;
  /** What counts a wrong code. */
  readonly failed: string;
  given(world: Calling): Promise<Given>;
  /** What the request has besides, to be accepted. */
  more(world: Calling, given: Given): Promise<object>;
}

const nothing = async () => ({});
const forAccount = { failed: "user.human.initialization.failed", given: givenAccount };
const forPasskey = {
  failed: "user.human.passwordless.initialization.failed",
  given: givenLink,
};

/** Every method of the service. */
export const ways = {
  checkInitialization: { ...forAccount, method: checkInitialization, more: nothing },
  initialize: { ...forAccount, method: initialize, more: async () => ({ password }) },
  beginPasskey: { ...forPasskey, method: beginPasskey, more: nothing },
  finishPasskey: {
    ...forPasskey,
    method: finishPasskey,
    more: async (world, given) => (await made(world, given)).request,
  },
  verifyPhone: {
    failed: "user.human.phone.verification.failed",
    method: verifyPhone,
    given: givenPhone,
    more: nothing,
  },
  verifyEmail: {
    failed: "user.human.email.verification.failed",
    method: verifyEmail,
    given: givenEmail,
    more: nothing,
  },
} as const satisfies { readonly [name: string]: Way };

/** The code with another character at one end: those of links have no other at the last one. */
export function wrongCode({ codeId, code }: Given, nth = 0): string {
  if (codeId === undefined) return wrong(code, nth);
  const letters = "ABCDEFGHJK".replace(code.charAt(0), "");
  return letters.charAt(nth) + code.slice(1);
}

/** A code is wrong in the same words for whatever reason. */
export const refused = { ...codeInvalid, fields: [] };

/** Rows for what holds for every code, whichever method it is shown to. */
export function codeRows({ method, failed, given, more }: Way): readonly Case[] {
  const { name } = method;
  const request = (values: object) => create(method.input, { ...values }) as Message;
  /** Shows codes that are wrong; each must be counted. */
  async function miss(world: World, ids: object, codes: readonly string[]) {
    for (const code of codes) {
      const before = await world.server.head();
      const answer = await world.call(method, request({ ...ids, ...unread(name), code }), "");
      expect(answer).toMatchObject({ ok: false, ...refused });
      expect(typesOf(await world.server.events(before))).toEqual([failed]);
    }
  }
  const misses = (made: Given, count: number) =>
    Array.from({ length: count }, (_none, nth) => wrongCode(made, nth));

  /** A code that is refused, and which event that leaves. */
  const not = (
    title: string,
    from: (world: World) => Promise<Given>,
    leaves: readonly string[] = [],
  ): Case => ({
    name: `${name}: refuses ${title}`,
    method,
    run: async (world) => ({
      request: request({ codeId: "c", ...unread(name), ...(await from(world)) }),
      token: "",
      expected: { ...refused, leaves },
    }),
  });
  const changed = async (world: World, type: "user.deactivated" | "user.removed") => {
    const made = await given(world);
    await happen(world.server, [change(type)], { id: made.userId });
    return made;
  };

  /** A rule of the fields; no code is compared. */
  const invalid = (title: string, values: object, field: string): Case => ({
    name: `${name}: refuses ${title}`,
    method,
    run: async (world) => ({
      request: request({ ...(await given(world)), ...unread(name), ...values }),
      token: "",
      expected: { code: 3, reason: "INVALID_FIELDS", fields: [field] },
    }),
  });

  return [
    {
      name: `${name}: takes the code after four wrong ones, each of which counts`,
      method,
      async run(world) {
        const made = await given(world);
        const { code, ...ids } = made;
        const odd = [` ${code}`, `${code}A`, "😀".repeat(200)];
        await miss(world, ids, [wrongCode(made), ...odd]);
        const right = { ...made, ...(await more(world, made)) };
        return { request: request(right), token: "", expected: { ok: () => {} } };
      },
    },
    not("the right code after five wrong ones", async (world) => {
      const made = await given(world);
      await miss(world, made, misses(made, 5));
      return made;
    }),
    not("a wrong code after five wrong ones, which nobody counts", async (world) => {
      const made = await given(world);
      await miss(world, made, misses(made, 5));
      return { ...made, code: wrongCode(made) };
    }),
    not(
      "the code of another person",
      async (world) => {
        const another = await given({ ...world, unique: `${world.unique} 2` });
        return { ...(await given(world)), code: another.code };
      },
      [failed],
    ),
    not("the code of a person who is inactive", (world) => changed(world, "user.deactivated")),
    not("the code of a person who was removed", (world) => changed(world, "user.removed")),
    not("any code of a machine", async ({ server }) => {
      const { userId } = await givenUser(server, server.admin.organization);
      return { userId, code: "ABCDEF" };
    }),
    not("any code of nobody", async ({ unique }) => ({ userId: unique, code: "ABCDEF" })),
    not("any code of an id of 200 characters", async () => ({
      userId: "u".repeat(200),
      code: "ABCDEF",
    })),
    not("any code of a person who has none", async (world) => {
      const email = { email: "ada@example.com", isEmailVerified: true };
      const { userId } = await imported(world, { email, password });
      return { userId, code: "ABCDEF" };
    }),
    invalid("no user", { userId: "" }, "user_id"),
    invalid("no code", { code: "" }, "code"),
  ];
}

/** What must be there, but is not looked at where the code is wrong. */
function unread(name: string): object {
  return name === "FinishPasskey" ? { credential: {} } : {};
}
