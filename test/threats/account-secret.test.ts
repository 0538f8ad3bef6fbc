import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import type { ListEventsResponse } from "../../gen/iam/admin/v1/event_search_pb.js";
import type { Passwords } from "../../src/secrets/passwords/passwords.ts";
import { createHttp, type Http } from "../access/http.ts";
import {
  type Given,
  givenAccount,
  givenEmail,
  givenLink,
  givenPhone,
  humanOf,
  made,
  password,
  ways,
  wrongCode,
} from "../cases/accounts.ts";
import { callingOf } from "../cases/phones.ts";
import { granted } from "../cases/stored.ts";
import type { Registration } from "../cases/webauthn.ts";
import { createClients, type TestClient } from "../harness/clients.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { serveWith } from "./place.ts";

// "secrets in logs, events, errors": codes and passwords of people who have no token yet.

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  [client] = createClients(server.url) as [TestClient];
});

afterAll(async () => {
  client.close();
  await server.close();
});

const calling = () => callingOf(server, client);

describe("nobody sees", () => {
  let http: Http;
  let account: Given;
  let link: Given;
  let phone: Given;
  let email: Given;
  let registration: Registration;
  /** Everything that was answered, and what was logged meanwhile. */
  const answers: string[] = [];
  let secrets: { readonly [name: string]: string };

  async function ask(method: string, body: object, outcome: string): Promise<void> {
    const path = `/iam.account.v1.AccountService/${method}`;
    const answer = await http.send({ path, headers: {}, body: JSON.stringify(body) });
    expect([method, answer.outcome]).toEqual([method, outcome]);
    answers.push(answer.text, JSON.stringify(answer.headers));
  }

  beforeAll(async () => {
    http = createHttp(server.port);
    account = await givenAccount(calling());
    link = await givenLink(calling());
    phone = await givenPhone(calling());
    email = await givenEmail(calling());
    registration = await made(calling(), link);
    const stored = await humanOf(server, link.userId);
    const { credential } = registration;
    const short = "PLANTED";
    await ask("CheckInitialization", { ...account, code: wrongCode(account) }, "3 CODE_INVALID");
    await ask("CheckInitialization", account, "OK");
    await ask("Initialize", { ...account, password: short }, "3 INVALID_FIELDS");
    await ask("Initialize", { ...account, passwort: password }, "3 MALFORMED_REQUEST");
    await ask("Initialize", { ...account, password }, "OK");
    await ask("BeginPasskey", { ...link, code: wrongCode(link) }, "3 CODE_INVALID");
    await ask("BeginPasskey", link, "OK");
    await ask("FinishPasskey", { ...link, credential: {} }, "3 PASSKEY_INVALID");
    await ask("FinishPasskey", { ...link, credential, name: "a\nb" }, "3 INVALID_FIELDS");
    await ask("FinishPasskey", { ...link, credential, name: "laptop" }, "OK");
    await ask("VerifyPhone", { ...phone, code: wrongCode(phone) }, "3 CODE_INVALID");
    await ask("VerifyPhone", phone, "OK");
    await ask("VerifyEmail", { ...email, code: wrongCode(email) }, "3 CODE_INVALID");
    await ask("VerifyEmail", email, "OK");
    http.close();
    const taken = await humanOf(server, account.userId);
    secrets = {
      "the code of the mail": account.code,
      "a code that was wrong": wrongCode(account),
      "the code of the link": link.code,
      "the hash of the code of the link": stored?.passwordless[0]?.codeHash ?? "",
      "the code of the message": phone.code,
      "the code for the address": email.code,
      "the password": password,
      "a password that was refused": short,
      "the hash of the password": taken?.passwordHash ?? "",
    };
  });

  const names = [
    "the code of the mail",
    "a code that was wrong",
    "the code of the link",
    "the hash of the code of the link",
    "the code of the message",
    "the code for the address",
    "the password",
    "a password that was refused",
    "the hash of the password",
  ];

  test.each(names)("%s in answers or in the log", (name) => {
    const secret = secrets[name] ?? "";
    expect(secret).toMatch(/^.{6,}$/);
    expect(answers).toHaveLength(28);
    expect(server.logged().length).toBeGreaterThan(12);
    const seen = [...answers, ...server.logged()];
    expect(seen.filter((text) => text.includes(secret))).toEqual([]);
  });

  test.each([
    ["user.human.initialization.code.added", { code: "***" }],
    ["user.human.password.changed", { passwordHash: "***" }],
    ["user.human.passwordless.initialization.code.added", { codeHash: "***" }],
    ["user.human.email.code.added", { code: "***" }],
    ["user.human.phone.code.added", { code: "***", send: true }],
  ])("the secret of an event %s", async (type, expected) => {
    const events = await listed(type);
    expect(events.length).toBeGreaterThan(0);
    for (const payload of events) expect(payload).toMatchObject(expected);
  });

  test.each([
    ["user.human.initialization.failed", {}],
    ["user.human.initialized", {}],
    ["user.human.email.verified", {}],
    ["user.human.phone.verified", {}],
    ["user.human.phone.verification.failed", {}],
    ["user.human.email.verification.failed", {}],
  ])("anything in an event %s", async (type, expected) => {
    const events = await listed(type);
    expect(events.length).toBeGreaterThan(0);
    for (const payload of events) expect(payload).toEqual(expected);
  });

  test("but what is public of a passkey, and which link was missed", async () => {
    const { codeId = "" } = link;
    const failed = await listed("user.human.passwordless.initialization.failed");
    expect(failed).toEqual([{ codeId }]);
    const { credentialId, publicKey } = registration;
    expect(await listed("user.human.passwordless.token.added")).toEqual([
      {
        ...{ codeId, credentialId, publicKey, counter: 0, name: "laptop" },
        transports: ["internal", "hybrid"],
      },
    ]);
  });

  async function listed(type: string): Promise<readonly (JsonObject | undefined)[]> {
    const answer = await calling().call(AdminService.method.listEvents, { eventTypes: [type] });
    return granted<ListEventsResponse>(answer).events.map(({ payload }) => payload);
  }
});

