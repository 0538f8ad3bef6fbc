import { createHash, randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import Database from "better-sqlite3";
import { bearer, createHttp, type Http } from "../access/http.ts";
import { startServer, type TestServer } from "../harness/server.ts";

// What is given and given out is kept sealed or hashed.

let server: TestServer;
let http: Http;

/** Each with the place in which it went in or came out. */
const planted = {
  "a password": "planted-password-1f7c",
  "a password that is refused": "planted-refused-password",
  "a password next to a hash": "planted-password-next-to",
  "a hash that is refused": "$planted$refused-hash-5d2e",
  "the secret of an authenticator app": "PLANTEDSECRETOFANAPPLICATION2345",
  "a secret that is refused": "planted-secret-of-an-app-189!",
  "a code that was tried": "PLANTED-CODE",
  "a secret in place of a name": "planted-secret-in-place-of-a-name",
  "a secret in place of an organization": "planted-secret-in-place-of-an-id",
  "the code of a link": "",
  "the code for a phone": "",
  "a token": "",
  "a client secret": "",
  "a client secret of a machine": "",
  "a key": "",
};
type Planted = keyof typeof planted;

/** Everything that was answered with a refusal. */
const refusals: string[] = [];

async function ask(
  path: string,
  body: object,
  more: { readonly [name: string]: string } = {},
): Promise<{ readonly [field: string]: unknown }> {
  const headers = { ...bearer(server.admin.token), ...more };
  const {
    status,
    text,
    headers: answered,
  } = await http.send({
    path,
    headers,
    body: JSON.stringify(body),
  });
  if (status !== 200) refusals.push(text, JSON.stringify(answered));
  return JSON.parse(text) as { readonly [field: string]: unknown };
}

function human(userName: string, more: object): object {
  const profile = { firstName: "Ada", lastName: "Lovelace" };
  return { userName, profile, email: { email: "ada@example.com" }, ...more };
}

beforeAll(async () => {
  server = await startServer();
  http = createHttp(server.port);
  const path = "/management/v1/users/human/_import";
  const { userId, passwordlessRegistration } = await ask(
    path,
    human("planted", {
      password: planted["a password"],
      otpCode: planted["the secret of an authenticator app"],
      requestPasswordlessRegistration: true,
    }),
  );
  const { link } = passwordlessRegistration as { readonly link: string };
  planted["the code of a link"] = new URL(link).searchParams.get("code") ?? "";
  const phone = { phone: "+41446681800", returnCode: {} };
  const { verificationCode } = await ask(`/v2/users/${userId}/phone`, phone);
  planted["the code for a phone"] = String(verificationCode);
  const tried = { verificationCode: planted["a code that was tried"] };
  await ask(`/v2/users/${userId}/phone/verify`, tried);
  const { token } = await ask(`/management/v1/users/${userId}/pats`, {});
  planted["a token"] = String(token);
  const apps = `/management/v1/projects/${server.project}/apps/api`;
  const { clientSecret } = await ask(apps, { name: "with a secret" });
  planted["a client secret"] = String(clientSecret);
  const machine = await ask("/management/v1/users/machine", {
    userName: "planted-robot",
    name: "a",
  });
  const generate = "/iam.management.v1.ManagementService/GenerateMachineSecret";
  const given = await ask(generate, { userId: machine.userId });
  planted["a client secret of a machine"] = String(given.clientSecret);
  const byKey = { name: "with a key", authMethodType: "API_AUTH_METHOD_TYPE_PRIVATE_KEY_JWT" };
  const { appId } = await ask(apps, byKey);
  const { keyDetails } = await ask(
    `/management/v1/projects/${server.project}/apps/${appId}/keys`,
    {},
  );
  const { key } = JSON.parse(Buffer.from(String(keyDetails), "base64").toString());
  // The public part stands at its beginning.
  planted["a key"] = String(key).split("\n").at(-4) ?? "";

  const refused = { password: planted["a password that is refused"], phone: {} };
  await ask(path, human("refused 1", refused));
  await ask(
    path,
    human("refused 2", {
      password: planted["a password next to a hash"],
      hashedPassword: { value: planted["a hash that is refused"] },
    }),
  );
  await ask(path, human("r3", { hashedPassword: { value: planted["a hash that is refused"] } }));
  await ask(path, human("r4", { otpCode: planted["a secret that is refused"] }));
  await ask(path, human("r5", { passwort: planted["a password that is refused"] }));
  await ask(path, human("r6", { password: [planted["a password that is refused"]] }));
  await ask(path, human("r7", { [planted["a secret in place of a name"]]: 1 }));
  const elsewhere = { "x-service-orgid": planted["a secret in place of an organization"] };
  await ask(path, human("r8", {}), elsewhere);
});

afterAll(async () => {
  http.close();
  await server.close();
});

function rows(table: string): string {
  const db = new Database(join(server.dataDir, "iam.db"), { readonly: true });
  const all = db.prepare(`SELECT * FROM ${table}`).all();
  db.close();
  return JSON.stringify(all);
}

/** The bytes of all files of the database: what was written is in its log before it is in it. */
async function files(): Promise<string> {
  const names = (await readdir(server.dataDir)).filter((name) => name.startsWith("iam.db"));
  const read = names.map((name) => readFile(join(server.dataDir, name), "latin1"));
  return (await Promise.all(read)).join("");
}

const places = {
  "the events": async () => rows("events"),
  "the objects": async () => rows("objects"),
  "the texts": async () => rows("texts"),
  "the bytes of the database": files,
  "the log": async () => server.logged().join(""),
  "the refusals": async () => refusals.join("\n"),
};

/** The text as it is, and as programs like to write it. */
function forms(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  return [text, JSON.stringify(text).slice(1, -1), base64, bytes.toString("hex")];
}

describe.each(Object.entries(places))("secrets in logs, events, errors: in %s", (_, read) => {
  test("there is something", async () => {
    expect((await read()).length).toBeGreaterThan(500);
  });

  test.each(Object.keys(planted) as Planted[])("is not %s", async (name) => {
    expect(planted[name]).toMatch(/^.{6,}$/);
    const found = await read();
    expect(forms(planted[name]).filter((form) => found.includes(form))).toEqual([]);
  });
});

test("every refusal was one", () => {
  expect(refusals).toHaveLength(2 * 9);
});

describe("is kept, so that it can be compared,", () => {
  test.each<Planted>([
    "the code of a link",
    "a token",
    "a client secret",
    "a client secret of a machine",
  ])("%s, as its SHA-256", (name) => {
    expect(rows("events")).toContain(createHash("sha256").update(planted[name]).digest("hex"));
  });

  test("the password, as Argon2id", async () => {
    const [hash] = /\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]+\$[\w+/]+/.exec(rows("events")) ?? [];
    expect(await server.passwords.verifyPassword(planted["a password"], hash!)).toBe(true);
  });

  test.each<readonly [Planted, string, string, string]>([
    ["the secret of an authenticator app", "user.human.otp.added", "secret", "otp.secret"],
    ["the code for a phone", "user.human.phone.code.added", "code", "phone.code"],
  ])("%s, sealed", async (name, type, member, field) => {
    const event = (await server.events()).findLast((one) => one.type === type)!;
    const payload = JSON.parse(event.payload) as { readonly [name: string]: string };
    const place = { stream: event.stream, field };
    expect(server.keyring.open(payload[member]!, place)).toBe(planted[name]);
    // It opens at no other person's.
    const elsewhere = { stream: `user-${randomBytes(8).toString("hex")}`, field };
    expect(() => server.keyring.open(payload[member]!, elsewhere)).toThrow("cannot be opened");
  });
});
