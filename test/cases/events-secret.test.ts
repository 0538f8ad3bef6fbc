import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { setImmediate as soon } from "node:timers/promises";
import { create, type JsonObject, type Message } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { AdminService } from "../../gen/iam/admin/v1/admin_service_pb.js";
import {
  ListEventsRequestSchema,
  type ListEventsResponse,
} from "../../gen/iam/admin/v1/event_search_pb.js";
import type { Event } from "../../gen/iam/event/v1/event_pb.js";
import type { RecordedEvent } from "../../src/event.ts";
import { createChannels } from "../../src/notify/channel/channels.ts";
import { startWorkers } from "../../src/notify/worker.ts";
import { createRecoveryCode, hashRecoveryCode } from "../../src/secrets/recovery.ts";
import { checkKeyring } from "../../src/start/master-key.ts";
import { bearer } from "../access/http.ts";
import { clientNames, createClients, type TestClient } from "../harness/clients.ts";
import { shortened } from "../harness/extent.ts";
import { few } from "../harness/in-full.ts";
import { startServer, type TestServer } from "../harness/server.ts";
import { watchClients, watching } from "../harness/watches.ts";
import { documentOf } from "./saml-apps.ts";
import { granted } from "./stored.ts";
import { happen } from "./users.ts";

// One of each thing with each secret that there is, and what callers see of its events.

const mask = "***";

/** What is masked, by the type of the event, and the fields that hold it. */
const masked: { readonly [type: string]: readonly string[] } = {
  "idp.oidc.config.added": ["clientSecret"],
  "idp.oidc.config.changed": ["clientSecret"],
  "instance.key.added": ["check"],
  "log.begun": ["key"],
  "project.application.config.api.added": ["clientSecretHash"],
  "project.application.config.api.secret.changed": ["clientSecretHash"],
  "project.application.config.oidc.added": ["clientSecretHash"],
  "project.application.config.oidc.secret.changed": ["clientSecretHash"],
  "user.human.added": ["passwordHash"],
  "user.human.initialization.code.added": ["code"],
  "user.human.otp.added": ["secret"],
  "user.human.passwordless.initialization.code.added": ["codeHash"],
  "user.human.phone.code.added": ["code"],
  "user.human.recovery_code.used": ["hash"],
  "user.human.recovery_codes.set": ["hashes"],
  "user.token.added": ["tokenHash"],
};

/** What callers gave and got, in the clear. */
const secrets: string[] = [];
/** What they gave that is no secret. */
const shown: string[] = [];

let server: TestServer;
let clients: readonly TestClient[];
let log: readonly RecordedEvent[];

type Answered = { readonly [field: string]: string };