describe("the service hashes a password", () => {
  let counted: Awaited<ReturnType<typeof serveWith>>;
  let watched: TestClient;
  const hashed: string[] = [];

  beforeAll(async () => {
    const passwords: Passwords = {
      ...server.passwords,
      hashPassword: (text, ...rest) => {
        hashed.push(text);
        return server.passwords.hashPassword(text, ...rest);
      },
    };
    counted = await serveWith(server, { passwords });
    [watched] = createClients(counted.url) as [TestClient];
  });

  afterAll(async () => {
    watched.close();
    await counted.close();
  });

  const hash = "$1$saltsalt$od1xloZFQc7i5EKt1XUbG0";
  const withHash = { hashedPassword: { value: hash } };

  test.each<readonly [string, object, (given: Given) => object, readonly string[]]>([
    ["for no wrong code", {}, (given) => ({ code: wrongCode(given), password }), []],
    ["for no code of nobody", {}, () => ({ userId: "nobody", password }), []],
    ["for no short one", {}, () => ({ password: "1234567" }), []],
    ["for no long one", {}, () => ({ password: "x".repeat(257) }), []],
    ["for none that is missing", {}, () => ({}), []],
    ["for none that is kept", withHash, () => ({}), []],
    ["for one that was chosen", {}, () => ({ password }), [password]],
    ["for another one that was chosen", withHash, () => ({ password }), [password]],
  ])("%s", async (_, human, values, expected) => {
    hashed.length = 0;
    const given = await givenAccount(calling(), human);
    const request = { ...given, ...values(given) };
    await callingOf(server, watched).call(ways.initialize.method, request, "");
    expect(hashed).toEqual(expected);
  });

  test("for nobody whose code is void, however often it is tried", async () => {
    hashed.length = 0;
    const given = await givenAccount(calling());
    const world = callingOf(server, watched);
    for (let nth = 0; nth < 7; nth += 1) {
      await world.call(ways.initialize.method, { ...given, code: wrongCode(given), password }, "");
    }
    const answer = await world.call(ways.initialize.method, { ...given, password }, "");
    expect([answer.ok, hashed]).toEqual([false, []]);
  });
});