async function ask(path: string, body: object, method = "POST"): Promise<Answered> {
  const authorization = `Bearer ${server.admin.token}`;
  const response = await fetch(server.url + path, {
    method,
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`a call of the test was refused: ${text}`);
  return JSON.parse(text) as Answered;
}

function human(userName: string, more: object) {
  shown.push(userName, `${userName}@example.com`, `${userName} Lovelace`);
  const profile = { firstName: userName, lastName: "Lovelace" };
  return { userName, profile, email: { email: `${userName}@example.com` }, ...more };
}

async function makeProviders(): Promise<void> {
  const [before, after] = ["first-secret-of-a-provider", "second-secret-of-a-provider"];
  secrets.push(before, after);
  const oidc = { clientId: "id-at-the-provider", issuer: "https://issuer.example.com" };
  shown.push("Example Login", ...Object.values(oidc));
  const given = { ...oidc, name: "Example Login", clientSecret: before };
  const { idpId } = await ask("/management/v1/idps/oidc", given);
  await ask(`/admin/v1/idps/${idpId}/oidc_config`, { ...oidc, clientSecret: after }, "PUT");
  const jwt = { issuer: "issuer-of-jwt", headerName: "x-jwt", keysEndpoint: "https://k.example" };
  shown.push(...Object.values(jwt));
  await ask("/admin/v1/idps/jwt", { ...jwt, name: "JWT", jwtEndpoint: "https://j.example" });
}

async function makeApplications(): Promise<void> {
  const apps = `/management/v1/projects/${server.project}/apps`;
  const redirect = "https://app.example.com/callback";
  for (const [type, more] of Object.entries({ oidc: { redirectUris: [redirect] }, api: {} })) {
    const name = `application of type ${type}`;
    const { appId, clientSecret } = await ask(`${apps}/${type}`, { name, ...more });
    const renewal = `${apps}/${appId}/${type}_config/_generate_client_secret`;
    const { clientSecret: renewed } = await ask(renewal, {});
    secrets.push(clientSecret!, renewed!);
    shown.push(name);
  }
  const metadataXml = Buffer.from(documentOf("https://sp.example.com")).toString("base64");
  await ask(`${apps}/saml`, { name: "SAML", metadataXml });
  shown.push(redirect, "https://sp.example.com", documentOf("https://sp.example.com"));
}

async function makePeople(): Promise<void> {
  const path = "/management/v1/users/human/_import";
  const [password, otpCode] = ["a-password-of-ada", "SECRETOFANAPPLICATION23456723456"];
  // Of "password", by the reference implementation of bcrypt.
  const value = "$2a$05$bvIG6Nmid91Mu9RcmmWZfO5HJIMCT8riNW0hEp8f6/FuA2/mHZFpe";
  secrets.push(password, otpCode, value);
  const ada = human("Ada", { password, otpCode, requestPasswordlessRegistration: true });
  const { userId: adaId, passwordlessRegistration } = await ask(path, ada);
  const { link } = passwordlessRegistration as unknown as { readonly link: string };
  secrets.push(new URL(link).searchParams.get("code")!);
  const { userId: bobId } = await ask(path, human("Bob", { hashedPassword: { value } }));
  // An unverified phone has a code sent, and so has one that is set; one more is answered.
  const phone = "+41446681800";
  shown.push(phone);
  await ask(path, human("Eve", { phone: { phone } }));
  await ask(`/v2/users/${adaId}/phone`, { phone, sendCode: {} });
  const answered = await ask(`/v2/users/${bobId}/phone`, { phone, returnCode: {} });
  secrets.push(answered.verificationCode!);

  const codes = Array.from({ length: 2 }, () => createRecoveryCode(randomBytes));
  const hashes = codes.map(hashRecoveryCode);
  await happen(
    server,
    [
      { type: "user.human.recovery_codes.set", payload: { hashes } },
      { type: "user.human.recovery_code.used", payload: { hash: String(hashes[0]) } },
    ],
    { id: String(adaId) },
  );
  secrets.push(...codes.map((code) => code.replaceAll("-", "")));

  const { userId } = await ask("/management/v1/users/machine", { userName: "bot", name: "A bot" });
  const { token } = await ask(`/management/v1/users/${userId}/pats`, {});
  secrets.push(token!, server.admin.token);
  await ask("/management/v1/actions", { name: "an action", script: "const shown = 1;" });
  shown.push("bot", "A bot", "an action", "const shown = 1;");
}

/** Sends the messages that wait, so that what became of them is in the log too. */
async function deliver(): Promise<void> {
  const { store, execute, keyring } = server;
  const now = Date.now;
  const channels = createChannels({
    ...{ from: { name: "", address: "iam@example.com" }, outbox: join(server.dataDir, "outbox") },
    ...{ now, random: randomBytes, store },
  });
  const publicUrl = () => "https://iam.example.com";
  const log = pino({ enabled: false });
  const jitter = () => 0;
  const worker = startWorkers({ store, execute, channels, keyring, publicUrl, now, jitter, log });
  while ((await server.events()).filter(({ type }) => type.endsWith(".sent")).length < 5) {
    await soon();
  }
  await worker.stop();
}

/** The clear text of what is sealed in an event. */
function opened(event: RecordedEvent): readonly string[] {
  const fields = [
    "clientSecret",
    "initialization.code",
    "phone.code",
    "otp.secret",
    "check",
    "key",
  ];
  const sealed = event.payload.match(/v1\.[\w-]+\.[\w-]{38,}/g) ?? [];
  return sealed.map((text) => {
    const places = fields.map((field) => ({ stream: event.stream, field }));
    const place = [...places, { stream: "keyring", field: "check" }].find((one) => {
      try {
        return server.keyring.open(text, one) !== "";
      } catch {
        return false;
      }
    });
    return server.keyring.open(text, place!);
  });
}

beforeAll(async () => {
  server = await startServer();
  clients = createClients(server.url);
  await checkKeyring(server.keyring, server.store, server.execute);
  await makeProviders();
  await makeApplications();
  await makePeople();
  await deliver();
  log = await server.events();
  // The text of the check of the key is no secret.
  secrets.push(...log.flatMap(opened).filter((text) => text !== "iam"));
});

afterAll(async () => {
  for (const client of clients) client.close();
  await server.close();
});

test("each kind of secret is in the log, as it is kept", () => {
  const kept = log.flatMap(({ type, payload }) => {
    const names = Object.keys(JSON.parse(payload) as object);
    return names.filter((name) => masked[type]?.includes(name)).map((name) => `${type} ${name}`);
  });
  const all = Object.entries(masked).flatMap(([type, names]) =>
    names.map((name) => `${type} ${name}`),
  );
  expect([...new Set(kept)].sort()).toEqual(all);
  // Given or answered: two of providers, four of applications, a password, a hash, the secret of an
  // authenticator, a link, two tokens, a code and two recovery codes. Opened: two and one of these,
  // six codes, and the key of the log.
  expect(secrets).toHaveLength(15 + 10);
  for (const secret of secrets) expect(secret).toMatch(/^.{6,}$/);
});

/** The text as it is kept or may be written. */
function formsOf(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const hash = createHash("sha256").update(text).digest();
  const encodings = ["base64", "base64url", "hex"] as const;
  return [text, ...[bytes, hash].flatMap((one) => encodings.map((as) => one.toString(as)))];
}

function expectMasked(events: readonly Event[]): void {
  expect(events.map(({ sequence }) => sequence)).toEqual(log.map(({ position }) => position));
  for (const [index, { payload }] of events.entries()) {
    const recorded = log[index]!;
    const hidden = masked[recorded.type] ?? [];
    const plain = Object.entries(JSON.parse(recorded.payload) as JsonObject);
    const expected = plain.map(([name, value]) => [name, hidden.includes(name) ? mask : value]);
    expect([recorded.type, payload]).toEqual([recorded.type, Object.fromEntries(expected)]);
  }
  const text = JSON.stringify(events, (_, value) =>
    typeof value === "bigint" ? String(value) : (value as unknown),
  );
  const forms = secrets.flatMap(formsOf);
  expect(forms.filter((form) => text.includes(form))).toEqual([]);
  // Neither is anything that looks like what secrets are kept as.
  expect(text).not.toMatch(/v1\.[\w-]+\.[\w-]{38,}|\$argon2|\$2[aby]\$|[0-9a-f]{64}/);
  const missing = shown.filter((one) => !text.includes(JSON.stringify(one).slice(1, -1)));
  expect(missing).toEqual([]);
}

describe("events show no secret, and everything else,", () => {
  test.each(shortened(clientNames, 2))("in lists over %s", async (name) => {
    const client = clients.find((one) => one.name === name)!;
    const { listEvents } = AdminService.method;
    const request = create(ListEventsRequestSchema, { asc: true, limit: 1_000 }) as Message;
    const answer = await client.call(listEvents, request, bearer(server.admin.token));
    expectMasked(granted<ListEventsResponse & Message>(answer).events);
  });

  few().each(watchClients)("in watches over %s", async (name) => {
    const watch = watching(name, server.url, server.admin.token);
    const events: Event[] = [];
    while (events.length < log.length) events.push((await watch.next()).event!);
    await watch.leave();
    expectMasked(events);
  });
});

test("events tell who made them happen, and what was the work of the service", async () => {
  const watch = watching("grpc", server.url, server.admin.token);
  const seen = new Map<string, Event["editor"]>();
  for (const { type } of log) seen.set(type, (await watch.next()).event!.editor);
  await watch.leave();
  const { userId } = server.admin;
  const admin = { userId, displayName: "Administrator", service: "iam" };
  expect(seen.get("action.added")).toMatchObject(admin);
  const service = { userId: "", displayName: "", service: "iam" };
  for (const type of [
    "user.human.initialization.code.sent",
    "user.human.phone.code.sent",
    "instance.key.added",
  ]) {
    expect(seen.get(type)).toMatchObject(service);
  }
});
